//! Erasures.

use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{Erasure, ErasureRepository, StorageError};
use async_trait::async_trait;
use domain::id::UserId;

fn super_stub() -> StorageError {
    StorageError::Internal("not built yet".into())
}

#[async_trait]
impl ErasureRepository for SqliteUnitOfWork {
    async fn erase(&mut self, _user_id: UserId, _erasure: Erasure) -> Result<bool, StorageError> {
        Err(super_stub())
    }
    async fn was_erased(&mut self, _user_id: UserId) -> Result<bool, StorageError> {
        Err(super_stub())
    }
    async fn list(&mut self, _limit: u32) -> Result<Vec<Erasure>, StorageError> {
        Err(super_stub())
    }
}
