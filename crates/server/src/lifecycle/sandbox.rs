//! New days of sandbox people: every hour, on one replica at a time.

use super::{Errors, LeasedJob, every};
use application::ports::storage::StorageError;
use application::sandbox::SandboxPeople;
use derive_more::Constructor;
use std::time::Duration;

/// Interval of checking whether the job is due.
const CHECK_INTERVAL: Duration = Duration::from_mins(1);

/// Adds the records of new days when it is due and no other replica does it.
#[derive(Constructor)]
pub(crate) struct SandboxDays {
    people: SandboxPeople,
    job: LeasedJob,
}

impl SandboxDays {
    /// Runs for as long as the server runs.
    pub(super) async fn run(&self) {
        let mut ticks = every(CHECK_INTERVAL);
        let mut errors = Errors::default();
        loop {
            ticks.tick().await;
            if let Some(error) = errors.first(self.turn().await) {
                tracing::warn!(%error, "could not add records for sandbox people; trying again every minute");
            }
        }
    }

    async fn turn(&self) -> Result<(), StorageError> {
        if let Some(records) = self.job.run(self.people.add_days()).await?
            && records > 0
        {
            tracing::info!(records, "added new records for sandbox people");
        }
        Ok(())
    }
}
