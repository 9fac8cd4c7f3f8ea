//! The clock of this machine and that of the store: compared again and again, and the store's is gone by.

use crate::wiring::{Application, refusal};
use application::ports::storage::StorageError;
use chrono::TimeDelta;
use std::time::{Duration, Instant};
use system_adapter::ClockMeasurement;
use tokio::time::{MissedTickBehavior, interval};

/// How far apart the two may be.
const APART: TimeDelta = TimeDelta::seconds(2);
/// How often they are compared, and the schema is looked at.
const EVERY: Duration = Duration::from_secs(5);
/// How often it is looked whether somebody set this machine's clock.
const LOOK: Duration = Duration::from_millis(500);

/// Compares the clocks for as long as the server runs, and looks whether the schema still fits.
pub(super) async fn watch(application: &Application) {
    let mut ticks = interval(LOOK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut last = Instant::now();
    let mut schema_fitted = true;
    loop {
        ticks.tick().await;
        let is_due = last.elapsed() >= EVERY;
        if is_due || application.clock.has_jumped() {
            // A store that fails is told of, and makes the server unready, where the keys are read.
            let _ = compare(application).await;
        }
        if is_due {
            schema_fitted = look_at_schema(application, schema_fitted).await;
            last = Instant::now();
        }
    }
}

/// Compares the clocks once. An answer that took too long says as little as none.
pub(super) async fn compare(application: &Application) -> Result<(), StorageError> {
    let measured = application.clock.measure().await?.ok_or(StorageError::Unavailable)?;
    note(application, measured);
    Ok(())
}

fn note(application: &Application, measured: ClockMeasurement) {
    let ahead = measured.machine_ahead;
    metrics::gauge!("restwell_clock_offset_seconds").set(ahead.as_seconds_f64());
    let are_apart = ahead.abs() > APART;
    if application.readiness.clock_measured(are_apart) {
        let ahead_ms = ahead.num_milliseconds();
        if are_apart {
            tracing::error!(
                ahead_ms,
                "not ready: this machine's clock and the store's are more than 2 s apart; the store's counts"
            );
        } else {
            tracing::info!(ahead_ms, "this machine's clock and the store's agree again");
        }
    }
}

/// Notes whether the schema still fits; what the store does not answer changes nothing.
async fn look_at_schema(application: &Application, fitted: bool) -> bool {
    let Ok(state) = application.schema.state().await else { return fitted };
    let refused = refusal(&state);
    let fits = refused.is_none();
    application.readiness.schema_fits(fits);
    match refused {
        Some(sentence) if fitted => tracing::error!("not ready: {sentence}"),
        None if !fitted => tracing::info!("the schema of the store fits again"),
        _ => {}
    }
    fits
}
