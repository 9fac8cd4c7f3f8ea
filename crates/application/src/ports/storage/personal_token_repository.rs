//! Personal access tokens, and a user's connected apps.

use super::StorageError;
pub use crate::connection::connected_app::ConnectedApp;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::id::{ClientId, PersonalTokenId, UserId};
use domain::personal_token::PersonalToken;
#[cfg(feature = "test-support")]
use mockall::automock;
use std::ops::RangeInclusive;

/// Reads personal access tokens outside a transaction.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait PersonalTokenReader: Send + Sync {
    /// Lists a user's tokens, live or not, newest first, ties by id.
    async fn list_personal_tokens(&self, user_id: UserId) -> Result<Vec<PersonalToken>, StorageError>;
}

/// Stores personal access tokens.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait PersonalTokenRepository: Send {
    /// Stores a token of an existing user; MUST fail with `Conflict(PersonalToken)` if its id or hash is
    /// taken.
    async fn insert(&mut self, token: &PersonalToken) -> Result<(), StorageError>;
    /// Lists a user's tokens as [`PersonalTokenReader`] does.
    async fn list(&mut self, user_id: UserId) -> Result<Vec<PersonalToken>, StorageError>;
    /// Revokes one unrevoked token of a user, or all if `id` is `None`; returns their number.
    async fn revoke(
        &mut self,
        user_id: UserId,
        id: Option<PersonalTokenId>,
        at: DateTime<Utc>,
    ) -> Result<u64, StorageError>;
    /// Deletes at most `limit` tokens that were revoked or expired before this time; returns their number.
    async fn delete_ended(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
    /// Revokes the tokens of this range of users that were created before `before`; returns their number.
    /// Only for the operator's invalidation.
    async fn revoke_created_before(
        &mut self,
        people: RangeInclusive<UserId>,
        before: DateTime<Utc>,
        at: DateTime<Utc>,
    ) -> Result<u64, StorageError>;
}

/// Reads a user's connected apps outside a transaction.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait ConnectedAppReader: Send + Sync {
    /// Lists the apps with live grants or a remembered consent of this user, by name, ties by id.
    async fn list_connected_apps(&self, user_id: UserId) -> Result<Vec<ConnectedApp>, StorageError>;
    /// Returns the minute of the last read of each app up to the given time, in the same order, even for apps
    /// without access. `None` if it never read or the tally was deleted.
    async fn list_last_reads(
        &self,
        user_id: UserId,
        until: &[(ClientId, DateTime<Utc>)],
    ) -> Result<Vec<Option<DateTime<Utc>>>, StorageError>;
}
