//! A job that runs on one replica at a time.

use application::ports::storage::{Job, JobLeases, StorageError};
use chrono::TimeDelta;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;
use uuid::Uuid;

/// Time from a failed run to the next.
const AFTER_FAILURE: TimeDelta = TimeDelta::minutes(1);
/// Duration of the lease; a replica that stopped extending it loses the job.
const HELD_FOR: TimeDelta = TimeDelta::seconds(30);
/// Interval of extending the lease.
const PROLONG: Duration = Duration::from_secs(10);

/// A job and the lease under which this process runs it.
pub(crate) struct LeasedJob {
    job: Job,
    every: TimeDelta,
    leases: Arc<dyn JobLeases>,
    holder: Uuid,
}

impl LeasedJob {
    /// Creates a job that is due again this long after its end.
    pub(crate) fn new(job: Job, every: TimeDelta, leases: Arc<dyn JobLeases>, holder: Uuid) -> Self {
        Self { job, every, leases, holder }
    }

    /// Does the work if the job is due and no other replica does it, and returns the result; `None` if it was
    /// not due, or if another replica has taken it over.
    pub(super) async fn run<T>(
        &self,
        work: impl Future<Output = Result<T, StorageError>>,
    ) -> Result<Option<T>, StorageError> {
        if !self.leases.take(self.job, self.holder, HELD_FOR).await? {
            return Ok(None);
        }
        let outcome = tokio::select! {
            outcome = work => outcome,
            () = self.lost() => return Ok(None),
        };
        let due_after = if outcome.is_ok() { self.every } else { AFTER_FAILURE };
        self.leases.finish(self.job, self.holder, due_after).await?;
        outcome.map(Some)
    }

    /// Extends the lease; returns when another replica has it. Store failures are ignored: by the time the
    /// lease ends, the work fails as well.
    async fn lost(&self) {
        loop {
            sleep(PROLONG).await;
            if matches!(self.leases.prolong(self.job, self.holder, HELD_FOR).await, Ok(false)) {
                tracing::warn!(
                    job = self.job.as_str(),
                    "another server took over a job, because this one did not extend its lease in time"
                );
                return;
            }
        }
    }
}
