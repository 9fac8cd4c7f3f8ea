//! Reads a page of a person's sleep sessions.

use crate::ports::storage::{SleepPage, SleepPageQuery, SleepReader, StorageError};
use std::sync::Arc;

/// Reads sleep sessions.
pub struct ReadSleep {
    reader: Arc<dyn SleepReader>,
}

impl ReadSleep {
    /// Takes the port.
    pub fn new(reader: Arc<dyn SleepReader>) -> Self {
        Self { reader }
    }

    /// Returns the page; the store's connection is free again when it does.
    pub async fn run(&self, query: SleepPageQuery) -> Result<SleepPage, StorageError> {
        self.reader.page(query).await
    }
}
