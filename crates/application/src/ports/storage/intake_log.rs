//! Intake logs, in a unit of work.

use super::StorageError;
use async_trait::async_trait;
use domain::id::{IntakeLogId, UserId};
use domain::supplement::{IntakeLog, IntakeLogRecord};
#[cfg(feature = "test-support")]
use mockall::automock;

/// Stores intake logs. Every write uses the next change number of the user (see [`SleepRepository`]).
///
/// [`SleepRepository`]: super::SleepRepository
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait IntakeLogRepository: Send {
    /// Returns the logs that may match any of these records, unordered.
    ///
    /// MUST include every log of this user with the external key of a record, or with its supplement and
    /// time; may include others.
    async fn find_candidates(
        &mut self,
        user_id: UserId,
        records: &[IntakeLogRecord],
    ) -> Result<Vec<IntakeLog>, StorageError>;
    /// Returns this user's logs with these ids, unordered.
    async fn find_many(
        &mut self,
        user_id: UserId,
        ids: &[IntakeLogId],
    ) -> Result<Vec<IntakeLog>, StorageError>;
    /// Stores new logs; MUST fail with `Conflict(IntakeLog)` and store none if an id or external key is
    /// taken.
    async fn insert(&mut self, user_id: UserId, logs: &[IntakeLog]) -> Result<(), StorageError>;
    /// Overwrites a log; returns whether it exists.
    async fn update(&mut self, user_id: UserId, log: &IntakeLog) -> Result<bool, StorageError>;
    /// Deletes logs; returns their number.
    async fn delete(&mut self, user_id: UserId, ids: &[IntakeLogId]) -> Result<u64, StorageError>;
}
