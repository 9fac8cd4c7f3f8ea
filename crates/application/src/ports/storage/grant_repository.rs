//! Grants and their refresh tokens.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::grant::{Grant, RevocationReason, UsedFrom};
use domain::id::{ClientId, GrantId, UserId};
use domain::secret::SecretHash;
use domain::user::UserStatus;
#[cfg(feature = "test-support")]
use mockall::automock;
use std::ops::RangeInclusive;

/// A grant together with whether its person's account can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantWithUser {
    /// The grant, live or revoked.
    pub grant: Grant,
    /// The state of its person's account.
    pub user_status: UserStatus,
}

/// Reads grants outside a transaction.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait GrantReader: Send + Sync {
    /// Returns the grant whose refresh token has this hash, in one round trip; `None` if there is none. Runs on every
    /// refresh.
    ///
    /// `user_id`, when the caller knows it, only narrows where the store looks first: a grant of another
    /// person MUST be found as well, so that the caller can tell a wrong `user_id` from an unknown token.
    async fn find_by_refresh_token(
        &self,
        hash: &SecretHash,
        user_id: Option<UserId>,
    ) -> Result<Option<GrantWithUser>, StorageError>;
    /// Lists the grants that match, live and revoked, by ascending id, those after `after`, at most `limit`.
    async fn list_grants(
        &self,
        filter: GrantFilter,
        after: Option<GrantId>,
        limit: u32,
    ) -> Result<Vec<Grant>, StorageError>;
}

/// Which grants are meant; what is not named matches all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GrantFilter {
    /// Only this person's.
    pub user_id: Option<UserId>,
    /// Only this client's.
    pub client_id: Option<ClientId>,
    /// Only this one.
    pub id: Option<GrantId>,
    /// Only those made before this moment.
    pub created_before: Option<DateTime<Utc>>,
}

/// Keeps grants.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait GrantRepository: Send {
    /// Stores a grant; MUST fail with `Conflict(Grant)` when its id or refresh token is taken.
    async fn insert(&mut self, grant: &Grant) -> Result<(), StorageError>;
    /// Notes that a refresh token was used, and from where; a later moment than the stored one wins.
    async fn record_use(
        &mut self,
        user_id: UserId,
        id: GrantId,
        at: DateTime<Utc>,
        from: &UsedFrom,
    ) -> Result<(), StorageError>;
    /// Revokes the live grants that match; returns how many there were.
    async fn revoke(
        &mut self,
        filter: GrantFilter,
        at: DateTime<Utc>,
        reason: RevocationReason,
    ) -> Result<u64, StorageError>;
    /// Revokes the live grants of these people, from the first id to the last, that were made before this moment, with
    /// the reason `Operator`; returns how many. For the operator's invalidation alone.
    async fn revoke_created_before(
        &mut self,
        people: RangeInclusive<UserId>,
        before: DateTime<Utc>,
        at: DateTime<Utc>,
    ) -> Result<u64, StorageError>;
    /// Deletes grants that were revoked before this moment, at most `limit`; returns how many.
    async fn delete_revoked(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
    /// Revokes the live grants of this client and person beyond the `keep` most recently used (one that was
    /// never used counts from when it was made; ties by id); returns how many, with the reason `TooManyGrants`.
    async fn revoke_excess(
        &mut self,
        client_id: ClientId,
        user_id: UserId,
        keep: usize,
        at: DateTime<Utc>,
    ) -> Result<u64, StorageError>;
}
