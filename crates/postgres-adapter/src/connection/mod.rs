//! Opening connections, with or without TLS, and session setup.

mod outage;
mod pooled;
mod response_guard;
mod shared;
mod worker;

pub(crate) use outage::Outage;
pub(crate) use pooled::{Pool, Pooled, ROLLBACK, pool};
pub(crate) use response_guard::ResponseGuard;
pub(crate) use shared::SharedConnections;
pub(crate) use worker::number as worker_number;

use crate::error::{closed, is_deadlock};
use crate::options::{InvalidPostgresOptions, ParsedUrl, PostgresOptions, parse_url};
use crate::round_trip::{Operation, round_trip};
use crate::tls::TlsPolicy;
use diesel::result::{DatabaseErrorKind, Error};
use diesel::{ConnectionError, ConnectionResult};
use diesel_async::AsyncPgConnection;
use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_postgres::config::{Config, Host, TargetSessionAttrs};
use tokio_postgres::tls::TlsStream;
use tokio_postgres::{Client, Connection, SimpleQueryMessage, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

/// Idle time before the kernel sends TCP keepalives.
const KEEPALIVE: Duration = Duration::from_mins(1);

/// Requests English messages, because the driver identifies a failure only by its message (see `error`). This
/// needs a superuser or a role with `GRANT SET ON PARAMETER lc_messages`. Other roles keep the server's
/// setting, which must be C or English.
const ENGLISH_MESSAGES: &str = "DO $$ BEGIN PERFORM set_config('lc_messages', 'C', false); \
    EXCEPTION WHEN insufficient_privilege THEN NULL; END $$";

/// Role that a connection requires of its server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Accepts writes, so reads are current.
    Primary,
    /// May be a standby, so reads may be slightly old.
    Replica,
}

/// Attempt to connect in progress. Only one is made at a time: many handshakes at once, after a failover on a
/// busy machine, would slow each other down until all of them time out.
type Attempt = JoinHandle<ConnectionResult<AsyncPgConnection>>;

/// Factory of connections with the same settings.
#[derive(Clone)]
pub(crate) struct Connector {
    /// Servers of the URL, tried in turn.
    servers: Vec<Config>,
    /// Index of the server of the last connection.
    last: Arc<AtomicUsize>,
    wait_timeout: Duration,
    tls: Option<MakeRustlsConnect>,
    session: String,
    attempt: Arc<Mutex<Option<Attempt>>>,
    /// Whether the last connection found an engine that distributes tables (see [`PLAN_MODE`]).
    is_distributed: Arc<AtomicBool>,
    outage: Arc<Outage>,
    opened: Arc<AtomicU64>,
}

impl Connector {
    /// Parses the URL and loads the trusted certificates; does not connect.
    pub(crate) fn new(options: &PostgresOptions, role: Role) -> Result<Self, InvalidPostgresOptions> {
        let ParsedUrl { mut servers, tls } = parse_url(&options.url)?;
        let on_sockets = servers.iter().all(is_on_sockets);
        // Unix sockets never use TLS, so a mode that requires it would fail.
        let tls = if on_sockets { TlsPolicy::Disabled } else { tls };
        for config in &mut servers {
            if config.get_application_name().is_none() {
                config.application_name("restwell");
            }
            if config.get_connect_timeout().is_none() {
                config.connect_timeout(options.wait_timeout);
            }
            // Closes a connection with unacknowledged data. The kernel of a slow server still acknowledges.
            config.keepalives_idle(KEEPALIVE).tcp_user_timeout(options.wait_timeout);
            config.ssl_mode(tls.driver_mode());
            if role == Role::Primary {
                // A standby would respond, but may not have a recent revocation yet.
                config.target_session_attrs(TargetSessionAttrs::ReadWrite);
            }
        }
        Ok(Self {
            servers,
            last: Arc::default(),
            wait_timeout: options.wait_timeout,
            tls: tls.connector()?,
            session: session(options),
            attempt: Arc::default(),
            is_distributed: Arc::default(),
            outage: Arc::default(),
            opened: Arc::default(),
        })
    }

    /// Opens a connection and sets its session up; logs the reason of a failure.
    pub(crate) async fn connect(&self) -> ConnectionResult<AsyncPgConnection> {
        self.logged(round_trip(Operation::Connect, Box::pin(self.attempt())).await)
    }

    /// Returns the number of servers in the URL.
    pub(crate) const fn servers(&self) -> usize {
        self.servers.len()
    }

    fn logged<T>(&self, connected: ConnectionResult<T>) -> ConnectionResult<T> {
        match &connected {
            Ok(_) => {
                self.opened.fetch_add(1, Ordering::Relaxed);
                self.outage.end();
            }
            Err(error) => self.outage.log_failure(&error.to_string()),
        }
        connected
    }

    /// Returns the response timeout of connections opened here.
    pub(crate) fn response_guard(&self, options: &PostgresOptions) -> ResponseGuard {
        ResponseGuard::new(options.statement_timeout, Arc::clone(&self.outage))
    }

    /// Logs an aborted attempt to connect.
    pub(crate) fn log_timeout(&self) {
        self.outage.log_failure("no response in time");
    }

    /// Returns why the last attempt to connect failed; `None` if it succeeded.
    pub(crate) fn failure(&self) -> Option<String> {
        self.outage.reason()
    }

    /// Returns the number of connections opened so far.
    pub(crate) fn opened(&self) -> u64 {
        self.opened.load(Ordering::Relaxed)
    }

    /// Returns whether the server distributes tables over several nodes. A statement that spans tables of
    /// different nodes then has another form. False before the first connection.
    pub(crate) fn is_distributed(&self) -> bool {
        self.is_distributed.load(Ordering::Relaxed)
    }

    /// Starts an attempt, or waits for the one in progress. An attempt continues when its caller gives up;
    /// the connection is then the next caller's.
    async fn attempt(&self) -> ConnectionResult<AsyncPgConnection> {
        let mut attempt = self.attempt.lock().await;
        // One that ended when no caller waited may have ended long ago.
        attempt.take_if(|task| task.is_finished());
        let task = attempt.get_or_insert_with(|| {
            let connector = self.clone();
            tokio::spawn(async move { connector.try_servers().await })
        });
        let opened = task.await;
        *attempt = None;
        opened.unwrap_or_else(|_| Err(ConnectionError::BadConnection("the attempt was aborted".to_owned())))
    }

    /// Tries the servers in turn, starting with the last one that worked. Each has an equal share of the
    /// remaining time, because a frozen server accepts connections and then sends nothing.
    async fn try_servers(&self) -> ConnectionResult<AsyncPgConnection> {
        let deadline = Instant::now() + self.wait_timeout;
        let first = self.last.load(Ordering::Relaxed);
        let mut failure = ConnectionError::BadConnection("no server is named".to_owned());
        let mut untried = u32::try_from(self.servers.len()).unwrap_or(u32::MAX);
        let places = (first..self.servers.len()).chain(0..first);
        for (place, config) in places.filter_map(|place| Some((place, self.servers.get(place)?))) {
            let share = deadline.duration_since(Instant::now()).checked_div(untried).unwrap_or_default();
            untried -= 1;
            match tokio::time::timeout(share, self.open(config)).await {
                Ok(Ok(connection)) => {
                    self.last.store(place, Ordering::Relaxed);
                    return Ok(connection);
                }
                Ok(Err(error)) => failure = error,
                Err(_) => failure = ConnectionError::BadConnection("no response in time".to_owned()),
            }
        }
        Err(failure)
    }

    async fn open(&self, config: &Config) -> ConnectionResult<AsyncPgConnection> {
        if let Some(tls) = &self.tls {
            let (client, connection) = config.connect(tls.clone()).await.map_err(|e| describe(&e))?;
            self.set_up(client, connection).await
        } else {
            let connecting = config.connect(tokio_postgres::NoTls);
            let (client, connection) = connecting.await.map_err(|e| describe(&e))?;
            self.set_up(client, connection).await
        }
    }

    async fn set_up<S>(
        &self,
        client: Client,
        mut connection: Connection<Socket, S>,
    ) -> ConnectionResult<AsyncPgConnection>
    where
        S: TlsStream + Unpin + Send + 'static,
    {
        let rows = tokio::select! {
            biased;
            rows = client.simple_query(&self.session) => rows,
            // Nothing else drives the connection yet.
            ended = &mut connection => ended.map(|()| Vec::new()),
        };
        let mode = rows.map_err(|error| describe(&error))?.into_iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        });
        self.is_distributed.store(mode.as_deref() == Some(DISTRIBUTED), Ordering::Relaxed);
        AsyncPgConnection::try_from_client_and_connection(client, connection).await
    }
}

fn is_on_sockets(config: &Config) -> bool {
    let hosts = config.get_hosts();
    !hosts.is_empty() && hosts.iter().all(|host| matches!(host, Host::Unix(_)))
}

/// Returns whether the connection, not the statement, failed: it was closed, or the server ends the session.
/// A read may then run again over another connection. A response timeout is excluded, because a retry would
/// double the wait.
pub(crate) fn is_broken(error: &Error) -> bool {
    match error {
        Error::DatabaseError(
            DatabaseErrorKind::ClosedConnection | DatabaseErrorKind::UnableToSendCommand,
            information,
        ) => information.message() != response_guard::NO_RESPONSE,
        Error::DatabaseError(_, information) => closed(information.message()),
        _ => false,
    }
}

/// Returns whether the server aborted the statement in favor of another one: a deadlock or a serialization
/// failure, which a standby also reports for a conflict with replay. The connection is still usable, and a
/// read may be retried immediately.
pub(crate) fn was_aborted(error: &Error) -> bool {
    match error {
        Error::DatabaseError(DatabaseErrorKind::SerializationFailure, _) => true,
        Error::DatabaseError(_, information) => is_deadlock(information.message()),
        _ => false,
    }
}

/// Answer of [`PLAN_MODE`] on a server that distributes tables.
const DISTRIBUTED: &str = "auto";

/// Chooses how the session plans statements, and reports whether the server distributes tables.
///
/// Plain `PostgreSQL` plans each prepared statement once. By default the server plans a statement on a
/// partitioned table at every use, because its estimate counts all partitions although only one is read. That
/// takes two to four times as long as running the statement. All statements name their keys, so the best plan
/// is the same for all parameters.
///
/// Citus routes a statement to one shard by the values of its parameters, which a generic plan does not know.
/// The few statements on all shards use one connection per worker: a copied table, such as `person`, can then
/// be changed in the same transaction.
const PLAN_MODE: &str = "SELECT
        set_config('plan_cache_mode', CASE WHEN is_there THEN 'auto' ELSE 'force_generic_plan' END, false),
        CASE WHEN is_there THEN set_config('citus.multi_shard_modify_mode', 'sequential', false) END
    FROM (SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')) AS citus (is_there)";

/// Returns the statements that set a session up, in one round trip.
///
/// JIT compilation is off: the planner overestimates statements on partitioned tables and with unknown
/// limits, and compiling takes a hundred times as long as running them.
fn session(options: &PostgresOptions) -> String {
    let millis = |duration: Duration| i32::try_from(duration.as_millis()).unwrap_or(i32::MAX);
    format!(
        "SET jit = off; SET statement_timeout = {}; SET lock_timeout = {}; \
         SET idle_in_transaction_session_timeout = {}; {PLAN_MODE}; {ENGLISH_MESSAGES}",
        millis(options.statement_timeout),
        millis(options.lock_timeout),
        millis(options.idle_in_transaction_timeout),
    )
}

/// Returns the reason of a failed connection for the operator's log; the driver includes no password.
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
