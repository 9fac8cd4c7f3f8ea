//! Intake logs, in a unit of work.

use super::StorageError;
use async_trait::async_trait;
use domain::id::{IntakeLogId, UserId};
use domain::supplement::{IntakeLog, IntakeLogRecord};
#[cfg(feature = "test-support")]
use mockall::automock;

/// Keeps intake logs. Every write takes the next number of the person's changes (see [`SleepRepository`]).
///
/// [`SleepRepository`]: super::SleepRepository
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait IntakeLogRepository: Send {
    /// Returns the logs that any of these records might be.
    ///
    /// MUST hold every log of this person that has the external key of one of the records, or its supplement and
    /// time; may hold more. In no order.
    async fn find_candidates(
        &mut self,
        user_id: UserId,
        records: &[IntakeLogRecord],
    ) -> Result<Vec<IntakeLog>, StorageError>;
    /// Returns the logs with these ids that this person has, in no order.
    async fn find_many(
        &mut self,
        user_id: UserId,
        ids: &[IntakeLogId],
    ) -> Result<Vec<IntakeLog>, StorageError>;
    /// Stores new logs; MUST fail with `Conflict(IntakeLog)`, and store none, when an id or external key is taken.
    async fn insert(&mut self, user_id: UserId, logs: &[IntakeLog]) -> Result<(), StorageError>;
    /// Overwrites a log; returns whether it exists.
    async fn update(&mut self, user_id: UserId, log: &IntakeLog) -> Result<bool, StorageError>;
    /// Deletes logs; returns how many there were.
    async fn delete(&mut self, user_id: UserId, ids: &[IntakeLogId]) -> Result<u64, StorageError>;
}
