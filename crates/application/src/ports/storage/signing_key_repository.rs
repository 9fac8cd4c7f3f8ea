//! The keys that sign access tokens.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::id::KeyId;
use domain::signing_key::SigningKey;
#[cfg(feature = "test-support")]
use mockall::automock;

/// Answers which signing keys there are, outside a transaction: asked by every replica now and then.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait SigningKeyReader: Send + Sync {
    /// Lists every key, active and retired, oldest first, ties by id.
    async fn list_signing_keys(&self) -> Result<Vec<SigningKey>, StorageError>;
}

/// Keeps signing keys.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait SigningKeyRepository: Send {
    /// Stores a key if there is no active one yet; of several racing calls exactly one stores its key (MUST).
    /// Returns whether this one did.
    async fn insert_first(&mut self, key: &SigningKey) -> Result<bool, StorageError>;
    /// Lists every key as [`SigningKeyReader`] does, and keeps all others from adding or retiring one until the
    /// unit of work ends (MUST): what is decided on the list holds when it is written.
    async fn list_for_change(&mut self) -> Result<Vec<SigningKey>, StorageError>;
    /// Stores a further key; MUST fail with `Conflict(SigningKey)` when its id is taken.
    async fn insert(&mut self, key: &SigningKey) -> Result<(), StorageError>;
    /// Retires an active key; returns whether there was one with this id.
    async fn retire(&mut self, id: KeyId, at: DateTime<Utc>) -> Result<bool, StorageError>;
    /// Deletes keys that were retired before this moment, at most `limit`; returns how many.
    async fn delete_retired(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
}
