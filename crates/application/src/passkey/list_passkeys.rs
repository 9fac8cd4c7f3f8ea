//! Lists a person's passkeys.

use crate::ports::storage::{PasskeyReader, StorageError};
use domain::id::UserId;
use domain::passkey::Passkey;
use std::sync::Arc;

/// Lists passkeys.
pub struct ListPasskeys {
    reader: Arc<dyn PasskeyReader>,
}

impl ListPasskeys {
    /// Creates the use case.
    pub fn new(reader: Arc<dyn PasskeyReader>) -> Self {
        Self { reader }
    }

    /// Returns the passkeys, oldest first.
    pub async fn run(&self, user_id: UserId) -> Result<Vec<Passkey>, StorageError> {
        self.reader.list_passkeys(user_id).await
    }
}
