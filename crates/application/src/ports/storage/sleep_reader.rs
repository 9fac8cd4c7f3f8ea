//! Sleep sessions, read as packed rows outside a transaction.

use super::StorageError;
pub use crate::model::sleep_page::{PackedPart, PackedSleepRow, SleepPage, SleepPageQuery};
use async_trait::async_trait;
use domain::id::{SleepSessionId, UserId};
use domain::sleep::SleepSession;
#[cfg(feature = "test-support")]
use mockall::automock;

impl PackedSleepRow {
    /// Returns the error for a part that cannot be decoded.
    pub fn corrupt(&self, part: PackedPart) -> StorageError {
        let column = match part {
            PackedPart::Stages => "stages",
            PackedPart::Metrics => "metrics",
        };
        StorageError::Corrupt { table: "sleep_session", column, row: self.id.to_string() }
    }
}

/// Start in milliseconds since 1970-01-01 UTC and id of a session, after which an export resumes.
pub type SleepPosition = (i64, SleepSessionId);

/// Reads a user's sessions.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait SleepReader: Send + Sync {
    /// Returns one page in one statement; a page past the end is empty.
    ///
    /// Apart from reading its own rows, a deep page MUST cost no more than skipping index keys. No connection
    /// is held on return.
    async fn page(&self, query: SleepPageQuery) -> Result<SleepPage, StorageError>;
    /// Returns this user's session with this id; `None` if there is none.
    async fn find(&self, user_id: UserId, id: SleepSessionId) -> Result<Option<SleepSession>, StorageError>;
    /// Returns at most `limit` whole sessions after a position (start in milliseconds, id), oldest first.
    async fn walk(
        &self,
        user_id: UserId,
        after: Option<SleepPosition>,
        limit: u32,
    ) -> Result<Vec<SleepSession>, StorageError>;
}
