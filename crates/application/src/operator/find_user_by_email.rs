//! Finds the user with an email address.

use crate::ports::storage::{CredentialReader, StorageError};
use domain::id::UserId;
use domain::user::Email;
use std::sync::Arc;

/// Finds the user with an email address.
pub struct FindUserByEmail {
    reader: Arc<dyn CredentialReader>,
}

impl FindUserByEmail {
    /// Creates the use case.
    pub fn new(reader: Arc<dyn CredentialReader>) -> Self {
        Self { reader }
    }

    /// Returns the id of the user with this address, ignoring case; `None` if there is none.
    pub async fn run(&self, email: &Email) -> Result<Option<UserId>, StorageError> {
        let found = self.reader.find_credentials(email).await?;
        Ok(found.map(|credentials| credentials.user_id))
    }
}
