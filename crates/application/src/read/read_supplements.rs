//! Reads a page of what a person takes.

use crate::ports::storage::{StorageError, SupplementPage, SupplementPageQuery, SupplementReader};
use std::sync::Arc;

/// Reads supplements and their logs.
pub struct ReadSupplements {
    reader: Arc<dyn SupplementReader>,
}

impl ReadSupplements {
    /// Takes the port.
    pub fn new(reader: Arc<dyn SupplementReader>) -> Self {
        Self { reader }
    }

    /// Returns the page; the store's connection is free again when it does.
    pub async fn run(&self, query: SupplementPageQuery) -> Result<SupplementPage, StorageError> {
        self.reader.page(query).await
    }
}
