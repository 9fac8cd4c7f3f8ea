//! Deleting what nobody needs any more.

use crate::wiring::Store;
use application::ports::storage::{FailureCounter, StorageError, UnitOfWorkFactory};
use application::ports::system::Clock;
use chrono::TimeDelta;
use std::sync::Arc;

/// How many rows are deleted at a time, so that no other writer waits long.
const BATCH: u32 = 500;

/// Deletes expired codes and counters of failures.
pub(crate) struct Cleaning {
    units: Arc<dyn UnitOfWorkFactory>,
    failures: Arc<dyn FailureCounter>,
    clock: Arc<dyn Clock>,
    failure_window: TimeDelta,
}

impl Cleaning {
    /// How long an expired code is kept: a replay in this time still revokes what its first use made.
    const KEEP_CODES: TimeDelta = TimeDelta::days(1);

    /// Takes the ports, and how long a window of failures is.
    pub(crate) fn new(store: &Store, clock: Arc<dyn Clock>, failure_window_seconds: u32) -> Self {
        let failure_window = TimeDelta::seconds(i64::from(failure_window_seconds));
        Self { units: store.units.clone(), failures: store.failures.clone(), clock, failure_window }
    }

    /// Deletes what is there to delete, and returns how many rows that were.
    pub(crate) async fn run(&self) -> Result<u64, StorageError> {
        let now = self.clock.now();
        let mut deleted = 0;
        loop {
            let mut unit = self.units.begin().await?;
            let codes = unit.codes().delete_expired(now - Self::KEEP_CODES, BATCH).await?;
            unit.commit().await?;
            let counters = self.failures.delete_stale(now - self.failure_window, BATCH).await?;
            deleted += codes + counters;
            if codes.max(counters) < u64::from(BATCH) {
                return Ok(deleted);
            }
        }
    }
}
