//! New days of sandbox people: every hour, on one replica at a time.

use super::{LeasedJob, every};
use application::ports::storage::StorageError;
use application::sandbox::AddSandboxRecords;
use std::time::Duration;

/// Interval of checking whether the job is due.
const LOOK: Duration = Duration::from_mins(1);

/// Adds the records of new days when it is due and no other replica does it.
pub(crate) struct SandboxDays {
    add: AddSandboxRecords,
    job: LeasedJob,
}

impl SandboxDays {
    pub(crate) const fn new(add: AddSandboxRecords, job: LeasedJob) -> Self {
        Self { add, job }
    }

    /// Runs for as long as the server runs.
    pub(super) async fn keep(&self) {
        let mut ticks = every(LOOK);
        let mut was_well = true;
        loop {
            ticks.tick().await;
            let outcome = self.turn().await;
            if let Err(error) = &outcome
                && was_well
            {
                tracing::warn!(%error, "sandbox people did not get new records; trying again every minute");
            }
            was_well = outcome.is_ok();
        }
    }

    async fn turn(&self) -> Result<(), StorageError> {
        if let Some(records) = self.job.run(self.add.run()).await?
            && records > 0
        {
            tracing::info!(records, "added the new days of sandbox people");
        }
        Ok(())
    }
}
