//! Signing keys of access tokens.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::id::KeyId;
use domain::signing_key::SigningKey;
#[cfg(feature = "test-support")]
use mockall::automock;

/// Reads signing keys outside a transaction; every replica polls it.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait SigningKeyReader: Send + Sync {
    /// Lists all keys, active and retired, oldest first, ties by id.
    async fn list_signing_keys(&self) -> Result<Vec<SigningKey>, StorageError>;
}

/// Stores signing keys.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait SigningKeyRepository: Send {
    /// Stores a key if no key is active; returns whether it did. Exactly one of several concurrent calls
    /// stores its key (MUST).
    async fn insert_first(&mut self, key: &SigningKey) -> Result<bool, StorageError>;
    /// Lists all keys as [`SigningKeyReader`] does, and locks them against additions and retirements until
    /// the unit of work ends (MUST).
    async fn list_for_update(&mut self) -> Result<Vec<SigningKey>, StorageError>;
    /// Stores another key; MUST fail with `Conflict(SigningKey)` if its id is taken.
    async fn insert(&mut self, key: &SigningKey) -> Result<(), StorageError>;
    /// Retires an active key; returns whether there was one with this id.
    async fn retire(&mut self, id: KeyId, at: DateTime<Utc>) -> Result<bool, StorageError>;
    /// Deletes at most `limit` keys that were retired before this time; returns their number.
    async fn delete_retired(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
}
