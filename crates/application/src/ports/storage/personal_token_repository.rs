//! Personal access tokens, and the apps that a person is connected with.

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
    /// Lists a person's tokens, live or not, the youngest first, ties by id.
    async fn list_personal_tokens(&self, user_id: UserId) -> Result<Vec<PersonalToken>, StorageError>;
}

/// Keeps personal access tokens.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait PersonalTokenRepository: Send {
    /// Stores a token of a person who exists; MUST fail with `Conflict(PersonalToken)` when its id or hash is taken.
    async fn insert(&mut self, token: &PersonalToken) -> Result<(), StorageError>;
    /// Lists a person's tokens as [`PersonalTokenReader`] does.
    async fn list(&mut self, user_id: UserId) -> Result<Vec<PersonalToken>, StorageError>;
    /// Revokes a person's token that is not revoked yet, or all of them when none is named; returns how many.
    async fn revoke(
        &mut self,
        user_id: UserId,
        id: Option<PersonalTokenId>,
        at: DateTime<Utc>,
    ) -> Result<u64, StorageError>;
    /// Deletes tokens that were revoked or ended before this moment, at most `limit`; returns how many.
    async fn delete_ended(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
    /// Revokes the tokens of these people, from the first id to the last, that were made before this moment; returns
    /// how many. For the operator's invalidation alone.
    async fn revoke_created_before(
        &mut self,
        people: RangeInclusive<UserId>,
        before: DateTime<Utc>,
        at: DateTime<Utc>,
    ) -> Result<u64, StorageError>;
}

/// Answers which apps hold what of a person, outside a transaction.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait ConnectedAppReader: Send + Sync {
    /// Lists the apps with live grants or a remembered consent of this person, by name, ties by id: whatever the person
    /// can take back.
    async fn list_connected_apps(&self, user_id: UserId) -> Result<Vec<ConnectedApp>, StorageError>;
    /// Returns for each of these apps in which minute it last read of this person, up to the moment beside it, whether or
    /// not it holds anything still: in the same order, nothing where it never did or it is not kept any more.
    async fn list_last_reads(
        &self,
        user_id: UserId,
        until: &[(ClientId, DateTime<Utc>)],
    ) -> Result<Vec<Option<DateTime<Utc>>>, StorageError>;
}
