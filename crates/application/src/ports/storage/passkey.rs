//! Passkeys and pending passkey ceremonies.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::id::{PasskeyId, UserId};
use domain::passkey::{CredentialId, Passkey, PasskeyCeremony, PasskeyName};
use domain::secret::SecretHash;
#[cfg(feature = "test-support")]
use mockall::automock;

/// Reads passkeys outside a transaction.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait PasskeyReader: Send + Sync {
    /// Returns the passkey with this credential id, of any person; `None` if there is none.
    async fn find_passkey(&self, credential_id: &CredentialId) -> Result<Option<Passkey>, StorageError>;
    /// Lists a person's passkeys, oldest first, ties by id.
    async fn list_passkeys(&self, user_id: UserId) -> Result<Vec<Passkey>, StorageError>;
}

/// A use of a passkey.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PasskeyUse {
    /// New signature counter.
    pub sign_count: u32,
    /// Whether the passkey was copied to other devices.
    pub is_backed_up: bool,
    /// Time of the use.
    pub at: DateTime<Utc>,
}

/// Stores passkeys.
#[async_trait]
pub trait PasskeyRepository: Send {
    /// Stores a passkey of an existing person; MUST fail with `Conflict(Passkey)` if its id, or the
    /// credential id of any person, is taken.
    async fn insert(&mut self, passkey: &Passkey) -> Result<(), StorageError>;
    /// Lists a person's passkeys as [`PasskeyReader`] does.
    async fn list(&mut self, user_id: UserId) -> Result<Vec<Passkey>, StorageError>;
    /// Records a use; returns `false` if the passkey is gone or the counter did not grow, except that it may
    /// stay at 0. MUST be one conditional statement.
    async fn record_use(
        &mut self,
        user_id: UserId,
        id: PasskeyId,
        used: PasskeyUse,
    ) -> Result<bool, StorageError>;
    /// Renames a passkey; returns whether the person has it.
    async fn rename(
        &mut self,
        user_id: UserId,
        id: PasskeyId,
        name: &PasskeyName,
    ) -> Result<bool, StorageError>;
    /// Deletes a passkey; returns whether the person had it.
    async fn delete(&mut self, user_id: UserId, id: PasskeyId) -> Result<bool, StorageError>;
}

/// Stores pending ceremonies.
#[async_trait]
pub trait PasskeyCeremonyRepository: Send {
    /// Stores a ceremony.
    async fn insert(&mut self, ceremony: &PasskeyCeremony) -> Result<(), StorageError>;
    /// Deletes the ceremony with this challenge and returns it, expired or not; at most one of several
    /// concurrent calls returns it. MUST be one statement.
    async fn take(&mut self, challenge: &SecretHash) -> Result<Option<PasskeyCeremony>, StorageError>;
    /// Deletes at most `limit` ceremonies that expired before this time; returns their number.
    async fn delete_expired(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
}
