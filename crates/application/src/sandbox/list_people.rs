//! Lists sandbox people.

use crate::ports::storage::{SandboxReader, StorageError};
use derive_more::Constructor;
use domain::id::UserId;
use domain::sandbox::SandboxPerson;
use std::sync::Arc;

/// Lists sandbox people.
#[derive(Constructor)]
pub struct ListSandboxPeople {
    reader: Arc<dyn SandboxReader>,
}

impl ListSandboxPeople {
    /// Lists the sandbox people of a developer, or for the operator (`None`) all that exist, by ascending id.
    pub async fn run(&self, owner: Option<UserId>) -> Result<Vec<SandboxPerson>, StorageError> {
        self.reader.list_sandbox_people(owner).await
    }
}
