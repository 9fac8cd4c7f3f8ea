//! Sign-ins that wait for their second step.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::id::UserId;
use domain::pending_sign_in::PendingSignIn;
use domain::secret::SecretHash;
use domain::user::Email;
#[cfg(feature = "test-support")]
use mockall::automock;

/// A pending sign-in with the address of its account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingSignInWithEmail {
    /// The sign-in, expired or not.
    pub pending: PendingSignIn,
    /// The account's email address; shown only to its owner.
    pub email: Email,
}

/// Reads pending sign-ins outside a transaction.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait PendingSignInReader: Send + Sync {
    /// Returns the pending sign-in of the browser whose cookie has this hash; `None` if there is none.
    async fn find_pending_sign_in(
        &self,
        cookie_hash: &SecretHash,
    ) -> Result<Option<PendingSignInWithEmail>, StorageError>;
}

/// Stores pending sign-ins.
#[async_trait]
pub trait PendingSignInRepository: Send {
    /// Stores a new pending sign-in of an existing user.
    async fn insert(&mut self, pending: &PendingSignIn) -> Result<(), StorageError>;
    /// Deletes the pending sign-in of a browser and returns it, expired or not.
    ///
    /// MUST be one statement: exactly one of several concurrent calls, across processes, gets it.
    async fn consume(&mut self, cookie_hash: &SecretHash) -> Result<Option<PendingSignIn>, StorageError>;
    /// Deletes all pending sign-ins of a user; returns their number.
    async fn delete_of_user(&mut self, user_id: UserId) -> Result<u64, StorageError>;
    /// Deletes at most `limit` pending sign-ins that expired before this time; returns their number.
    async fn delete_expired(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
}
