//! `restwell serve`.

use crate::lifecycle;
use crate::settings::Settings;
use crate::wiring::{Application, IfMissing, KeySource, Store};

/// Serves until a signal comes.
pub(crate) async fn run(settings: &Settings) -> anyhow::Result<()> {
    // Before anything is opened: a server without its key is refused, not started.
    KeySource::of(settings, &settings.server.public_url(settings.server.listen)?)?;
    let store = Store::open(settings, IfMissing::Refuse).await?;
    let (listener, address) = lifecycle::bind(settings.server.listen, "server.listen")?;
    let public_url = settings.server.public_url(address)?;
    let application = Application::new(&store, settings, &public_url)?;
    let place = settings.storage.place()?;
    let signals = lifecycle::Signals::catch()?;
    tracing::info!(%address, %public_url, store = %place, "listening");
    // A store that is there and does not fit is a reason not to begin at all.
    lifecycle::try_start(&application).await?;
    lifecycle::run(application, listener, signals, settings).await
}
