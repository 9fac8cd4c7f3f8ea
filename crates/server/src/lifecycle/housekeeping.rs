//! Schedule of housekeeping: once an hour, on one replica at a time.

use super::{Cleaning, Errors, LeasedJob, every};
use application::ports::storage::{StorageError, StoreUpkeep};
use derive_more::Constructor;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Interval of checking whether housekeeping is due.
const CHECK_INTERVAL: Duration = Duration::from_secs(10);

/// Deletion of expired rows when it is due and no other replica does it.
#[derive(Constructor)]
pub(crate) struct Housekeeping {
    cleaning: Cleaning,
    job: LeasedJob,
    upkeep: Arc<dyn StoreUpkeep>,
}

impl Housekeeping {
    /// Runs housekeeping for as long as the server runs.
    pub(super) async fn run(&self) {
        let mut ticks = every(CHECK_INTERVAL);
        let mut errors = Errors::default();
        loop {
            ticks.tick().await;
            if let Some(error) = errors.first(self.turn().await) {
                tracing::warn!(%error, "expired rows were not deleted; trying again every minute");
            }
        }
    }

    async fn turn(&self) -> Result<(), StorageError> {
        let began = Instant::now();
        let Some(deleted) = self.job.run(self.cleaning.run()).await? else { return Ok(()) };
        log_deleted(deleted, began.elapsed());
        // A log that a reader holds open is emptied by the next run, or when this process ends.
        if let Err(error) = self.upkeep.empty_log().await {
            tracing::warn!(%error, "the write-ahead log of the store was not emptied; trying again in an hour");
        }
        Ok(())
    }
}

fn log_deleted(deleted: impl tracing::Value, took: Duration) {
    let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    tracing::info!(deleted, milliseconds, "deleted expired rows");
}
