//! One run of the server, from its first request to its last.

use super::background::run_background_jobs;
use super::http_server::http_server;
use super::shutdown::{ABORT, Signals, StopTimes};
use super::tls::Tls;
use super::upkeep;
use super::uploads;
use crate::wiring::{Application, UploadReading};
use actix_web::dev::{Server, ServerHandle};
use anyhow::{Context, anyhow};
use std::convert::Infallible;
use std::io;
use std::net::TcpListener;
use std::pin::{Pin, pin};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout_at};

/// Timeout of what is stored at the end and of emptying the store's log, within the stop time.
const FINAL_WRITE_TIMEOUT: Duration = Duration::from_millis(500);

/// Reason why a running server ends.
enum StopReason {
    /// Stop request; the name of the signal.
    Signal(&'static str),
    /// Permanent failure; a sentence for the operator.
    Failure(String),
}

/// Serves until a signal arrives, then waits for load balancers and finishes the running requests.
///
/// # Errors
///
/// The server can never serve: the schema does not fit, or keys cannot be decrypted.
pub(crate) async fn run(
    application: Application,
    listener: TcpListener,
    tls: Option<Tls>,
    mut signals: Signals,
) -> anyhow::Result<()> {
    let settings = &application.services.settings;
    let config = tls.as_ref().map(Tls::config).transpose()?;
    let server = http_server(&application, listener, config).context("the HTTP server cannot start")?;
    let times = StopTimes::from_settings(settings);
    let work = async {
        tokio::select! {
            sentence = run_background_jobs(&application) => sentence,
            never = watch(tls) => match never {},
        }
    };
    let outcome = serve(&application, server, work, &mut signals, times).await;
    let end = Instant::now() + FINAL_WRITE_TIMEOUT;
    tokio::join!(
        store_last_counts(&application),
        release_uploads(&application),
        release_webhooks(&application)
    );
    upkeep::empty_log(application.services.store.upkeep.as_ref(), end).await;
    outcome
}

/// Watches the certificate files, if TLS is configured.
async fn watch(tls: Option<Tls>) -> Infallible {
    match tls {
        Some(tls) => tls.watch().await,
        None => std::future::pending().await,
    }
}

/// Serves requests and runs the background work until the last request ends.
async fn serve(
    application: &Application,
    server: Server,
    work: impl Future<Output = String>,
    signals: &mut Signals,
    times: StopTimes,
) -> anyhow::Result<()> {
    let handle = server.handle();
    let (mut server, mut work) = (pin!(server), pin!(work));
    let ending = tokio::select! {
        signal = signals.next() => StopReason::Signal(signal),
        sentence = &mut work => StopReason::Failure(sentence),
        ended = &mut server => return Err(ended_by_itself(ended)),
    };
    application.readiness.drain();
    match ending {
        StopReason::Failure(sentence) => {
            abort(server, &handle).await;
            Err(anyhow!(sentence))
        }
        StopReason::Signal(ABORT) => {
            abort(server, &handle).await;
            Ok(())
        }
        StopReason::Signal(signal) => {
            tracing::info!(signal, "stopping after the requests in flight");
            let times = times.after(signal);
            tokio::select! {
                outcome = stop(server, handle, times) => outcome,
                () = second_signal(signals) => Ok(()),
                sentence = work => Err(anyhow!(sentence)),
            }
        }
    }
}

/// Stops without finishing the running requests.
async fn abort(server: Pin<&mut Server>, handle: &ServerHandle) {
    let _ =
        tokio::time::timeout(FINAL_WRITE_TIMEOUT, async { tokio::join!(handle.stop(false), server) }).await;
}

async fn second_signal(signals: &mut Signals) {
    let signal = signals.next().await;
    tracing::warn!(signal, "stopping now: requests in flight are aborted");
}

/// Keeps serving while load balancers notice, then finishes the running requests; takes no longer than `all`.
async fn stop(
    mut server: Pin<&mut Server>,
    handle: ServerHandle,
    StopTimes { drain, all }: StopTimes,
) -> anyhow::Result<()> {
    let end = Instant::now() + all.saturating_sub(FINAL_WRITE_TIMEOUT);
    tokio::select! {
        () = sleep(drain) => {}
        ended = &mut server => return Err(ended_by_itself(ended)),
    }
    if let Ok(ended) = timeout_at(end, async { tokio::join!(handle.stop(true), server).1 }).await {
        ended.context("the HTTP server failed while it stopped")
    } else {
        tracing::warn!("some requests did not finish in time");
        Ok(())
    }
}

fn ended_by_itself(ended: io::Result<()>) -> anyhow::Error {
    ended.err().map_or_else(|| anyhow!("the HTTP server ended"), Into::into)
}

/// Stores the counts of the last second. An unresponsive store delays the exit by at most
/// [`FINAL_WRITE_TIMEOUT`].
async fn store_last_counts(application: &Application) {
    let stored = tokio::time::timeout(FINAL_WRITE_TIMEOUT, application.flush_counts.run()).await;
    if !matches!(stored, Ok(Ok(()))) {
        tracing::warn!("the counts of reads and requests of the last second were not stored");
    }
}

/// Returns the pending uploads of this process, so that this attempt is not counted against their files.
async fn release_uploads(application: &Application) {
    if let Some(UploadReading { process, readers: _, held }) = &application.uploads {
        let _ = tokio::time::timeout(FINAL_WRITE_TIMEOUT, uploads::release_all(process, held)).await;
    }
}

/// Leaves the sending of webhooks to another server.
async fn release_webhooks(application: &Application) {
    let _ = tokio::time::timeout(FINAL_WRITE_TIMEOUT, application.webhooks.release()).await;
}
