//! Jobs that one of many processes does at a time.

use super::StorageError;
use async_trait::async_trait;
use chrono::TimeDelta;
#[cfg(feature = "test-support")]
use mockall::automock;
use uuid::Uuid;

/// A job that one process at a time does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Job {
    /// Deleting what has expired.
    Housekeeping,
}

impl Job {
    /// Returns the name under which the store knows the job; it never changes.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Housekeeping => "housekeeping",
        }
    }
}

/// Gives a job to one process at a time, by the store's own clock: that of a process may be wrong.
///
/// A lease saves work, it protects nothing: a process that was paused may go on with a job that another one has taken
/// since. What is done under a lease must be right when two do it.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait JobLeases: Send + Sync {
    /// Takes a job that is due and that nobody else holds, for this long; returns whether it did.
    ///
    /// A job that was never taken is due. Of many racing calls, over many processes, exactly one takes it (MUST). What
    /// its holder did not prolong in time is free, so that the job of a process that died is taken over.
    async fn take(&self, job: Job, holder: Uuid, hold_for: TimeDelta) -> Result<bool, StorageError>;
    /// Holds a job for this long from now on; returns whether it is still this holder's.
    async fn prolong(&self, job: Job, holder: Uuid, hold_for: TimeDelta) -> Result<bool, StorageError>;
    /// Gives a job back that is due again after this time; nothing happens when it is not this holder's any more.
    async fn finish(&self, job: Job, holder: Uuid, due_after: TimeDelta) -> Result<(), StorageError>;
}
