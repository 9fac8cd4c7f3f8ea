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

/// A code and its user, whose row is locked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeWithUser {
    /// The code, used or not, expired or not.
    pub code: AuthorizationCode,
    /// Status of its user.
    pub user_status: UserStatus,
}

/// Stores authorization codes by their hash.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait CodeRepository: Send {
    /// Stores a code; MUST fail with `Conflict(Code)` if its hash is taken.
    async fn insert(&mut self, code: &AuthorizationCode) -> Result<(), StorageError>;
    /// Returns the code with this hash, used or not, expired or not; `None` if there is none.
    async fn find(&mut self, hash: &SecretHash) -> Result<Option<AuthorizationCode>, StorageError>;
    /// Returns the code with this hash, and locks its user until the unit of work ends as
    /// [`UserRepository::find`](super::UserRepository::find) does; one round trip.
    ///
    /// The status is read under the lock. The code MAY be as it was before the wait for the lock: only
    /// [`redeem`](Self::redeem) decides whether it is still valid.
    async fn find_and_lock(&mut self, hash: &SecretHash) -> Result<Option<CodeWithUser>, StorageError>;
    /// Marks a code as redeemed into this grant if it is still `Issued` and the grant was created before its
    /// expiry. Stores the grant and its event, and returns the number of live grants of client and user,
    /// including this one. Returns `None` and stores nothing if the code is no longer valid.
    ///
    /// The mark MUST be one conditional statement: exactly one of several concurrent calls, across processes,
    /// stores its grant, and the others wait for its transaction to end. MUST fail with `Conflict(Grant)` if
    /// the grant's id or refresh token is taken; the unit of work must then be rolled back, because it may be
    /// incomplete. The number is exact if the user is locked. Takes one round trip.
    async fn redeem(
        &mut self,
        hash: &SecretHash,
        grant: &Grant,
        event: &AuditEvent,
    ) -> Result<Option<usize>, StorageError>;
    /// Deletes unredeemed codes issued before this time, of one user or of all (security.md T17). Returns
    /// their number.
    async fn discard_unredeemed(
        &mut self,
        user_id: Option<UserId>,
        issued_before: DateTime<Utc>,
    ) -> Result<u64, StorageError>;
    /// Deletes at most `limit` codes that expired before this time; returns their number.
    async fn delete_expired(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
}
