//! Authorization codes, in a unit of work.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::audit::AuditEvent;
use domain::code::AuthorizationCode;
use domain::grant::Grant;
use domain::id::UserId;
use domain::secret::SecretHash;
use domain::user::UserStatus;
#[cfg(feature = "test-support")]
use mockall::automock;

/// A code whose person is held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldCode {
    /// The code, used or not, expired or not.
    pub code: AuthorizationCode,
    /// The state of its person's account.
    pub user_status: UserStatus,
}

/// Keeps authorization codes by their hash.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait CodeRepository: Send {
    /// Stores a code; MUST fail with `Conflict(Code)` when its hash is taken.
    async fn insert(&mut self, code: &AuthorizationCode) -> Result<(), StorageError>;
    /// Returns the code with this hash, used or not, expired or not, or nothing.
    async fn find(&mut self, hash: &SecretHash) -> Result<Option<AuthorizationCode>, StorageError>;
    /// Returns the code with this hash, or nothing, and holds its person until the end of the unit of work as
    /// [`UserRepository::find`](super::UserRepository::find) does, in one round trip.
    ///
    /// The account is as it is once the person is held. The code MAY be as it was before the wait for that: only
    /// [`redeem`](Self::redeem) tells whether it is still good.
    async fn find_and_hold(&mut self, hash: &SecretHash) -> Result<Option<HeldCode>, StorageError>;
    /// Marks a code as redeemed into this grant if it is still `Issued` and the grant was made before its end, stores the
    /// grant and the event about it, and returns how many live grants its client and person have now, this one
    /// included. Returns nothing, and stores nothing, when the code is not good any more.
    ///
    /// The mark MUST be one conditional statement: of many racing calls, over many processes, exactly one stores its
    /// grant, and a loser waits until the winner's transaction has ended. MUST fail with `Conflict(Grant)` when the
    /// grant's id or refresh token is taken; the unit of work is then rolled back, because it may hold a part. The number
    /// is exact when the person is held. All of it costs one round trip.
    async fn redeem(
        &mut self,
        hash: &SecretHash,
        grant: &Grant,
        event: &AuditEvent,
    ) -> Result<Option<usize>, StorageError>;
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
