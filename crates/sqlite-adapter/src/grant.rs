//! Grants.

use crate::error::StorageResult as _;
use crate::statement::delete_oldest;
use crate::store::SqliteStore;
use crate::unit_of_work::SqliteUnitOfWork;
use crate::webhook::announce_revocations;
use application::ports::storage::{GrantFilter, GrantReader, GrantWithUser, StorageError, UniqueKey};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::grant::Grant;
use domain::id::{ClientId, GrantId, UserId};
use domain::secret::SecretHash;
use store_shared::{StoreGrants, store_grant};

#[async_trait]
impl GrantReader for SqliteStore {
    async fn find_by_refresh_token(
        &self,
        hash: &SecretHash,
        // Unlike partitioned tables, one file has a single index to search.
        _user_id: Option<UserId>,
    ) -> Result<Option<GrantWithUser>, StorageError> {
        store_shared::find_grant(self, hash, None).await
    }

    async fn list_grants(
        &self,
        filter: GrantFilter,
        after: Option<GrantId>,
        limit: u32,
    ) -> Result<Vec<Grant>, StorageError> {
        store_shared::list_grants(self, filter, after, limit).await
    }

    async fn count_live_grants(&self, client_id: ClientId, limit: u32) -> Result<u32, StorageError> {
        store_shared::count_live_grants(self, client_id, limit).await
    }
}

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

    async fn lock_grants(&mut self, _user_id: UserId) -> Result<(), StorageError> {
        // The transaction holds the write lock.
        Ok(())
    }

    async fn announce_revocations(
        &mut self,
        revoked: Vec<(UserId, ClientId)>,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        self.run(move |connection| announce_revocations(connection, revoked, at).storage()).await
    }
}
