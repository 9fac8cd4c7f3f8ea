//! Passwords, by their hashes, and the one-time links with which they are chosen.

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

/// What a sign-in is checked against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    /// Owner's id.
    pub user_id: UserId,
    /// Whether the account can be used.
    pub status: UserStatus,
    /// The hash of the password; nothing while none was chosen.
    pub password: Option<PasswordHash>,
}

/// Answers what a sign-in is checked against, outside a transaction.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait CredentialReader: Send + Sync {
    /// Returns the credentials of the account with this address, case aside, in one round trip, or nothing.
    async fn find_credentials(&self, email: &Email) -> Result<Option<Credentials>, StorageError>;
}

/// Keeps password hashes, at most one a person.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait PasswordRepository: Send {
    /// Returns the hash of a person's password, or nothing. It MUST NOT be changed by another unit of work before
    /// this one ends.
    async fn find(&mut self, user_id: UserId) -> Result<Option<PasswordHash>, StorageError>;
    /// Stores the hash of a person who exists, instead of an earlier one.
    async fn set(
        &mut self,
        user_id: UserId,
        hash: &PasswordHash,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError>;
    /// Puts a hash of the same password with better parameters in the place of `old` (security.md T86); returns
    /// whether `old` was still the one. MUST be one conditional statement, so that it never undoes a change.
    async fn rehash(
        &mut self,
        user_id: UserId,
        old: &PasswordHash,
        new: &PasswordHash,
    ) -> Result<bool, StorageError>;
}

/// A one-time link and the account that it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasswordLinkWithAccount {
    /// The link, expired or not.
    pub link: PasswordLink,
    /// Email address and status of the account; `None` for a link to sign up.
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

/// Keeps one-time links by their hash.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait PasswordLinkRepository: Send {
    /// Stores a link.
    async fn insert(&mut self, link: &PasswordLink) -> Result<(), StorageError>;
    /// Returns the link with this hash, expired or not, or nothing.
    async fn find(&mut self, hash: &SecretHash) -> Result<Option<PasswordLink>, StorageError>;
    /// Deletes the link with this hash and returns it, expired or not.
    ///
    /// MUST be one statement: of many racing calls, over many processes, exactly one gets the link.
    async fn consume(&mut self, hash: &SecretHash) -> Result<Option<PasswordLink>, StorageError>;
    /// Deletes every link of a person; returns how many.
    async fn delete_of_user(&mut self, user_id: UserId) -> Result<u64, StorageError>;
    /// Deletes every link to sign up with this address, whatever the case of its letters; returns how many.
    async fn delete_sign_ups(&mut self, email: &Email) -> Result<u64, StorageError>;
    /// Deletes links that ended before this moment, at most `limit`; returns how many.
    async fn delete_expired(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
    /// Deletes links whatever they are for, at most `limit`; returns how many. For the operator's invalidation alone.
    async fn delete_any(&mut self, limit: u32) -> Result<u64, StorageError>;
}
