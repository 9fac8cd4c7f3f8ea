//! Resuming undos whose process ended.

use application::import::{UndoImport, UndoneCounts};
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval};

/// Interval of checking for interrupted undos; usually a lookup in an empty index.
const LOOK: Duration = Duration::from_secs(5);

/// Resumes interrupted undos for as long as the server runs.
pub(super) async fn resume(undo: &UndoImport) {
    let mut ticks = interval(LOOK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut was_well = true;
    loop {
        ticks.tick().await;
        let outcome = undo.resume().await;
        match &outcome {
            Ok(Some((import, undone))) => {
                let UndoneCounts { removed, restored, kept } = undone.counts;
                tracing::info!(%import, removed, restored, kept, "an undoing that broke off was finished");
            }
            Err(error) if was_well => {
                tracing::warn!(%error, "an undoing that broke off is not finished; it is tried again by and by");
            }
            Ok(None) | Err(_) => {}
        }
        was_well = outcome.is_ok();
    }
}
