//! Maintenance of the store; `PostgreSQL` maintains its own files.

use crate::error::storage_error;
use crate::store::PostgresStore;
use application::ports::storage::{DiskFault, StorageError, StoreUpkeep};
use async_trait::async_trait;
use diesel_async::SimpleAsyncConnection as _;
use store_shared::Transaction as _;

/// Needs new pages, because random bytes cannot be compressed; the rollback frees them for other rows.
const PROBE: &str = "INSERT INTO outbox (id, sealed, queued_at, due_at, attempts)
    SELECT gen_random_uuid(), string_agg(uuid_send(gen_random_uuid()), ''::bytea), now(), 'infinity', 0
    FROM generate_series(1, 4096)";

#[async_trait]
impl StoreUpkeep for PostgresStore {
    fn write_refusal(&self) -> Option<DiskFault> {
        self.response_guard.writes.refusal()
    }

    async fn probe_writes(&self) -> Result<(), StorageError> {
        let mut unit = self.transaction().await?;
        unit.connection()?.batch_execute(PROBE).await.map_err(storage_error)?;
        unit.rollback().await?;
        self.response_guard.writes.accepted();
        Ok(())
    }

    /// Deleted rows remain in free space until the server's vacuum and log recycling.
    async fn finish_erasures(&self) -> Result<bool, StorageError> {
        Ok(true)
    }

    async fn empty_log(&self) -> Result<bool, StorageError> {
        Ok(true)
    }
}
