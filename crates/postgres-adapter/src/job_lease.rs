//! Leases on jobs that one replica runs at a time. All times are the server's, because a replica's clock may
//! be wrong.

use crate::statement::returning;
use crate::store::PostgresStore;
use application::ports::storage::{Job, JobLeases, StorageError};
use async_trait::async_trait;
use chrono::TimeDelta;
use diesel::sql_query;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{BigInt, Text};
use uuid::Uuid;

/// Concurrent calls wait for the first one's row, then find the job leased. `clock_timestamp` advances while
/// they wait.
const ACQUIRE: &str = "INSERT INTO job_lease AS l (job, holder, held_until, due_at)
    VALUES ($1, $2, clock_timestamp() + $3 * interval '1 microsecond', clock_timestamp())
    ON CONFLICT (job) DO UPDATE
    SET holder = excluded.holder, held_until = clock_timestamp() + $3 * interval '1 microsecond'
    WHERE l.due_at <= clock_timestamp() AND l.held_until <= clock_timestamp()";

const RENEW: &str = "UPDATE job_lease SET held_until = clock_timestamp() + $3 * interval '1 microsecond'
    WHERE job = $1 AND holder = $2";

const FINISH: &str = "UPDATE job_lease
    SET held_until = clock_timestamp(), due_at = clock_timestamp() + $3 * interval '1 microsecond'
    WHERE job = $1 AND holder = $2";

#[async_trait]
impl JobLeases for PostgresStore {
    async fn take(&self, job: Job, holder: Uuid, hold_for: TimeDelta) -> Result<bool, StorageError> {
        self.change_lease(ACQUIRE, job, holder, hold_for).await
    }

    async fn renew(&self, job: Job, holder: Uuid, hold_for: TimeDelta) -> Result<bool, StorageError> {
        self.change_lease(RENEW, job, holder, hold_for).await
    }

    async fn finish(&self, job: Job, holder: Uuid, due_after: TimeDelta) -> Result<(), StorageError> {
        self.change_lease(FINISH, job, holder, due_after).await.map(drop)
    }
}

impl PostgresStore {
    /// Runs one of the statements above; returns whether it changed a row.
    async fn change_lease(
        &self,
        statement: &'static str,
        job: Job,
        holder: Uuid,
        time: TimeDelta,
    ) -> Result<bool, StorageError> {
        let query = sql_query(statement)
            .bind::<Text, _>(job.as_str())
            .bind::<SqlUuid, _>(holder)
            .bind::<BigInt, _>(time.num_microseconds().unwrap_or(i64::MAX));
        Ok(self.pooled().await?.execute(returning::<(), _>(query)).await? > 0)
    }
}
