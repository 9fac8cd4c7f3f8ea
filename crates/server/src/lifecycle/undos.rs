//! Resuming undos whose process ended.

use super::every;
use application::import::{UndoImport, UndoneCounts};
use std::time::Duration;

/// Interval of checking for interrupted undos; usually a lookup in an empty index.
const LOOK: Duration = Duration::from_secs(5);

/// Resumes interrupted undos for as long as the server runs.
pub(super) async fn resume(undo: &UndoImport) {
    let mut ticks = every(LOOK);
    let mut was_well = true;
    loop {
        ticks.tick().await;
        let outcome = undo.resume().await;
        match &outcome {
            Ok(Some((import, undone))) => {
                let UndoneCounts { removed, restored, kept } = undone.counts;
                tracing::info!(%import, removed, restored, kept, "finished an interrupted undo");
            }
            Err(error) if was_well => {
                tracing::warn!(%error, "an interrupted undo was not resumed; trying again every 5 seconds");
            }
            Ok(None) | Err(_) => {}
        }
        was_well = outcome.is_ok();
    }
}
