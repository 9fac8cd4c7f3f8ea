//! Finds an import of a user.

use super::UploadKey;
use crate::ports::storage::{Import, ImportReader, StorageError};
use derive_more::Constructor;
use std::sync::Arc;

/// Finds imports, with their progress and report.
#[derive(Constructor)]
pub struct FindImport {
    reader: Arc<dyn ImportReader>,
}

impl FindImport {
    /// Returns an import of this user, uploaded or not; `None` if there is none or it belongs to another
    /// user.
    pub async fn run(&self, key: UploadKey) -> Result<Option<Import>, StorageError> {
        let found = self.reader.find_import(key.id).await?;
        Ok(found.filter(|import| import.user_id == Some(key.user_id)))
    }
}
