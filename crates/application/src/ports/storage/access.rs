//! The state behind a token, for access checks.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::id::{ClientId, GrantId, PersonalTokenId, UserId};
use domain::scope::ScopeSet;
use domain::secret::SecretHash;
use domain::time::TimeZone;
#[cfg(feature = "test-support")]
use mockall::automock;

/// Current state of the grant of a user's access token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessState {
    /// The client that holds the grant.
    pub client_id: ClientId,
    /// Scopes of the grant.
    pub scopes: ScopeSet,
    /// Whether grant, client and user are all active.
    pub is_live: bool,
    /// Time since when it is not live, for the earliest reason. For metrics only.
    pub ended_at: Option<DateTime<Utc>>,
    /// The user's time zone, which saves a second query.
    pub home_timezone: TimeZone,
}

/// Current state of a personal access token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PersonalAccess {
    /// Id of the token.
    pub token_id: PersonalTokenId,
    /// User whose data it gives access to.
    pub user_id: UserId,
    /// Scopes of the token.
    pub scopes: ScopeSet,
    /// Whether it is not revoked and its user is active.
    pub is_live: bool,
    /// Time since when it is not live, for the earliest reason. For metrics only.
    pub ended_at: Option<DateTime<Utc>>,
    /// Expiry; `None` if it never expires.
    pub expires_at: Option<DateTime<Utc>>,
    /// The user's time zone, which saves a second query.
    pub home_timezone: TimeZone,
}

/// Access checks outside a transaction; called on every data request.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait AccessReader: Send + Sync {
    /// Returns the state of a grant in one round trip; `None` if it does not exist or belongs to another
    /// user.
    ///
    /// The state may be up to one second old (decisions 3), not older.
    async fn find_access(
        &self,
        user_id: UserId,
        grant_id: GrantId,
    ) -> Result<Option<AccessState>, StorageError>;
    /// Returns the state of the personal access token with this hash in one round trip; `None` if there is
    /// none.
    ///
    /// The state may be up to one second old.
    async fn find_personal_access(&self, hash: &SecretHash) -> Result<Option<PersonalAccess>, StorageError>;
}
