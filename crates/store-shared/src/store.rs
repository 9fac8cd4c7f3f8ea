//! Reads of either store.

use crate::row::{Stored, values};
use crate::statement::{Change, Raw, Read};
use application::ports::storage::StorageError;
use async_trait::async_trait;

/// Statements outside of a unit of work. A retry runs a query again; changes are not retried.
#[async_trait]
pub trait Store: Send + Sync {
    /// Whether grants are partitioned by person, so that `refresh_token` leads to the partition of each.
    const IS_PARTITIONED: bool;

    /// Loads the first row of a query; `None` if there is none.
    async fn load_row<T: Send + 'static, Q: Read<T>>(&self, query: Q) -> Result<Option<T>, StorageError>;

    /// Loads a few rows.
    async fn load_rows<T: Send + 'static, Q: Read<T>>(&self, query: Q) -> Result<Vec<T>, StorageError>;

    /// Loads the few rows of a small table, with less delay than [`load_rows`](Self::load_rows).
    async fn load_few<T: Send + 'static, Q: Read<T>>(&self, query: Q) -> Result<Vec<T>, StorageError>;

    /// Runs a statement in a separate transaction; returns the number of changed rows.
    async fn change<Q: Change>(&self, query: Q) -> Result<u64, StorageError>;

    /// Runs statements in one separate transaction.
    async fn change_all(&self, queries: Vec<Raw>) -> Result<(), StorageError>;

    /// Reads the value of a query's first row; `None` if there is none.
    async fn read<T: Stored, Q: Read<T>>(&self, query: Q) -> Result<Option<T::Value>, StorageError> {
        self.load_row(query).await?.map(T::into_value).transpose()
    }

    /// Reads the value of every row of a query.
    async fn read_all<T: Stored, Q: Read<T>>(&self, query: Q) -> Result<Vec<T::Value>, StorageError> {
        values(self.load_rows(query).await?)
    }
}
