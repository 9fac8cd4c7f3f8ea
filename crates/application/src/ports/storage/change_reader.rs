//! What changed of a person's records, read outside a transaction.

use super::StorageError;
pub use crate::read::change_page::{Change, ChangePage, ChangePageQuery};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
#[cfg(feature = "test-support")]
use mockall::automock;

/// Answers what changed.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait ChangeReader: Send + Sync {
    /// Returns one page.
    ///
    /// A change that was committed MUST be on the page when its position lies in it, and none may appear later at
    /// or before the last position of a page that was returned. The cost grows with the page.
    /// A copy of the store that lags behind MUST NOT say that a position is ahead: the store that is written to says.
    async fn changes(&self, query: ChangePageQuery) -> Result<ChangePage, StorageError>;
    /// Forgets at most `limit` deletions that happened before this moment; returns how many.
    async fn forget_deletions(&self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
}
