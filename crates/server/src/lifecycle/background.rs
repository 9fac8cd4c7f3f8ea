//! Background jobs of a server.

use super::start::{StartError, start};
use super::{Errors, clock, every, outbox, upkeep, uploads};
use crate::telemetry;
use crate::wiring::{Application, UploadReading};
use application::import::{Imports, UndoCounts};
use application::key::SigningKeyError;
use application::ports::storage::StorageError;
use std::convert::Infallible;
use std::time::Duration;
use tokio::time::sleep;

/// Pause before a store that did not respond is tried again.
const RETRY: Duration = Duration::from_millis(500);
/// Number of attempts between two log lines about an unresponsive store: twice a minute.
const LOG_EVERY: u32 = 60;
/// Interval of reloading the signing keys. A new or retired key takes effect within 2 s, even if the store
/// fails once or twice in between.
const KEYS: Duration = Duration::from_millis(500);
// Two failures in a row; the rest of the 2 s is for the third attempt.
const _: () = assert!(KEYS.as_millis() * 3 <= 1500, "a new key would be noticed too late");
/// Interval at which counts of reads and requests are stored; a killed process loses this much.
const COUNTS: Duration = Duration::from_secs(1);
/// Interval of checking the outbox.
const MAIL: Duration = Duration::from_secs(1);
/// Batch size of the outbox.
const MAIL_BATCH: u32 = 20;

/// Starts the server and runs the background work. Returns only if the server can never serve.
pub(super) async fn run_background_jobs(application: &Application) -> String {
    tokio::select! {
        sentence = work(application) => sentence,
        never = wait_for_counters(application) => match never {},
    }
}

/// Waits a limited time for the shared counters of the rate limits, then never completes.
async fn wait_for_counters(application: &Application) -> Infallible {
    application.rate_limits.first_answer().await;
    application.readiness.counters_found();
    std::future::pending().await
}

async fn work(application: &Application) -> String {
    if let Err(sentence) = wait_for_store(application).await {
        return sentence;
    }
    tracing::info!("ready");
    tokio::join!(
        reload_keys(application),
        clock::watch(application),
        Box::pin(application.housekeeping.run()),
        Box::pin(application.sandbox.run()),
        flush_counts(application),
        deliver_mail(application),
        measure_mail(application),
        Box::pin(application.webhooks.run()),
        process_uploads(application),
        resume_undos(&application.pages.imports),
        upkeep::watch_writes(application),
        upkeep::finish_erasures(application.services.store.upkeep.as_ref())
    );
    "a background task stopped".to_owned()
}

async fn wait_for_store(application: &Application) -> Result<(), String> {
    let mut attempts = 0_u32;
    loop {
        match start(application).await {
            Ok(()) => return Ok(()),
            Err(StartError::Never(sentence)) => return Err(sentence),
            Err(StartError::NotYet(error)) => {
                if attempts.is_multiple_of(LOG_EVERY) {
                    log_unreachable_store(error);
                }
                attempts = attempts.wrapping_add(1);
            }
        }
        sleep(RETRY).await;
    }
}

fn log_unreachable_store(error: StorageError) {
    let error = anyhow::Error::from(error);
    tracing::warn!(
        error = format!("{error:#}"),
        "not ready: the store is not responding; trying again every 500 ms"
    );
}

async fn reload_keys(application: &Application) {
    let mut ticks = every(KEYS);
    let mut was_well = true;
    loop {
        ticks.tick().await;
        let outcome = application.keys.reload.run().await;
        let has_keys = !application.keys.ring.public_key_set().keys.is_empty();
        let is_well = outcome.is_ok() && has_keys;
        if outcome.is_ok() {
            application.readiness.store_answered(has_keys);
        } else {
            application.readiness.store_failed();
        }
        if is_well != was_well || matches!(outcome, Ok(true)) {
            log_keys(outcome, is_well);
        }
        was_well = is_well;
    }
}

fn log_keys(outcome: Result<bool, SigningKeyError>, is_well: bool) {
    match outcome {
        Ok(_) if is_well => tracing::info!("ready: the signing keys were loaded"),
        Ok(_) => tracing::error!("not ready: the store has no active signing key"),
        Err(error) => {
            let error = anyhow::Error::from(error);
            tracing::error!(error = format!("{error:#}"), "not ready: the signing keys cannot be loaded");
        }
    }
}

async fn flush_counts(application: &Application) {
    let mut ticks = every(COUNTS);
    let mut was_well = true;
    loop {
        ticks.tick().await;
        let outcome = application.flush_counts.run().await;
        match &outcome {
            Err(error) if was_well => {
                tracing::warn!(%error, "counts of reads and requests were not stored; they are kept and stored later, trying again every second");
            }
            Ok(()) if !was_well => tracing::info!("counts of reads and requests are stored again"),
            _ => {}
        }
        was_well = outcome.is_ok();
    }
}

async fn deliver_mail(application: &Application) {
    let Some(mail) = &application.mail else { return };
    let mut ticks = every(MAIL);
    let mut errors = Errors::default();
    loop {
        ticks.tick().await;
        let outcome = mail.deliver.run(MAIL_BATCH).await;
        telemetry::count_mail(&outcome);
        if let Some(error) = errors.first(outcome) {
            tracing::warn!(%error, "the outbox cannot be read; trying again every second");
        }
    }
}

async fn measure_mail(application: &Application) {
    if let Some(mail) = &application.mail {
        match outbox::measure(mail.backlog.as_ref(), application.services.clock.as_ref()).await {}
    }
}

async fn process_uploads(application: &Application) {
    if let Some(UploadReading { process, readers, held }) = &application.uploads {
        uploads::process(process, *readers, held).await;
    }
}

/// Interval of checking for interrupted undos; usually a lookup in an empty index.
const UNDOS: Duration = Duration::from_secs(5);

/// Resumes interrupted undos for as long as the server runs.
async fn resume_undos(imports: &Imports) {
    let mut ticks = every(UNDOS);
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
