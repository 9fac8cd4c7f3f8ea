//! The files of the store: whether they accept writes, and remains of erased people.

use super::every;
use crate::wiring::Application;
use application::ports::storage::{DiskFault, StorageError, StoreUpkeep};
use std::time::{Duration, Instant};
use tokio::time::timeout_at;

/// Interval of checking whether a write was refused.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);
/// Interval of probing a store that refuses writes.
const PROBE_INTERVAL: Duration = Duration::from_secs(2);
/// Interval of checking whether an erasure is unfinished.
const FINISH: Duration = Duration::from_secs(10);

/// Updates the write state of `/readyz` for as long as the server runs. Only a store that refused a write is
/// probed, because a probe writes; the store records every failed write.
pub(super) async fn watch_writes(application: &Application) {
    let upkeep = application.services.store.upkeep.as_ref();
    let mut ticks = every(CHECK_INTERVAL);
    let mut probed_at = Instant::now();
    loop {
        ticks.tick().await;
        if upkeep.write_refusal().is_some() && probed_at.elapsed() >= PROBE_INTERVAL {
            // The store records a failure.
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

/// Finishes erasures that a reader or a full disk delayed, including those of commands and of earlier
/// processes.
pub(super) async fn finish_erasures(upkeep: &dyn StoreUpkeep) {
    let mut ticks = every(FINISH);
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
        Ok(true) => tracing::info!("erased data is gone from the files of the store"),
        Ok(false) => tracing::warn!(
            "erased data is still readable in the files of the store, because another process is reading them; trying again \
             every 10 seconds"
        ),
        Err(error) => tracing::warn!(
            %error,
            "erased data is still readable in the files of the store; trying again every 10 seconds"
        ),
    }
}

/// Empties the log of the store before the process ends; gives up at `end`.
pub(super) async fn empty_log(upkeep: &dyn StoreUpkeep, end: tokio::time::Instant) {
    if !matches!(timeout_at(end, upkeep.empty_log()).await, Ok(Ok(true))) {
        tracing::warn!(
            "the write-ahead log of the store was not emptied: another process may be using the store"
        );
    }
}
