//! Sleep sessions, in a unit of work.

use super::StorageError;
use async_trait::async_trait;
use domain::id::{SleepSessionId, UserId};
use domain::sleep::{SleepRecordHead, SleepSession};
#[cfg(feature = "test-support")]
use mockall::automock;

/// Keeps sleep sessions.
///
/// Every write takes the next number of the person's changes for all that it wrote (`domain::change`): it holds the
/// person's row until the unit of work ends, so that numbers grow in the order of commits. A deletion leaves its id
/// and number behind.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait SleepRepository: Send {
    /// Returns the sessions that any of these records might be, or might replace.
    ///
    /// MUST hold every session of this person that has the source and the key of one of the records, and every
    /// one with a derived key that has the source of one of them and overlaps it in time. Sessions whose source gave
    /// them a key may overlap in any number: of those that overlap a record with a derived key, have its source, and
    /// start and end in the same minutes, MUST hold the first by start and id with stages and the first without, and
    /// no more; of other ones whose source gave them another key, none. In no order.
    async fn find_candidates(
        &mut self,
        user_id: UserId,
        records: &[SleepRecordHead],
    ) -> Result<Vec<SleepSession>, StorageError>;
    /// Returns the sessions with these ids that this person has, in no order.
    async fn find_many(
        &mut self,
        user_id: UserId,
        ids: &[SleepSessionId],
    ) -> Result<Vec<SleepSession>, StorageError>;
    /// Stores new sessions; MUST fail with `Conflict(SleepSession)`, and store none of them, when an id or a
    /// key (person, source, key) is taken.
    async fn insert(&mut self, user_id: UserId, sessions: &[SleepSession]) -> Result<(), StorageError>;
    /// Overwrites a session, its start included; returns whether it exists. MUST fail with
    /// `Conflict(SleepSession)` when its new key is taken.
    async fn update(&mut self, user_id: UserId, session: &SleepSession) -> Result<bool, StorageError>;
    /// Deletes sessions; returns how many there were.
    async fn delete(&mut self, user_id: UserId, ids: &[SleepSessionId]) -> Result<u64, StorageError>;
}
