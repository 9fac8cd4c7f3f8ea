//! Users with their profiles, read outside a transaction.

use super::StorageError;
use async_trait::async_trait;
use domain::id::UserId;
use domain::user::{ProfileSource, User};
#[cfg(feature = "test-support")]
use mockall::automock;

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
