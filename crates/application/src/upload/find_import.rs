//! Finds an import of a person.

use super::UploadKey;
use crate::ports::storage::{Import, StorageError, UnitOfWorkFactory};
use std::sync::Arc;

/// Finds imports: how far they are, and what they did.
pub struct FindImport {
    units: Arc<dyn UnitOfWorkFactory>,
}

impl FindImport {
    /// Takes the port.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>) -> Self {
        Self { units }
    }

    /// Returns an import of this person, uploaded or not; nothing when there is none, or when it is another's.
    pub async fn run(&self, key: UploadKey) -> Result<Option<Import>, StorageError> {
        let mut unit = self.units.begin().await?;
        let found = unit.imports().find(key.id).await?;
        unit.rollback().await?;
        Ok(found.filter(|import| import.user_id == Some(key.user_id)))
    }
}
