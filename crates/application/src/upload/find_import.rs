//! Finds an import of a person.

use super::UploadKey;
use crate::ports::storage::{Import, StorageError, UnitOfWorkFactory};
use domain::id::ImportId;
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

    /// Returns the import with this id, whoever's it is: for the operator alone; nothing when there is none.
    pub async fn of_anybody(&self, id: ImportId) -> Result<Option<Import>, StorageError> {
        let mut unit = self.units.begin().await?;
        let found = unit.imports().find(id).await?;
        unit.rollback().await?;
        Ok(found)
    }

    /// Returns an import of this person, uploaded or not; nothing when there is none, or when it is another's.
    pub async fn run(&self, key: UploadKey) -> Result<Option<Import>, StorageError> {
        let found = self.of_anybody(key.id).await?;
        Ok(found.filter(|import| import.user_id == Some(key.user_id)))
    }
}
