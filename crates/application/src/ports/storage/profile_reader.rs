//! Profiles, outside a transaction.

use super::StorageError;
use async_trait::async_trait;
use domain::id::UserId;
use domain::user::User;
#[cfg(feature = "test-support")]
use mockall::automock;

/// Answers what a person's profile says.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait ProfileReader: Send + Sync {
    /// Returns a person with their profile, in one round trip, or nothing.
    async fn find_profile(&self, user_id: UserId) -> Result<Option<User>, StorageError>;
}
