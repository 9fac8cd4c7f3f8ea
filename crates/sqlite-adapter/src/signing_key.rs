//! Signing keys; their statements are in `store-shared`.

use crate::store::SqliteStore;
use application::ports::storage::{SigningKeyReader, StorageError};
use async_trait::async_trait;
use domain::signing_key::SigningKey;

#[async_trait]
impl SigningKeyReader for SqliteStore {
    async fn list_signing_keys(&self) -> Result<Vec<SigningKey>, StorageError> {
        store_shared::list_signing_keys(self).await
    }
}
