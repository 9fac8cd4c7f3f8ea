//! `restwell demo`: a server with generated data.

mod guide;
mod password;
mod shell;

use super::migrate::migrate;
use super::output::{self, Record};
use crate::lifecycle::{self, StartError};
use crate::settings::{SecretText, Settings, is_loopback};
use crate::wiring::{Application, IfMissing, Services, SharedClock, Store};
use anyhow::{Context, anyhow, bail};
use application::demo::{DEMO_EMAIL, Demo, SeededDemo};
use chrono::NaiveDate;
use clap::Args;
use domain::scope::Scope;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// Address and folder of the demo.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  restwell demo\n  restwell demo --listen 127.0.0.1:0 --data-dir /tmp/demo --json\n\n\
    The store is DIR/restwell.db. Each start on the same folder creates a new code, refresh token and client secret; \
    the previous secret and the password in DIR/password stay valid. While the demo runs, use other commands with \
    RESTWELL__STORAGE__URL=sqlite://DIR/restwell.db."
)]
pub(crate) struct DemoArguments {
    /// Loopback address to listen on; port 0 picks a free port
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// Folder of the demo store, created if missing
    #[arg(long, value_name = "DIR", default_value = "restwell-data/demo")]
    data_dir: PathBuf,
    /// Print one JSON object on the first line instead of curl commands
    #[arg(long)]
    json: bool,
    /// End the data at the start of this date instead of now
    #[arg(long, value_name = "DATE")]
    today: Option<NaiveDate>,
}

/// Creates the store of the demo and serves it.
pub(crate) async fn run(
    arguments: DemoArguments,
    settings: Settings,
    clock: SharedClock,
) -> anyhow::Result<()> {
    let DemoArguments { listen, data_dir, json, today } = arguments;
    if !is_loopback(listen.ip()) {
        bail!(
            "--listen {listen} is not a loopback address: the demo prints its secrets, so it only serves this machine; \
             use 127.0.0.1:{port} or [::1]:{port}",
            port = listen.port()
        );
    }
    let settings = demo_settings(settings, listen, &data_dir);
    let store = Store::open(&settings, IfMissing::Create).await?;
    migrate(&store.schema)
        .await
        .with_context(|| format!("the demo's store in {} was not created", data_dir.display()))?;
    lifecycle::raise_file_limit(settings.server.max_connections);
    let (listener, address) = lifecycle::bind(listen, "--listen")?;
    let public_url = settings.server.public_url_at(address)?;
    let application = Application::new(Services { store, settings, public_url, clock }).await?;
    lifecycle::start(&application).await.map_err(|error| match error {
        StartError::Never(sentence) => anyhow!(sentence),
        not_yet @ StartError::NotYet(_) => not_yet.into(),
    })?;
    let services = &application.services;
    let demo = Demo { codes: services.codes(), store: services.audited() };
    let user_id = demo.seed_person(today).await.context("the demo person was not stored")?;
    // Before the code is issued: setting a password revokes codes.
    let password = password::of_demo(services, user_id, &data_dir).await?;
    let demo = demo.seed_client().await.context("the demo data was not stored")?;
    let signals = lifecycle::Signals::catch()?;
    let base_url = services.public_url.as_str();
    if json {
        output::print(&record(&demo, &password, base_url), true)?;
    } else {
        let store_file = std::path::absolute(data_dir.join("restwell.db"))?;
        let program = shell::this_program();
        output::print_text(&guide::text(&demo, &password, base_url, &store_file, &program))?;
    }
    tracing::info!(%address, "listening");
    lifecycle::run(application, listener, None, signals).await
}

/// Replaces the store and the address of the settings with those of the demo.
fn demo_settings(mut settings: Settings, listen: SocketAddr, data_dir: &Path) -> Settings {
    settings.storage.url =
        Some(SecretText::new(format!("sqlite://{}", data_dir.join("restwell.db").display())));
    settings.storage.url_file = None;
    data_dir.clone_into(&mut settings.storage.data_dir);
    settings.server.listen = listen;
    settings.server.public_url = None;
    settings
}

fn record(demo: &SeededDemo, password: &str, base_url: &str) -> Record {
    let scopes: Vec<&str> = demo.scopes.iter().map(Scope::as_str).collect();
    Record::new()
        .with("base_url", base_url)
        .with_text("user_id", demo.user_id)
        .with("email", DEMO_EMAIL)
        .with("password", password)
        .with_text("client_id", demo.client_id)
        .with("client_secret", demo.client_secret.expose())
        .with("redirect_uri", demo.redirect_uri)
        .with("code", demo.code.expose())
        .with("scopes", scopes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{StoragePlace, Variables};

    #[test]
    fn the_demo_overrides_the_store_and_address_of_the_settings() {
        let variables: Variables = [
            ("RESTWELL__STORAGE__URL", "postgres://u@h/precious"),
            ("RESTWELL__SERVER__PUBLIC_URL", "https://sleep.example.org"),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
        let settings = Settings::from_sources(None, &variables).unwrap();
        let listen: SocketAddr = "127.0.0.1:1".parse().unwrap();
        let settings = demo_settings(settings, listen, Path::new("/tmp/d"));
        let StoragePlace::Sqlite(path) = settings.storage.place().unwrap() else { panic!("not embedded") };
        assert_eq!(path, Path::new("/tmp/d/restwell.db"));
        assert_eq!(settings.server.public_url().unwrap().as_str(), "http://127.0.0.1:1");
    }
}
