//! Answers that are given again.

use crate::store::PostgresStore;
use application::ports::storage::{Claim, IdempotencyStore, IdempotentRequest, KeptAnswer, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

fn super_stub() -> StorageError {
    StorageError::Internal("not built yet".into())
}

#[async_trait]
impl IdempotencyStore for PostgresStore {
    async fn claim(
        &self,
        _request: IdempotentRequest,
        _now: DateTime<Utc>,
        _abandoned_before: DateTime<Utc>,
        _expired_before: DateTime<Utc>,
    ) -> Result<Claim, StorageError> {
        Err(super_stub())
    }
    async fn keep(&self, _request: IdempotentRequest, _answer: &KeptAnswer) -> Result<(), StorageError> {
        Err(super_stub())
    }
    async fn release(&self, _request: IdempotentRequest) -> Result<(), StorageError> {
        Err(super_stub())
    }
    async fn delete_before(&self, _before: DateTime<Utc>, _limit: u32) -> Result<u64, StorageError> {
        Err(super_stub())
    }
}
