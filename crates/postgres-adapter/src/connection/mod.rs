//! One connection: how it is made, over TLS or not, and how its session is set up.

mod outage;
mod pooled;
mod shared;
mod silence;
mod tls;
mod worker;

pub(crate) use outage::Outage;
pub(crate) use pooled::{Pool, Pooled, pool};
pub(crate) use shared::SharedConnections;
pub(crate) use silence::Silence;
pub use tls::InvalidTls;
pub(crate) use tls::TlsPolicy;
pub(crate) use worker::number as worker_number;

use crate::error::{closed, is_deadlock};
use crate::options::{InvalidPostgresOptions, ParsedUrl, PostgresOptions, parse_url};
use crate::pool_meter::{Operation, round_trip};
use diesel::result::{DatabaseErrorKind, Error};
use diesel::{ConnectionError, ConnectionResult};
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio_postgres::config::{Config, Host, TargetSessionAttrs};
use tokio_postgres_rustls::MakeRustlsConnect;

/// After how much silence the kernel asks whether the server is still there.
const KEEPALIVE: Duration = Duration::from_mins(1);

/// Asks for English messages, because the driver reports a failure by its message alone (see `error`). Only a
/// superuser may, or a role with `GRANT SET ON PARAMETER lc_messages`; others keep what the server is set to,
/// which is a matter of the log only while that is C or English.
const ENGLISH_MESSAGES: &str = "DO $$ BEGIN PERFORM set_config('lc_messages', 'C', false); \
    EXCEPTION WHEN insufficient_privilege THEN NULL; END $$";

/// What is asked of the server at the other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// It takes writes: what it says holds.
    Primary,
    /// It may be a standby: what it says held a moment ago.
    Replica,
}

/// Makes connections that are all alike.
#[derive(Clone)]
pub(crate) struct Connector {
    /// The servers that the URL names, to be tried in turn.
    servers: Vec<Config>,
    /// Which of them was connected to last.
    last: Arc<AtomicUsize>,
    wait_timeout: Duration,
    tls: Option<MakeRustlsConnect>,
    session: String,
    outage: Arc<Outage>,
}

impl Connector {
    /// Reads the URL and the certificates to trust; does not need the server.
    pub(crate) fn new(options: &PostgresOptions, role: Role) -> Result<Self, InvalidPostgresOptions> {
        let ParsedUrl { mut servers, tls } = parse_url(&options.url)?;
        let on_sockets = servers.iter().all(is_on_sockets);
        // A Unix socket speaks no TLS, so a mode that asks for it would only fail there.
        let tls = if on_sockets { TlsPolicy::Disabled } else { tls };
        for config in &mut servers {
            if config.get_application_name().is_none() {
                config.application_name("restwell");
            }
            if config.get_connect_timeout().is_none() {
                config.connect_timeout(options.wait_timeout);
            }
            // What was sent and is not even acknowledged ends the connection: the kernel of a server that is slow
            // still acknowledges.
            config.keepalives_idle(KEEPALIVE).tcp_user_timeout(options.wait_timeout);
            config.ssl_mode(tls.driver_mode());
            if role == Role::Primary {
                // A standby would answer, but not know of a revocation yet.
                config.target_session_attrs(TargetSessionAttrs::ReadWrite);
            }
        }
        Ok(Self {
            servers,
            last: Arc::default(),
            wait_timeout: options.wait_timeout,
            tls: tls.connector()?,
            session: session(options),
            outage: Arc::default(),
        })
    }

    /// Makes a connection and sets its session up; logs why there is none.
    pub(crate) async fn connect(&self) -> ConnectionResult<AsyncPgConnection> {
        self.told(round_trip(Operation::Connect, Box::pin(self.connect_and_set_up())).await)
    }

    /// Returns how many servers the URL names.
    pub(crate) const fn servers(&self) -> usize {
        self.servers.len()
    }

    fn told<T>(&self, connected: ConnectionResult<T>) -> ConnectionResult<T> {
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
        let mut connection = self.try_servers().await?;
        let set_up = connection.batch_execute(&self.session).await;
        set_up.map_err(ConnectionError::CouldntSetupConfiguration)?;
        Ok(connection)
    }

    /// Tries the servers in turn, beginning with the one that was there the last time; each has its share of the time,
    /// because one that is frozen takes connections and then says nothing.
    async fn try_servers(&self) -> ConnectionResult<AsyncPgConnection> {
        let count = u32::try_from(self.servers.len()).unwrap_or(u32::MAX);
        let share = self.wait_timeout.checked_div(count).unwrap_or(self.wait_timeout);
        let first = self.last.load(Ordering::Relaxed);
        let mut failure = ConnectionError::BadConnection("no server is named".to_owned());
        let places = (first..self.servers.len()).chain(0..first);
        for (place, config) in places.filter_map(|place| Some((place, self.servers.get(place)?))) {
            let opened = if count == 1 {
                self.open(config).await
            } else {
                tokio::time::timeout(share, self.open(config))
                    .await
                    .unwrap_or_else(|_| Err(ConnectionError::BadConnection("no answer in time".to_owned())))
            };
            match opened {
                Ok(connection) => {
                    self.last.store(place, Ordering::Relaxed);
                    return Ok(connection);
                }
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    async fn open(&self, config: &Config) -> ConnectionResult<AsyncPgConnection> {
        if let Some(tls) = &self.tls {
            let (client, connection) = config.connect(tls.clone()).await.map_err(|e| describe(&e))?;
            AsyncPgConnection::try_from_client_and_connection(client, connection).await
        } else {
            let connecting = config.connect(tokio_postgres::NoTls);
            let (client, connection) = connecting.await.map_err(|e| describe(&e))?;
            AsyncPgConnection::try_from_client_and_connection(client, connection).await
        }
    }
}

fn is_on_sockets(config: &Config) -> bool {
    let hosts = config.get_hosts();
    !hosts.is_empty() && hosts.iter().all(|host| matches!(host, Host::Unix(_)))
}

/// Tells whether the connection, not the statement, failed: it closed, or the server ends the session. What was read
/// over it may be read anew over another one. A server that fell silent is not asked again: that would double the wait.
pub(crate) fn is_broken(error: &Error) -> bool {
    match error {
        Error::DatabaseError(
            DatabaseErrorKind::ClosedConnection | DatabaseErrorKind::UnableToSendCommand,
            information,
        ) => information.message() != silence::NO_ANSWER,
        Error::DatabaseError(_, information) => closed(information.message()),
        _ => false,
    }
}

/// Tells whether a statement was stopped for the sake of another one: a serialization failure, which is also what a
/// standby says that had to replay a conflicting change, or a deadlock. The connection stays good, and what only reads
/// may be run once more at once.
pub(crate) fn gave_way(error: &Error) -> bool {
    match error {
        Error::DatabaseError(DatabaseErrorKind::SerializationFailure, _) => true,
        Error::DatabaseError(_, information) => is_deadlock(information.message()),
        _ => false,
    }
}

/// Plans a prepared statement once. Left to itself the server plans each statement on a partitioned table at every
/// use, because its estimate counts all partitions although only one is looked at, and that takes two to four times as
/// long as running it. Statements here name their keys, so that no value of a parameter wants another plan.
const ONE_PLAN: &str = "SET plan_cache_mode = force_generic_plan";

/// Writes the statement that sets a session up, in one round trip.
///
/// Statements here are short, but name partitioned tables and limits that the planner does not know: it takes some for
/// large enough to compile them (`jit`), which then lasts a hundred times as long as running them.
fn session(options: &PostgresOptions) -> String {
    let millis = |duration: Duration| i32::try_from(duration.as_millis()).unwrap_or(i32::MAX);
    format!(
        "SET jit = off; SET statement_timeout = {}; SET lock_timeout = {}; \
         SET idle_in_transaction_session_timeout = {}; {ONE_PLAN}; {ENGLISH_MESSAGES}",
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
