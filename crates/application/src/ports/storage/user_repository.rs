//! People, in a unit of work.

use super::StorageError;
use async_trait::async_trait;
use domain::id::UserId;
use domain::user::{Email, User};
#[cfg(feature = "test-support")]
use mockall::automock;

/// Keeps people with their profiles.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait UserRepository: Send {
    /// Stores a new person; MUST fail with `Conflict(UserId)` or `Conflict(UserEmail)` when taken.
    async fn insert(&mut self, user: &User) -> Result<(), StorageError>;
    /// Returns a person, or nothing. Whoever was found MUST NOT be changed by another unit of work before this one
    /// ends, so that an `update` with what was found undoes nothing.
    async fn find(&mut self, id: UserId) -> Result<Option<User>, StorageError>;
    /// Returns the person with this address, case aside, or nothing.
    async fn find_by_email(&mut self, email: &Email) -> Result<Option<User>, StorageError>;
    /// Overwrites everything but the id, and numbers the change of the profile (see
    /// [`SleepRepository`](super::SleepRepository)); returns whether the person exists. MUST fail with
    /// `Conflict(UserEmail)` when the new address is taken.
    async fn update(&mut self, user: &User) -> Result<bool, StorageError>;
    /// Deletes a person and, MUST, everything stored under their id: profile, password, links, signed-in
    /// browsers, requests, consents, tokens, codes, grants, sums of reads, sleep sessions, intake logs. The audit
    /// trail stays: it holds ids alone. Returns whether the person existed.
    async fn delete(&mut self, id: UserId) -> Result<bool, StorageError>;
}
