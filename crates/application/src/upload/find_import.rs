//! Finds an import of a user.

use super::UploadKey;
use crate::ports::storage::{Import, ImportReader, StorageError};
use domain::id::ImportId;
use std::sync::Arc;

/// Finds imports, with their progress and report.
pub struct FindImport {
    reader: Arc<dyn ImportReader>,
}

impl FindImport {
    /// Creates the use case.
    pub fn new(reader: Arc<dyn ImportReader>) -> Self {
        Self { reader }
    }

    /// Returns the import with this id, of any user; only for the operator. `None` if there is none.
    pub async fn run_for_operator(&self, id: ImportId) -> Result<Option<Import>, StorageError> {
        self.reader.find_import(id).await
    }

    /// Returns an import of this user, uploaded or not; `None` if there is none or it belongs to another
    /// user.
    pub async fn run(&self, key: UploadKey) -> Result<Option<Import>, StorageError> {
        let found = self.run_for_operator(key.id).await?;
        Ok(found.filter(|import| import.user_id == Some(key.user_id)))
    }
}
