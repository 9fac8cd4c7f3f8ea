//! Personal access tokens.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::id::{PersonalTokenId, UserId};
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
