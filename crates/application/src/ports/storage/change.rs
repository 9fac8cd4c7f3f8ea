//! Changes to a user's records, read outside a transaction.

use super::StorageError;
pub use crate::model::change_page::{Change, ChangePage, ChangePageQuery};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
#[cfg(feature = "test-support")]
use mockall::automock;

/// Reads changes.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait ChangeReader: Send + Sync {
    /// Returns one page.
    ///
    /// A committed change MUST be on the page if its position lies in it. No change may appear later at or
    /// before the last position of a returned page. The cost grows with the page.
    ///
    /// A lagging replica MUST NOT report a position as ahead: only the primary decides that.
    async fn changes(&self, query: ChangePageQuery) -> Result<ChangePage, StorageError>;
    /// Deletes at most `limit` deletion records from before this time; returns their number.
    async fn forget_deletions(&self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
}
