//! Sandbox people.

use super::StorageError;
use async_trait::async_trait;
use chrono::NaiveDate;
use domain::id::UserId;
use domain::sandbox::SandboxPerson;
#[cfg(feature = "test-support")]
use mockall::automock;

/// Stores which users are sandbox people. A row MUST be deleted with its user.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait SandboxRepository: Send {
    /// Marks an existing user, who has no password and no records yet, as a sandbox person.
    async fn insert(&mut self, person: &SandboxPerson) -> Result<(), StorageError>;
    /// Returns the sandbox person with this id; `None` if there is no such user, or a real one.
    async fn find(&mut self, user_id: UserId) -> Result<Option<SandboxPerson>, StorageError>;
    /// Stores the last day that has records; returns whether the sandbox person exists.
    async fn set_records_until(&mut self, user_id: UserId, day: NaiveDate) -> Result<bool, StorageError>;
    /// Lists the sandbox people of a developer by ascending id.
    async fn list_of_owner(&mut self, owner: UserId) -> Result<Vec<UserId>, StorageError>;
}

/// Reads sandbox people outside a transaction.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait SandboxReader: Send + Sync {
    /// Lists the sandbox people by ascending id: those of a developer, or all of them.
    async fn list_sandbox_people(&self, owner: Option<UserId>) -> Result<Vec<SandboxPerson>, StorageError>;
}
