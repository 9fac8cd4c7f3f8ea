//! Password hashes and one-time password links.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::id::UserId;
use domain::password::PasswordHash;
use domain::password_link::PasswordLink;
use domain::secret::SecretHash;
use domain::user::{Email, UserStatus};
#[cfg(feature = "test-support")]
use mockall::automock;

/// Stored credentials for a sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    /// Owner's id.
    pub user_id: UserId,
    /// Status of the account.
    pub status: UserStatus,
    /// Password hash; `None` if none was chosen.
    pub password: Option<PasswordHash>,
}

/// Reads credentials outside a transaction.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait CredentialReader: Send + Sync {
    /// Returns the credentials of the account with this address (ignoring case) in one round trip; `None` if
    /// there is none.
    async fn find_credentials(&self, email: &Email) -> Result<Option<Credentials>, StorageError>;
}

/// Stores password hashes, at most one per user.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait PasswordRepository: Send {
    /// Returns a user's password hash; `None` if there is none. MUST lock it against other units of work
    /// until this one ends.
    async fn find(&mut self, user_id: UserId) -> Result<Option<PasswordHash>, StorageError>;
    /// Stores the hash of an existing user, and replaces an earlier one.
    async fn set(
        &mut self,
        user_id: UserId,
        hash: &PasswordHash,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError>;
    /// Deletes the hash, so that no password opens the account; returns whether there was one. MUST lock as
    /// [`find`](Self::find) does.
    async fn delete(&mut self, user_id: UserId) -> Result<bool, StorageError>;
    /// Replaces `old` with a hash of the same password with better parameters (security.md T86); returns
    /// whether `old` was still stored. MUST be one conditional statement, so that it never overwrites another
    /// change.
    async fn rehash(
        &mut self,
        user_id: UserId,
        old: &PasswordHash,
        new: &PasswordHash,
    ) -> Result<bool, StorageError>;
}

/// A one-time link and its account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasswordLinkWithAccount {
    /// The link, expired or not.
    pub link: PasswordLink,
    /// Email address and status of the account; `None` for a sign-up link.
    pub account: Option<(Email, UserStatus)>,
}

/// Reads one-time links outside a transaction.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait PasswordLinkReader: Send + Sync {
    /// Returns the link with this hash, in one round trip; `None` if there is none.
    async fn find_password_link(
        &self,
        hash: &SecretHash,
    ) -> Result<Option<PasswordLinkWithAccount>, StorageError>;
}

/// Stores one-time links by their hash.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait PasswordLinkRepository: Send {
    /// Stores a link.
    async fn insert(&mut self, link: &PasswordLink) -> Result<(), StorageError>;
    /// Returns the link with this hash, expired or not; `None` if there is none.
    async fn find(&mut self, hash: &SecretHash) -> Result<Option<PasswordLink>, StorageError>;
    /// Deletes the link with this hash and returns it, expired or not.
    ///
    /// MUST be one statement: exactly one of several concurrent calls, across processes, gets the link.
    async fn consume(&mut self, hash: &SecretHash) -> Result<Option<PasswordLink>, StorageError>;
    /// Deletes all links of a user; returns their number.
    async fn delete_of_user(&mut self, user_id: UserId) -> Result<u64, StorageError>;
    /// Deletes all sign-up links for this address (ignoring case); returns their number.
    async fn delete_sign_ups(&mut self, email: &Email) -> Result<u64, StorageError>;
    /// Deletes at most `limit` links that expired before this time; returns their number.
    async fn delete_expired(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
    /// Deletes at most `limit` links of any purpose; returns their number. Only for the operator's
    /// invalidation.
    async fn delete_any(&mut self, limit: u32) -> Result<u64, StorageError>;
}
