//! Lists sandbox people.

use crate::ports::storage::{SandboxReader, StorageError};
use domain::id::UserId;
use domain::sandbox::SandboxPerson;
use std::sync::Arc;

/// Lists sandbox people.
pub struct ListSandboxPeople {
    reader: Arc<dyn SandboxReader>,
}

impl ListSandboxPeople {
    /// Creates the use case.
    pub fn new(reader: Arc<dyn SandboxReader>) -> Self {
        Self { reader }
    }

    /// Lists the sandbox people of a developer, or for the operator (`None`) all that exist, by ascending id.
    pub async fn run(&self, owner: Option<UserId>) -> Result<Vec<SandboxPerson>, StorageError> {
        self.reader.list_sandbox_people(owner).await
    }
}
