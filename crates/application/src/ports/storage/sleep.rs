//! Sleep sessions.

use super::StorageError;
pub use crate::model::sleep_page::{PackedPart, PackedSleepRow, SleepPage, SleepPageQuery};
use async_trait::async_trait;
use domain::id::{SleepSessionId, UserId};
use domain::sleep::{SleepRecordHead, SleepSession};
#[cfg(feature = "test-support")]
use mockall::automock;

/// Stores sleep sessions.
///
/// Every write uses the next change number of the user for all rows that it writes (`domain::change`). It
/// locks the user's row until the unit of work ends, so that numbers grow in commit order. A deletion keeps
/// the id and the number.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait SleepRepository: Send {
    /// Returns the sessions that may match or be replaced by any of these records, unordered.
    ///
    /// MUST include every session of this user with source and key of a record, and every one with a derived
    /// key that has the source of a record and overlaps it. Any number of sessions with source keys may
    /// overlap. Of those that overlap a record with a derived key, have its source, and start and end in the
    /// same minutes, MUST include exactly the first by start and id with stages and the first without.
    /// Includes no other sessions with another source key.
    async fn find_candidates(
        &mut self,
        user_id: UserId,
        records: &[SleepRecordHead],
    ) -> Result<Vec<SleepSession>, StorageError>;
    /// Returns this user's sessions with these ids, unordered.
    async fn find_many(
        &mut self,
        user_id: UserId,
        ids: &[SleepSessionId],
    ) -> Result<Vec<SleepSession>, StorageError>;
    /// Stores new sessions; MUST fail with `Conflict(SleepSession)` and store none if an id or a key (user,
    /// source, key) is taken.
    async fn insert(&mut self, user_id: UserId, sessions: &[SleepSession]) -> Result<(), StorageError>;
    /// Overwrites a session, including its start; returns whether it exists. MUST fail with
    /// `Conflict(SleepSession)` if its new key is taken.
    async fn update(&mut self, user_id: UserId, session: &SleepSession) -> Result<bool, StorageError>;
    /// Deletes sessions; returns their number.
    async fn delete(&mut self, user_id: UserId, ids: &[SleepSessionId]) -> Result<u64, StorageError>;
}

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
