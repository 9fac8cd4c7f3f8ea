//! Finds labels by bar code.

use crate::ports::storage::{CatalogueVersion, StorageError, SupplementReader};
use domain::supplement::Upc;
use std::sync::Arc;

/// Finds labels by bar code.
pub struct FindLabels {
    reader: Arc<dyn SupplementReader>,
}

impl FindLabels {
    /// Creates the use case.
    pub fn new(reader: Arc<dyn SupplementReader>) -> Self {
        Self { reader }
    }

    /// Returns all versions, current or replaced, whose label has this code in any spelling: by ascending
    /// key, the current version of a key first.
    pub async fn run(&self, upc: &Upc) -> Result<Vec<CatalogueVersion>, StorageError> {
        self.reader.list_by_upc(upc).await
    }
}
