//! When what has expired is deleted, and by whom: once an hour, by one replica at a time.

use super::Cleaning;
use application::ports::storage::{Job, JobLeases, StorageError, StoreUpkeep};
use chrono::TimeDelta;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::{MissedTickBehavior, interval, sleep};
use uuid::Uuid;

/// How often it is looked whether there is something to do.
const LOOK: Duration = Duration::from_secs(10);
/// How long after the end of one housekeeping the next one is due.
const EVERY: TimeDelta = TimeDelta::hours(1);
/// How long after one that failed.
const AFTER_FAILURE: TimeDelta = TimeDelta::minutes(1);
/// How long the housekeeping belongs to a replica that is heard of no more.
const HELD_FOR: TimeDelta = TimeDelta::seconds(30);
/// How often a replica that keeps house is heard of.
const PROLONG: Duration = Duration::from_secs(10);

/// Deletes what has expired, when it is due and nobody else does.
pub(crate) struct Housekeeping {
    cleaning: Cleaning,
    leases: Arc<dyn JobLeases>,
    upkeep: Arc<dyn StoreUpkeep>,
    holder: Uuid,
}

impl Housekeeping {
    /// Takes what is to be done, and the id under which this run of the program does it.
    pub(crate) fn new(
        cleaning: Cleaning,
        leases: Arc<dyn JobLeases>,
        upkeep: Arc<dyn StoreUpkeep>,
        holder: Uuid,
    ) -> Self {
        Self { cleaning, leases, upkeep, holder }
    }

    /// Keeps house for as long as the server runs.
    pub(super) async fn keep(&self) {
        let mut ticks = interval(LOOK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut was_well = true;
        loop {
            ticks.tick().await;
            let outcome = self.turn().await;
            if let Err(error) = &outcome
                && was_well
            {
                tracing::warn!(%error, "what has expired was not deleted; it is tried again each minute");
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
        tell(outcome?, began.elapsed());
        // What a reader holds in the log stays there until the next time, or the end of this process.
        if let Err(error) = self.upkeep.empty_log().await {
            tracing::warn!(%error, "the write-ahead log of the store was not emptied; it is tried again in an hour");
        }
        Ok(())
    }

    /// Prolongs the lease; returns when it is another's. What the store does not answer is asked again: by the time the
    /// lease ends, deleting fails as well.
    async fn lost(&self) {
        loop {
            sleep(PROLONG).await;
            if matches!(self.leases.prolong(Job::Housekeeping, self.holder, HELD_FOR).await, Ok(false)) {
                tracing::warn!(
                    "another server keeps house now; this one was too slow to say that it still does"
                );
                return;
            }
        }
    }
}

fn tell(deleted: impl tracing::Value, took: Duration) {
    let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    tracing::info!(deleted, milliseconds, "deleted what has expired");
}
