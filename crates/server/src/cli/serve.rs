//! `restwell serve`.

use crate::lifecycle;
use crate::settings::Settings;
use crate::telemetry::{self, MetricsServer};
use crate::wiring::{Application, KeySource, Store};

/// Serves until a signal comes.
pub(crate) async fn run(settings: &Settings) -> anyhow::Result<()> {
    // Before anything is opened: a server without its key is refused, not started.
    KeySource::of(settings, &settings.server.public_url(settings.server.listen)?)?;
    let tls = settings.server.tls_files()?.map(lifecycle::Tls::begin).transpose()?;
    // Before anything that measures itself is made.
    let metrics = MetricsServer::begin(settings)?;
    let store = Store::open_to_serve(settings).await?;
    let (listener, address) = lifecycle::bind(settings.server.listen, "server.listen")?;
    let public_url = settings.server.public_url(address)?;
    let application = Application::new(&store, settings, &public_url).await?;
    let place = settings.storage.place()?;
    let signals = lifecycle::Signals::catch()?;
    tracing::info!(%address, %public_url, store = %place, "listening");
    if let Some(warning) = settings.server.unnamed_proxy(&public_url) {
        tracing::warn!("{warning}");
    }
    // A store that is there and does not fit is a reason not to begin at all.
    lifecycle::try_start(&application).await?;
    let metrics = metrics.map(|metrics| metrics.answer(application.readiness.clone())).transpose()?;
    let outcome = lifecycle::run(application, listener, tls, signals, settings).await;
    if let Some(metrics) = metrics {
        metrics.stop().await;
    }
    telemetry::end_traces().await;
    outcome
}
