//! The files of the store: whether they take writes, and what erased people leave in them.

use crate::wiring::Application;
use application::ports::storage::{DiskFault, StorageError, StoreUpkeep};
use std::time::{Duration, Instant};
use tokio::time::{MissedTickBehavior, interval, timeout_at};

/// How often to look whether a write was refused.
const LOOK: Duration = Duration::from_millis(500);
/// How often to probe a store that refuses writes.
const PROBE: Duration = Duration::from_secs(2);
/// How often to look whether an erasure has to be finished.
const FINISH: Duration = Duration::from_secs(10);

/// Keeps `/readyz` up to date about writes for as long as the server runs. Only a store that refused one is
/// probed: a probe writes, and a write that fails is noted where it fails.
pub(super) async fn watch_writes(application: &Application) {
    let upkeep = application.upkeep.as_ref();
    let mut ticks = interval(LOOK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut probed_at = Instant::now();
    loop {
        ticks.tick().await;
        if upkeep.write_refusal().is_some() && probed_at.elapsed() >= PROBE {
            // A failure is noted by the store.
            let _ = upkeep.probe_writes().await;
            probed_at = Instant::now();
        }
        let refusal = upkeep.write_refusal();
        if application.readiness.writes_refused(refusal) {
            log_change(refusal);
        }
    }
}

fn log_change(refusal: Option<DiskFault>) {
    if let Some(fault) = refusal {
        tracing::error!(
            reason = fault.as_str(),
            "read-only: the store refuses writes; reads are served, and writes are tried again every 2 seconds"
        );
    } else {
        tracing::info!("the store accepts writes again");
    }
}

/// Finishes erasures that a reader or a full disk held up, also those of commands and of earlier processes.
pub(super) async fn finish_erasures(upkeep: &dyn StoreUpkeep) {
    let mut ticks = interval(FINISH);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut was_done = true;
    loop {
        ticks.tick().await;
        let outcome = upkeep.finish_erasures().await;
        let is_done = matches!(outcome, Ok(true));
        if is_done != was_done {
            log_erasures(outcome);
        }
        was_done = is_done;
    }
}

fn log_erasures(outcome: Result<bool, StorageError>) {
    match outcome {
        Ok(true) => tracing::info!("what was erased is gone from the files of the store"),
        Ok(false) => tracing::warn!(
            "what was erased is still readable in the files of the store: a reader holds them; trying again every \
             10 seconds"
        ),
        Err(error) => tracing::warn!(
            %error,
            "what was erased is still readable in the files of the store; trying again every 10 seconds"
        ),
    }
}

/// Empties the log of the store before the process ends, until this moment.
pub(super) async fn empty_log(upkeep: &dyn StoreUpkeep, end: tokio::time::Instant) {
    if !matches!(timeout_at(end, upkeep.empty_log()).await, Ok(Ok(true))) {
        tracing::warn!(
            "the write-ahead log of the store was not emptied: another process may be using the store"
        );
    }
}
