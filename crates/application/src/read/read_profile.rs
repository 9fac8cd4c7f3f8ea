//! Reads a person's profile.

use crate::ports::storage::{ProfileReader, StorageError};
use domain::id::UserId;
use domain::user::User;
use std::sync::Arc;

/// Reads profiles.
pub struct ReadProfile {
    reader: Arc<dyn ProfileReader>,
}

impl ReadProfile {
    /// Takes the port.
    pub fn new(reader: Arc<dyn ProfileReader>) -> Self {
        Self { reader }
    }

    /// Returns the person, or nothing when they were deleted a moment ago.
    pub async fn run(&self, user_id: UserId) -> Result<Option<User>, StorageError> {
        self.reader.find_profile(user_id).await
    }
}
