//! One connection: how it is made, over TLS or not, and how its session is set up.

mod outage;
mod pooled;
mod shared;
mod silence;
mod tls;

pub(crate) use outage::Outage;
pub(crate) use pooled::{Pooled, pool};
pub(crate) use shared::SharedConnections;
pub(crate) use silence::Silence;
pub use tls::InvalidTls;
pub(crate) use tls::TlsPolicy;

use crate::options::{InvalidPostgresOptions, ParsedUrl, PostgresOptions, parse_url};
use diesel::{ConnectionError, ConnectionResult};
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;
use tokio_postgres::config::Host;
use tokio_postgres_rustls::MakeRustlsConnect;

/// After how much silence the kernel asks whether the server is still there.
const KEEPALIVE: Duration = Duration::from_mins(1);

/// Asks for English messages, because the driver reports a failure by its message alone (see `error`). Only a
/// superuser may, or a role with `GRANT SET ON PARAMETER lc_messages`; others keep what the server is set to,
/// which is a matter of the log only while that is C or English.
const ENGLISH_MESSAGES: &str = "DO $$ BEGIN PERFORM set_config('lc_messages', 'C', false); \
    EXCEPTION WHEN insufficient_privilege THEN NULL; END $$";

/// Makes connections that are all alike.
#[derive(Clone)]
pub(crate) struct Connector {
    config: tokio_postgres::Config,
    tls: Option<MakeRustlsConnect>,
    session: String,
    outage: Arc<Outage>,
}

impl Connector {
    /// Reads the URL and the certificates to trust; does not need the server.
    pub(crate) fn new(options: &PostgresOptions) -> Result<Self, InvalidPostgresOptions> {
        let ParsedUrl { mut config, tls } = parse_url(&options.url)?;
        if config.get_application_name().is_none() {
            config.application_name("restwell");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(options.wait_timeout);
        }
        // What was sent and is not even acknowledged ends the connection: the kernel of a server that is slow still
        // acknowledges.
        config.keepalives_idle(KEEPALIVE).tcp_user_timeout(options.wait_timeout);
        let hosts = config.get_hosts();
        let on_sockets = !hosts.is_empty() && hosts.iter().all(|host| matches!(host, Host::Unix(_)));
        // A Unix socket speaks no TLS, so a mode that asks for it would only fail there.
        let tls = if on_sockets { TlsPolicy::Disabled } else { tls };
        config.ssl_mode(tls.driver_mode());
        Ok(Self { config, tls: tls.connector()?, session: session(options), outage: Arc::default() })
    }

    /// Makes a connection and sets its session up; logs why there is none.
    pub(crate) async fn connect(&self) -> ConnectionResult<AsyncPgConnection> {
        let connected = self.connect_and_set_up().await;
        match &connected {
            Ok(_) => self.outage.end(),
            Err(error) => self.outage.tell(&error.to_string()),
        }
        connected
    }

    /// Returns what limits the wait for answers on connections made here.
    pub(crate) fn silence(&self, options: &PostgresOptions) -> Silence {
        Silence::new(options.statement_timeout, Arc::clone(&self.outage))
    }

    /// Logs that an attempt to connect was given up.
    pub(crate) fn gave_up(&self) {
        self.outage.tell("no answer in time");
    }

    /// Returns why the last attempt to connect failed; nothing when it did not.
    pub(crate) fn failure(&self) -> Option<String> {
        self.outage.reason()
    }

    async fn connect_and_set_up(&self) -> ConnectionResult<AsyncPgConnection> {
        let mut connection = self.open().await?;
        let set_up = connection.batch_execute(&self.session).await;
        set_up.map_err(ConnectionError::CouldntSetupConfiguration)?;
        Ok(connection)
    }

    async fn open(&self) -> ConnectionResult<AsyncPgConnection> {
        if let Some(tls) = &self.tls {
            let (client, connection) = self.config.connect(tls.clone()).await.map_err(|e| describe(&e))?;
            AsyncPgConnection::try_from_client_and_connection(client, connection).await
        } else {
            let connecting = self.config.connect(tokio_postgres::NoTls);
            let (client, connection) = connecting.await.map_err(|e| describe(&e))?;
            AsyncPgConnection::try_from_client_and_connection(client, connection).await
        }
    }
}

/// Writes the statement that sets a session up, all of it in one round trip.
///
/// Statements here are short, but name partitioned tables and limits that the planner does not know: it takes some for
/// large enough to compile them (`jit`), which then lasts a hundred times as long as running them.
fn session(options: &PostgresOptions) -> String {
    let millis = |duration: Duration| i32::try_from(duration.as_millis()).unwrap_or(i32::MAX);
    format!(
        "SET jit = off; SET statement_timeout = {}; SET lock_timeout = {}; SET idle_in_transaction_session_timeout = {}; \
         {ENGLISH_MESSAGES}",
        millis(options.statement_timeout),
        millis(options.lock_timeout),
        millis(options.idle_in_transaction_timeout),
    )
}

/// Says why no connection came about, for the operator's log; the driver puts no password in there.
fn describe(error: &tokio_postgres::Error) -> ConnectionError {
    let text = match (error.as_db_error(), error.source()) {
        (Some(reported), _) => format!("{} ({})", reported.message(), reported.code().code()),
        (None, Some(source)) => format!("{error}: {source}"),
        (None, None) => error.to_string(),
    };
    ConnectionError::BadConnection(text)
}

#[cfg(test)]
mod tests;
