//! Leases for jobs that run on one process at a time.

use super::StorageError;
use async_trait::async_trait;
use chrono::TimeDelta;
use uuid::Uuid;

/// A job that runs on one process at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Job {
    /// Deletes expired rows.
    Housekeeping,
    /// Sends webhook events.
    Webhooks,
    /// Adds the records of new days to sandbox people.
    Sandbox,
}

impl Job {
    /// Returns the stored name of the job; it never changes.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Housekeeping => "housekeeping",
            Self::Webhooks => "webhooks",
            Self::Sandbox => "sandbox",
        }
    }
}

/// Leases of jobs, timed by the store's clock, because a process's clock may be wrong.
///
/// A lease saves work but is not a lock: a paused process may continue a job that another one has taken
/// since. Jobs must be correct when two processes run them.
#[async_trait]
pub trait JobLeases: Send + Sync {
    /// Leases a job that is due and free, for this long; returns whether it succeeded.
    ///
    /// A job that never ran is due. Exactly one of several concurrent calls, across processes, succeeds
    /// (MUST). A lease that is not renewed in time ends, so that another process takes over the job of a
    /// crashed one.
    async fn take(&self, job: Job, holder: Uuid, hold_for: TimeDelta) -> Result<bool, StorageError>;
    /// Extends the lease to this long from now; returns whether it is still held.
    async fn renew(&self, job: Job, holder: Uuid, hold_for: TimeDelta) -> Result<bool, StorageError>;
    /// Releases a job and makes it due again after this time; does nothing if the lease was lost.
    async fn finish(&self, job: Job, holder: Uuid, due_after: TimeDelta) -> Result<(), StorageError>;
}
