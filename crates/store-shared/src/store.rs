//! Reads of either store.

use crate::row::{Stored, values};
use crate::statement::Read;
use application::ports::storage::StorageError;
use async_trait::async_trait;
use domain::id::UserId;
use domain::time::TimeZone;
use domain::user::{Email, UserStatus};

/// Part of an account that sessions, links and sign-ins need.
#[derive(Debug)]
pub struct Account {
    /// Email address.
    pub email: Email,
    /// Zone of the person's home.
    pub home_timezone: TimeZone,
    /// Whether the account is locked.
    pub status: UserStatus,
}

/// Reads outside of a transaction. A retry runs the query again.
#[async_trait]
pub trait Store: Send + Sync {
    /// Loads the first row of a query; `None` if there is none.
    async fn load_row<T: Send + 'static, Q: Read<T>>(&self, query: Q) -> Result<Option<T>, StorageError>;

    /// Loads a few rows.
    async fn load_rows<T: Send + 'static, Q: Read<T>>(&self, query: Q) -> Result<Vec<T>, StorageError>;

    /// Loads the few rows of a small table, with less delay than [`load_rows`](Self::load_rows).
    async fn load_few<T: Send + 'static, Q: Read<T>>(&self, query: Q) -> Result<Vec<T>, StorageError>;

    /// Finds the account of a session, link or sign-in.
    async fn find_account(&self, user_id: UserId) -> Result<Option<Account>, StorageError>;

    /// Reads the value of a query's first row; `None` if there is none.
    async fn read<T: Stored, Q: Read<T>>(&self, query: Q) -> Result<Option<T::Value>, StorageError> {
        self.load_row(query).await?.map(T::into_value).transpose()
    }

    /// Reads the value of every row of a query.
    async fn read_all<T: Stored, Q: Read<T>>(&self, query: Q) -> Result<Vec<T::Value>, StorageError> {
        values(self.load_rows(query).await?)
    }
}
