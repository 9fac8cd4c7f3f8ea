//! Sleep sessions, read as packed rows outside a transaction.

use super::StorageError;
pub use crate::read::sleep_page::{PackedPart, PackedSleepRow, SleepPage, SleepPageQuery};
use async_trait::async_trait;
use domain::id::{SleepSessionId, UserId};
use domain::sleep::SleepSession;
#[cfg(feature = "test-support")]
use mockall::automock;

/// A session's start, in milliseconds since 1970-01-01 UTC, and its id: an export resumes after it.
pub type SleepPosition = (i64, SleepSessionId);

/// Reads a person's sessions.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait SleepReader: Send + Sync {
    /// Returns one page in one statement; a page past the end is empty.
    ///
    /// Before its own rows are read, a page far back MUST cost no more than a skip over index keys. No connection is
    /// held when this returns.
    async fn page(&self, query: SleepPageQuery) -> Result<SleepPage, StorageError>;
    /// Returns the sessions after a position (start in milliseconds, id), oldest first, at most `limit`, whole.
    async fn walk(
        &self,
        user_id: UserId,
        after: Option<SleepPosition>,
        limit: u32,
    ) -> Result<Vec<SleepSession>, StorageError>;
}
