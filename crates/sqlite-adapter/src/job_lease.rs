//! Leases on jobs that one process runs at a time.

use crate::clock;
use crate::row::micros;
use crate::statement::execute;
use crate::store::SqliteStore;
use application::ports::storage::{Job, JobLeases, StorageError};
use async_trait::async_trait;
use chrono::TimeDelta;
use store_shared::Raw;
use uuid::Uuid;

#[async_trait]
impl JobLeases for SqliteStore {
    async fn take(&self, job: Job, holder: Uuid, hold_for: TimeDelta) -> Result<bool, StorageError> {
        self.write(move |connection| {
            let now = clock::now();
            let statement: Raw<()> = Raw::same(
                "INSERT INTO job_lease (job, holder, held_until, due_at) VALUES (?, ?, ?, ?) \
                 ON CONFLICT (job) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until \
                 WHERE due_at <= ? AND held_until <= ?",
            )
            .text(job.as_str())
            .blob(holder.as_bytes())
            .bind(micros(now + hold_for))
            .bind(micros(now))
            .bind(micros(now))
            .bind(micros(now));
            Ok(execute(statement)(connection)? > 0)
        })
        .await
    }

    async fn renew(&self, job: Job, holder: Uuid, hold_for: TimeDelta) -> Result<bool, StorageError> {
        self.write(move |connection| {
            let statement: Raw<()> =
                Raw::same("UPDATE job_lease SET held_until = ? WHERE job = ? AND holder = ?")
                    .bind(micros(clock::now() + hold_for))
                    .text(job.as_str())
                    .blob(holder.as_bytes());
            Ok(execute(statement)(connection)? > 0)
        })
        .await
    }

    async fn finish(&self, job: Job, holder: Uuid, due_after: TimeDelta) -> Result<(), StorageError> {
        self.write(move |connection| {
            let now = clock::now();
            let statement: Raw<()> =
                Raw::same("UPDATE job_lease SET held_until = ?, due_at = ? WHERE job = ? AND holder = ?")
                    .bind(micros(now))
                    .bind(micros(now + due_after))
                    .text(job.as_str())
                    .blob(holder.as_bytes());
            execute(statement)(connection).map(drop)
        })
        .await
    }
}
