//! Lists a person's passkeys.

use crate::ports::storage::{PasskeyReader, StorageError};
use derive_more::Constructor;
use domain::id::UserId;
use domain::passkey::Passkey;
use std::sync::Arc;

/// Lists passkeys.
#[derive(Constructor)]
pub struct ListPasskeys {
    reader: Arc<dyn PasskeyReader>,
}

impl ListPasskeys {
    /// Returns the passkeys, oldest first.
    pub async fn run(&self, user_id: UserId) -> Result<Vec<Passkey>, StorageError> {
        self.reader.list_passkeys(user_id).await
    }
}
