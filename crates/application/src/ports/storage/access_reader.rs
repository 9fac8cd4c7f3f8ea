//! The access check: does what a token stands on still stand?

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::id::{ClientId, GrantId, PersonalTokenId, UserId};
use domain::scope::ScopeSet;
use domain::secret::SecretHash;
use domain::time::TimeZone;
#[cfg(feature = "test-support")]
use mockall::automock;

/// What stands behind an access token of a person at this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessState {
    /// The client that holds the grant.
    pub client_id: ClientId,
    /// What the grant allows.
    pub scopes: ScopeSet,
    /// Whether grant, client and person are all live: not revoked, not disabled, not locked.
    pub is_live: bool,
    /// Since when it is not; the earliest of the reasons. Only measured, never judged by.
    pub ended_at: Option<DateTime<Utc>>,
    /// The person's zone, so that a date costs no second query.
    pub home_timezone: TimeZone,
}

/// What stands behind a personal access token at this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PersonalAccess {
    /// The token.
    pub token_id: PersonalTokenId,
    /// Whose data it opens.
    pub user_id: UserId,
    /// What it allows.
    pub scopes: ScopeSet,
    /// Whether it is not revoked and its person's account can be used.
    pub is_live: bool,
    /// Since when it is not; the earliest of the reasons. Only measured, never judged by.
    pub ended_at: Option<DateTime<Utc>>,
    /// From when on it counts no more.
    pub expires_at: Option<DateTime<Utc>>,
    /// The person's zone, so that a date costs no second query.
    pub home_timezone: TimeZone,
}

/// Answers the access check, outside a transaction: asked on every data request.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait AccessReader: Send + Sync {
    /// Returns what stands behind a grant of this person, in one round trip; nothing when the grant does not
    /// exist, or belongs to another person.
    ///
    /// May be up to one second old (decisions 3), no older.
    async fn find_access(
        &self,
        user_id: UserId,
        grant_id: GrantId,
    ) -> Result<Option<AccessState>, StorageError>;
    /// Returns what stands behind the personal access token with this hash, in one round trip, or nothing.
    ///
    /// May be up to one second old as well.
    async fn find_personal_access(&self, hash: &SecretHash) -> Result<Option<PersonalAccess>, StorageError>;
}
