//! `restwell serve`.

use super::first_steps;
use crate::lifecycle;
use crate::settings::Settings;
use crate::telemetry::{self, MetricsServer};
use crate::wiring::{Application, KeySource, Services, SharedClock, Store};
use std::net::SocketAddr;
use std::path::Path;

/// Serves until the process receives a signal.
pub(super) async fn run(settings: Settings, clock: SharedClock, file: Option<&Path>) -> anyhow::Result<()> {
    lifecycle::raise_file_limit(settings.server.max_connections);
    Box::pin(serve(settings, clock, file, |_| lifecycle::Signals::catch())).await
}

/// Serves until one of the signals arrives. `file` is the settings file; `signals` is called once the socket
/// is bound to an address.
pub(crate) async fn serve(
    settings: Settings,
    clock: SharedClock,
    file: Option<&Path>,
    signals: impl FnOnce(SocketAddr) -> anyhow::Result<lifecycle::Signals>,
) -> anyhow::Result<()> {
    // Before anything is opened: a server without its key must not start.
    KeySource::from_settings(&settings)?;
    let tls = settings.server.tls_files()?.map(lifecycle::Tls::begin).transpose()?;
    // Before anything that registers metrics is created.
    let metrics = MetricsServer::begin(&settings)?;
    let store = Store::open_to_serve(&settings).await?;
    let (listener, address) = lifecycle::bind(settings.server.listen, "server.listen")?;
    let public_url = settings.server.public_url_at(address)?;
    let application = Application::new(Services { store, settings, public_url, clock }).await?;
    let Services { settings, public_url, .. } = &application.services;
    let place = settings.storage.place()?;
    let signals = signals(address)?;
    tracing::info!(%address, %public_url, store = %place, "listening");
    if let Some(warning) = settings.server.unnamed_proxy(public_url) {
        tracing::warn!("{warning}");
    }
    // A reachable store with an unusable schema fails the start.
    lifecycle::try_start(&application).await?;
    if let Some(steps) = first_steps::find(&application.services, file).await {
        first_steps::report(&steps, settings.log.format);
    }
    let metrics = metrics.map(|metrics| metrics.answer(application.readiness.clone())).transpose()?;
    let outcome = lifecycle::run(application, listener, tls, signals).await;
    if let Some(metrics) = metrics {
        metrics.stop().await;
    }
    telemetry::end_traces().await;
    outcome
}
