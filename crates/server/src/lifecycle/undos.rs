//! Resuming undos whose process ended.

use super::{Errors, every};
use application::import::{Imports, UndoCounts};
use std::time::Duration;

/// Interval of checking for interrupted undos; usually a lookup in an empty index.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// Resumes interrupted undos for as long as the server runs.
pub(super) async fn resume(imports: &Imports) {
    let mut ticks = every(CHECK_INTERVAL);
    let mut errors = Errors::default();
    loop {
        ticks.tick().await;
        let outcome = imports.resume().await;
        if let Ok(Some((import, undone))) = &outcome {
            let UndoCounts { removed, restored, kept } = undone.counts;
            tracing::info!(%import, removed, restored, kept, "finished an interrupted undo");
        }
        if let Some(error) = errors.first(outcome) {
            tracing::warn!(%error, "an interrupted undo was not resumed; trying again every 5 seconds");
        }
    }
}
