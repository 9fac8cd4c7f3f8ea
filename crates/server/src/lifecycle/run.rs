//! One run of the server, from its first request to its last.

use super::background::keep_going;
use super::http_server::http_server;
use super::shutdown::Signals;
use crate::settings::Settings;
use crate::wiring::Application;
use anyhow::{Context, anyhow};
use std::net::TcpListener;
use std::pin::pin;
use std::time::Duration;

/// How much longer than the drain the whole shutdown may take.
const GRACE: Duration = Duration::from_millis(500);

/// How long the last sums of reads may take to be stored.
const LAST_READS: Duration = Duration::from_millis(500);

/// Serves until a signal comes, then finishes the requests that run.
///
/// An error is a server that can never serve: the schema does not fit, keys cannot be opened.
pub(crate) async fn run(
    application: Application,
    listener: TcpListener,
    mut signals: Signals,
    settings: &Settings,
) -> anyhow::Result<()> {
    let server =
        http_server(application.http.clone(), listener, settings).context("the HTTP server cannot start")?;
    let handle = server.handle();
    let mut server = pin!(server);
    let outcome = tokio::select! {
        signal = signals.next() => {
            tracing::info!(signal, "stopping: running requests are finished first");
            Ok(())
        }
        sentence = keep_going(&application) => Err(anyhow!(sentence)),
        ended = &mut server => {
            return Err(ended.err().map_or_else(|| anyhow!("the HTTP server ended"), Into::into));
        }
    };
    application.readiness.drain();
    let longest = Duration::from_secs(u64::from(settings.server.drain_seconds)) + GRACE;
    let stopped =
        tokio::time::timeout(longest, async { tokio::join!(handle.stop(outcome.is_ok()), server).1 });
    let stopped = stopped.await;
    store_last_reads(&application).await;
    let Ok(ended) = stopped else {
        tracing::warn!("some requests did not finish in time");
        return outcome;
    };
    ended.context("the HTTP server failed while it stopped").and(outcome)
}

/// Stores who read what since the last second; a store that does not answer does not keep the process.
async fn store_last_reads(application: &Application) {
    let stored = tokio::time::timeout(LAST_READS, application.flush_reads.run()).await;
    if !matches!(stored, Ok(Ok(_))) {
        tracing::warn!("who read what in the last second was not stored");
    }
}
