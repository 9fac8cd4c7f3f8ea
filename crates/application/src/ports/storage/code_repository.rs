//! Authorization codes, in a unit of work.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::code::AuthorizationCode;
use domain::id::{GrantId, UserId};
use domain::secret::SecretHash;
#[cfg(feature = "test-support")]
use mockall::automock;

/// Keeps authorization codes by their hash.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait CodeRepository: Send {
    /// Stores a code; MUST fail with `Conflict(Code)` when its hash is taken.
    async fn insert(&mut self, code: &AuthorizationCode) -> Result<(), StorageError>;
    /// Returns the code with this hash, used or not, expired or not, or nothing.
    async fn find(&mut self, hash: &SecretHash) -> Result<Option<AuthorizationCode>, StorageError>;
    /// Marks a code as redeemed into this grant if it is still `Issued` and `now` is before its end.
    ///
    /// MUST be one conditional statement: of many racing calls, over many processes, exactly one gets `true`,
    /// and a loser waits until the winner's transaction has ended.
    async fn consume(
        &mut self,
        hash: &SecretHash,
        grant_id: GrantId,
        now: DateTime<Utc>,
    ) -> Result<bool, StorageError>;
    /// Deletes codes that were issued before this moment and never redeemed: those of one person, or of everybody
    /// (security.md T17). Returns how many.
    async fn discard_unredeemed(
        &mut self,
        user_id: Option<UserId>,
        issued_before: DateTime<Utc>,
    ) -> Result<u64, StorageError>;
    /// Deletes codes that ended before this moment, at most `limit`; returns how many.
    async fn delete_expired(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
}
