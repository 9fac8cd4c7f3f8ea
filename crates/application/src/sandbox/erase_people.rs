//! Erases sandbox people together.

use crate::erasure::{ErasePerson, ErasePersonCommand, ErasePersonError};
use crate::ports::storage::{Erasure, SandboxReader, StorageError};
use derive_more::Constructor;
use domain::id::UserId;
use std::sync::Arc;

/// Erases sandbox people.
#[derive(Constructor)]
pub struct EraseSandboxPeople {
    reader: Arc<dyn SandboxReader>,
    erase: ErasePerson,
}

impl EraseSandboxPeople {
    /// Erases all sandbox people of a developer, or for the operator (`None`) all that exist, and returns
    /// their receipts. Each is erased in a transaction; after an error the others are left.
    pub async fn run(&self, owner: Option<UserId>) -> Result<Vec<Erasure>, StorageError> {
        let mut receipts = Vec::new();
        for person in self.reader.list_sandbox_people(owner).await? {
            let command = ErasePersonCommand::OfSandbox { user_id: person.user_id, owner };
            match self.erase.run(command).await {
                Ok(erasure) => receipts.push(erasure),
                Err(ErasePersonError::Storage(error)) => return Err(error),
                // The person was erased concurrently.
                Err(
                    ErasePersonError::NotFound | ErasePersonError::NotFresh | ErasePersonError::SessionEnded,
                ) => {}
            }
        }
        Ok(receipts)
    }
}
