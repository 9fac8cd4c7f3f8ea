//! Sleep sessions, in a unit of work.

use super::StorageError;
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
