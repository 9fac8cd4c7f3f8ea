//! Reads of either store.

use crate::statement::{Find, Rows};
use application::ports::storage::StorageError;
use async_trait::async_trait;

/// Reads outside of a transaction.
#[async_trait]
pub trait Store: Send + Sync {
    /// Reads a row by a unique key; `None` if there is none.
    async fn find<T: Send + 'static, Q: Find<T>>(&self, query: Q) -> Result<Option<T>, StorageError>;

    /// Reads a few rows. A retry runs the query again.
    async fn list<T: Send + 'static, Q: Rows<T> + Clone + Sync>(
        &self,
        query: Q,
    ) -> Result<Vec<T>, StorageError>;

    /// Reads the few rows of a small table, with less delay than [`list`](Self::list).
    async fn list_few<T: Send + 'static, Q: Rows<T> + Clone + Sync>(
        &self,
        query: Q,
    ) -> Result<Vec<T>, StorageError>;
}
