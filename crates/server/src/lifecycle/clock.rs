//! Compares this machine's clock with the database's while the server runs.

use super::every;
use crate::wiring::{Application, ClockSkew, refusal};
use application::ports::storage::StorageError;
use std::time::Duration;

/// Interval between two comparisons of the clocks, and two checks of the schema.
const INTERVAL: Duration = Duration::from_secs(5);

/// Compares the clocks and checks the schema for as long as the server runs.
pub(super) async fn watch(application: &Application) {
    let mut ticks = every(INTERVAL);
    let mut schema_fitted = true;
    loop {
        ticks.tick().await;
        // A store failure is logged, and fails readiness, where the keys are reloaded.
        let _ = compare(application).await;
        schema_fitted = check_schema(application, schema_fitted).await;
    }
}

/// Compares the clocks once; readiness fails while they are too far apart.
pub(super) async fn compare(application: &Application) -> Result<(), StorageError> {
    let skew = ClockSkew::measure(application.services.store.database_clock.as_ref())
        .await?
        .ok_or(StorageError::Unavailable)?;
    note(application, skew);
    Ok(())
}

fn note(application: &Application, skew: ClockSkew) {
    let (ahead, are_apart) = (skew.ahead(), skew.is_too_large());
    metrics::gauge!("restwell_clock_offset_seconds").set(ahead.as_seconds_f64());
    if application.readiness.clock_measured(are_apart) {
        let ahead_ms = ahead.num_milliseconds();
        if are_apart {
            tracing::error!(
                ahead_ms,
                "not ready: this machine's clock and the database's are more than 2 s apart; correct the wrong one"
            );
        } else {
            tracing::info!(ahead_ms, "this machine's clock and the database's agree again");
        }
    }
}

/// Checks whether the schema still fits; a store failure leaves the state unchanged.
async fn check_schema(application: &Application, fitted: bool) -> bool {
    let Ok(state) = application.services.store.schema.state().await else { return fitted };
    let refused = refusal(&state);
    let fits = refused.is_none();
    application.readiness.schema_fits(fits);
    match refused {
        Some(sentence) if fitted => tracing::error!("not ready: {sentence}"),
        None if !fitted => tracing::info!("the schema of the store is compatible again"),
        _ => {}
    }
    fits
}
