//! Grants and their refresh tokens.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::grant::{Grant, RevocationReason, UsedFrom};
use domain::id::{ClientId, GrantId, UserId};
use domain::refresh_token::{Rotation, RotationOutcome};
use domain::secret::SecretHash;
use domain::user::UserStatus;
#[cfg(feature = "test-support")]
use mockall::automock;
use std::ops::RangeInclusive;

/// A grant and the status of its user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantWithUser {
    /// The grant, live or revoked.
    pub grant: Grant,
    /// Status of its user.
    pub user_status: UserStatus,
}

/// Reads grants outside a transaction.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait GrantReader: Send + Sync {
    /// Returns the grant whose refresh token has this lookup hash, in one round trip; `None` if there is
    /// none. Runs on every refresh.
    ///
    /// `user_id`, if given, is only a hint for the store. A grant of another user MUST be found
    /// too, so that the caller can distinguish a wrong `user_id` from an unknown token.
    async fn find_by_refresh_token(
        &self,
        hash: &SecretHash,
        user_id: Option<UserId>,
    ) -> Result<Option<GrantWithUser>, StorageError>;
    /// Lists matching grants after `after`, live and revoked, by ascending id; at most `limit`.
    async fn list_grants(
        &self,
        filter: GrantFilter,
        after: Option<GrantId>,
        limit: u32,
    ) -> Result<Vec<Grant>, StorageError>;
    /// Returns the number of live grants of a client, but at most `limit`.
    async fn count_live_grants(&self, client_id: ClientId, limit: u32) -> Result<u32, StorageError>;
}

/// Grant filter; `None` matches all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GrantFilter {
    /// Grants of this user.
    pub user_id: Option<UserId>,
    /// Grants of this client.
    pub client_id: Option<ClientId>,
    /// This grant.
    pub id: Option<GrantId>,
    /// Grants created before this time.
    pub created_before: Option<DateTime<Utc>>,
}

/// Stores grants.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait GrantRepository: Send {
    /// Stores a grant; MUST fail with `Conflict(Grant)` if its id or refresh token is taken.
    async fn insert(&mut self, grant: &Grant) -> Result<(), StorageError>;
    /// Records the last use of a refresh token and its origin; the later time wins.
    async fn record_use(
        &mut self,
        user_id: UserId,
        id: GrantId,
        at: DateTime<Utc>,
        from: &UsedFrom,
    ) -> Result<(), StorageError>;
    /// Replaces a rotating refresh token, or revokes its grant with the reason `TokenReused` if it was
    /// replaced before ([`RotationOutcome`]). A token that is not the newest is accepted only if the newest
    /// replaced it at or after `rotation.window_start()`, which also means that the newest is unused.
    ///
    /// MUST be one conditional statement: exactly one of several concurrent calls with the newest token
    /// replaces it, and the others return what it stored. Does not change a grant that is not live or whose
    /// token does not rotate.
    async fn rotate(&mut self, rotation: &Rotation) -> Result<RotationOutcome, StorageError>;
    /// Revokes the matching live grants; returns their number.
    async fn revoke(
        &mut self,
        filter: GrantFilter,
        at: DateTime<Utc>,
        reason: RevocationReason,
    ) -> Result<u64, StorageError>;
    /// Revokes the live grants of this range of users that were created before `before`, with the reason
    /// `Operator`; returns their number. Only for the operator's invalidation.
    async fn revoke_created_before(
        &mut self,
        people: RangeInclusive<UserId>,
        before: DateTime<Utc>,
        at: DateTime<Utc>,
    ) -> Result<u64, StorageError>;
    /// Deletes at most `limit` grants that were revoked before this time; returns their number.
    async fn delete_revoked(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
    /// Revokes the live grants of this client and user except for the `keep` most recently used, with the
    /// reason `TooManyGrants`; returns their number. Unused grants are ordered by creation time, ties by id.
    async fn revoke_excess(
        &mut self,
        client_id: ClientId,
        user_id: UserId,
        keep: usize,
        at: DateTime<Utc>,
    ) -> Result<u64, StorageError>;
}
