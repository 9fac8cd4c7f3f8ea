//! What changed of a person's records.

use crate::store::PostgresStore;
use application::ports::storage::{ChangePage, ChangePageQuery, ChangeReader, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

fn super_stub() -> StorageError {
    StorageError::Internal("not built yet".into())
}

#[async_trait]
impl ChangeReader for PostgresStore {
    async fn changes(&self, _query: ChangePageQuery) -> Result<ChangePage, StorageError> {
        Err(super_stub())
    }
    async fn forget_deletions(&self, _before: DateTime<Utc>, _limit: u32) -> Result<u64, StorageError> {
        Err(super_stub())
    }
}
