//! Maintenance of the store.

use crate::error::StorageResult as _;
use crate::scrub;
use crate::store::SqliteStore;
use application::ports::storage::{DiskFault, StorageError, StoreUpkeep};
use async_trait::async_trait;
use diesel::RunQueryDsl as _;
use diesel::query_dsl::methods::FindDsl as _;
use std::time::Duration;
use store_shared::Raw;
use store_shared::column::Held as _;
use store_shared::schema::outbox;
use uuid::Uuid;

/// Time limit of a wait for readers if the blocked work is retried later.
const SHORT_WAIT: Duration = Duration::from_millis(200);

#[async_trait]
impl StoreUpkeep for SqliteStore {
    fn write_refusal(&self) -> Option<DiskFault> {
        self.writer.state().refusal()
    }

    /// Writes a row of 16 pages. A shorter one could fit into space that the log already has on a full disk.
    async fn probe_writes(&self) -> Result<(), StorageError> {
        self.write(|connection| {
            let statement: Raw<()> = Raw::same(
                "INSERT INTO outbox (id, sealed, queued_at, due_at, attempts) VALUES (?, zeroblob(65536), 0, ?, 0)",
            )
            .bind(Uuid::max().cell())
            .bind(chrono::DateTime::UNIX_EPOCH.cell());
            statement.execute(connection).storage()?;
            diesel::delete(outbox::table.find(Uuid::max().cell())).execute(connection).storage().map(drop)
        })
        .await?;
        self.writer.state().accepted();
        Ok(())
    }

    async fn finish_erasures(&self) -> Result<bool, StorageError> {
        if self.read(|connection| scrub::requested(connection).storage()).await? == 0 {
            return Ok(true);
        }
        self.writer.maintain(|connection, location| scrub::scrub(connection, location, SHORT_WAIT)).await
    }

    async fn empty_log(&self) -> Result<bool, StorageError> {
        self.writer.maintain(|connection, location| scrub::empty_log(connection, location, SHORT_WAIT)).await
    }
}

#[cfg(test)]
mod tests;
