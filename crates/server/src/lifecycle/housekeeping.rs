//! Schedule of housekeeping: once an hour, on one replica at a time.

use super::{Cleaning, every};
use application::ports::storage::{Job, JobLeases, StorageError, StoreUpkeep};
use chrono::TimeDelta;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::sleep;
use uuid::Uuid;

/// Interval of checking whether housekeeping is due.
const LOOK: Duration = Duration::from_secs(10);
/// Time from the end of one run to the next.
const EVERY: TimeDelta = TimeDelta::hours(1);
/// Time from a failed run to the next.
const AFTER_FAILURE: TimeDelta = TimeDelta::minutes(1);
/// Duration of the lease; a replica that stopped extending it loses the job.
const HELD_FOR: TimeDelta = TimeDelta::seconds(30);
/// Interval of extending the lease.
const PROLONG: Duration = Duration::from_secs(10);

/// Deletion of expired rows when it is due and no other replica does it.
pub(crate) struct Housekeeping {
    cleaning: Cleaning,
    leases: Arc<dyn JobLeases>,
    upkeep: Arc<dyn StoreUpkeep>,
    holder: Uuid,
}

impl Housekeeping {
    pub(crate) fn new(
        cleaning: Cleaning,
        leases: Arc<dyn JobLeases>,
        upkeep: Arc<dyn StoreUpkeep>,
        holder: Uuid,
    ) -> Self {
        Self { cleaning, leases, upkeep, holder }
    }

    /// Runs housekeeping for as long as the server runs.
    pub(super) async fn keep(&self) {
        let mut ticks = every(LOOK);
        let mut was_well = true;
        loop {
            ticks.tick().await;
            let outcome = self.turn().await;
            if let Err(error) = &outcome
                && was_well
            {
                tracing::warn!(%error, "expired rows were not deleted; trying again every minute");
            }
            was_well = outcome.is_ok();
        }
    }

    async fn turn(&self) -> Result<(), StorageError> {
        if !self.leases.take(Job::Housekeeping, self.holder, HELD_FOR).await? {
            return Ok(());
        }
        let began = Instant::now();
        let outcome = tokio::select! {
            outcome = self.cleaning.run() => outcome,
            () = self.lost() => return Ok(()),
        };
        let due_after = if outcome.is_ok() { EVERY } else { AFTER_FAILURE };
        self.leases.finish(Job::Housekeeping, self.holder, due_after).await?;
        log_deleted(outcome?, began.elapsed());
        // A log that a reader holds open is emptied by the next run, or when this process ends.
        if let Err(error) = self.upkeep.empty_log().await {
            tracing::warn!(%error, "the write-ahead log of the store was not emptied; trying again in an hour");
        }
        Ok(())
    }

    /// Extends the lease; returns when another replica has it. Store failures are ignored: by the time the
    /// lease ends, deleting fails as well.
    async fn lost(&self) {
        loop {
            sleep(PROLONG).await;
            if matches!(self.leases.prolong(Job::Housekeeping, self.holder, HELD_FOR).await, Ok(false)) {
                tracing::warn!(
                    "another server took over housekeeping, because this one did not extend its lease in time"
                );
                return;
            }
        }
    }
}

fn log_deleted(deleted: impl tracing::Value, took: Duration) {
    let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    tracing::info!(deleted, milliseconds, "deleted expired rows");
}
