//! Users with their profiles.

use super::StorageError;
use async_trait::async_trait;
use domain::id::UserId;
use domain::user::{Email, ProfileSource, User};
#[cfg(feature = "test-support")]
use mockall::automock;

/// Stores users with their profiles.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait UserRepository: Send {
    /// Stores a new user; MUST fail with `Conflict(UserId)` or `Conflict(UserEmail)` if taken.
    async fn insert(&mut self, user: &User) -> Result<(), StorageError>;
    /// Returns a user; `None` if there is none. MUST lock the user until this unit of work ends, so that an
    /// `update` loses nothing.
    async fn find(&mut self, id: UserId) -> Result<Option<User>, StorageError>;
    /// Returns the user with this address (ignoring case); `None` if there is none.
    async fn find_by_email(&mut self, email: &Email) -> Result<Option<User>, StorageError>;
    /// Overwrites everything except the id, and numbers the profile change (see
    /// [`SleepRepository`](super::SleepRepository)); returns whether the user exists. MUST fail with
    /// `Conflict(UserEmail)` if the new address is taken.
    async fn update(&mut self, user: &User) -> Result<bool, StorageError>;
    /// Stores sources of values of the profile; MUST replace an earlier source of the same field.
    async fn record_sources(&mut self, id: UserId, sources: &[ProfileSource]) -> Result<(), StorageError>;
    /// Deletes a user and, MUST, everything stored under their id: profile, password, links, sessions,
    /// requests, consents, tokens, codes, grants, read tallies, sleep sessions, intake logs. Keeps the audit
    /// trail, which contains only ids. Returns whether the user existed.
    async fn delete(&mut self, id: UserId) -> Result<bool, StorageError>;
}

/// Reads users with their profiles.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait ProfileReader: Send + Sync {
    /// Returns a user in one round trip; `None` if there is none.
    async fn find_profile(&self, user_id: UserId) -> Result<Option<User>, StorageError>;
    /// Lists the sources of the values of a user's profile, unordered: at most one for each field.
    async fn list_sources(&self, user_id: UserId) -> Result<Vec<ProfileSource>, StorageError>;
    /// Lists users after `after` by ascending id, at most `limit`.
    async fn list_profiles(&self, after: Option<UserId>, limit: u32) -> Result<Vec<User>, StorageError>;
}
