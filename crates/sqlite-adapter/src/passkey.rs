//! Passkeys; their statements are in `store-shared`.

use crate::store::SqliteStore;
use application::ports::storage::{PasskeyReader, StorageError};
use async_trait::async_trait;
use domain::id::UserId;
use domain::passkey::{CredentialId, Passkey};

#[async_trait]
impl PasskeyReader for SqliteStore {
    async fn find_passkey(&self, credential_id: &CredentialId) -> Result<Option<Passkey>, StorageError> {
        store_shared::find_passkey(self, credential_id).await
    }

    async fn list_passkeys(&self, user_id: UserId) -> Result<Vec<Passkey>, StorageError> {
        store_shared::list_passkeys(self, user_id).await
    }
}
