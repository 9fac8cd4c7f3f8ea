//! Grants.

use crate::statement::delete_oldest;
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{StorageError, UniqueKey};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::grant::Grant;
use store_shared::{StoreGrants, store_grant};

#[async_trait]
impl StoreGrants for SqliteUnitOfWork {
    async fn insert_grant(&mut self, grant: &Grant) -> Result<(), StorageError> {
        store_grant(self, grant).await?.then_some(()).ok_or(StorageError::Conflict(UniqueKey::Grant))
    }

    async fn delete_revoked_grants(
        &mut self,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError> {
        self.run(delete_oldest(("access_grant", "user_id, id", "revoked_at"), before, limit)).await
    }
}
