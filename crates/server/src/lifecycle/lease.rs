//! A job that runs on one replica at a time.

use application::ports::storage::{Job, JobLeases, StorageError};
use chrono::TimeDelta;
use derive_more::Constructor;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;
use uuid::Uuid;

/// Time from a failed run to the next.
const AFTER_FAILURE: TimeDelta = TimeDelta::minutes(1);
/// Duration of the lease; a replica that stops extending it loses the job.
const LEASE_DURATION: TimeDelta = TimeDelta::seconds(30);
/// Interval of extending the lease.
const RENEWAL_INTERVAL: Duration = Duration::from_secs(10);

/// A job and the lease under which this process runs it.
#[derive(Constructor)]
pub(crate) struct LeasedJob {
    job: Job,
    /// Time from the end of a run until the job is due again.
    every: TimeDelta,
    leases: Arc<dyn JobLeases>,
    holder: Uuid,
}

impl LeasedJob {
    /// Does the work if the job is due and no other replica does it, and returns the result; `None` if it was
    /// not due, or if another replica has taken it over.
    pub(super) async fn run<T>(
        &self,
        work: impl Future<Output = Result<T, StorageError>>,
    ) -> Result<Option<T>, StorageError> {
        if !self.leases.take(self.job, self.holder, LEASE_DURATION).await? {
            return Ok(None);
        }
        let outcome = tokio::select! {
            outcome = work => outcome,
            () = self.until_lost() => return Ok(None),
        };
        let due_after = if outcome.is_ok() { self.every } else { AFTER_FAILURE };
        self.leases.finish(self.job, self.holder, due_after).await?;
        outcome.map(Some)
    }

    /// Extends the lease; returns when another replica has it. Store failures are ignored: by the time the
    /// lease ends, the work fails as well.
    async fn until_lost(&self) {
        loop {
            sleep(RENEWAL_INTERVAL).await;
            if matches!(self.leases.renew(self.job, self.holder, LEASE_DURATION).await, Ok(false)) {
                tracing::warn!(
                    job = self.job.as_str(),
                    "another server took over a job, because this one did not extend its lease in time"
                );
                return;
            }
        }
    }
}
