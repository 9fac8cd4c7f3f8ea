//! The store: where connections come from.

use crate::connection::{
    Connector, Lanes, Outage, PageSpan, Place, Pool, Pooled, Role, SharedConnections, Silence, gave_way,
    is_broken, pool,
};
use crate::error::storage_error;
use crate::options::{InvalidPostgresOptions, PostgresOptions};
use crate::pool_meter::PoolMeter;
use crate::supplement::KnownLabels;
use application::ports::storage::StorageError;
use diesel::result::QueryResult;
use diesel_async::AsyncPgConnection;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;

/// Storage on Postgres: implements every storage port.
///
/// Transactions and large pages take a connection of a small pool; reads of a single row share a few connections, and
/// each worker has one of its own for pages.
/// No server is needed to make a store: connections come about when they are asked for, so that a process can
/// start, and be alive but not ready, before its database is.
pub struct PostgresStore {
    pool: Pool,
    shared: SharedConnections,
    pub(crate) labels: KnownLabels,
    pub(crate) lanes: Lanes,
    pub(crate) wait_timeout: Duration,
    pub(crate) silence: Arc<Silence>,
    /// That every connection of the pool is taken.
    shortage: Outage,
    pub(crate) connector: Connector,
    meter: PoolMeter,
}

impl PostgresStore {
    /// Prepares a store; fails only on options that can never work.
    pub fn connect(options: &PostgresOptions) -> Result<Self, InvalidPostgresOptions> {
        Self::connect_to(options, Role::Primary)
    }

    /// Prepares a store on a server of this role.
    pub(crate) fn connect_to(options: &PostgresOptions, role: Role) -> Result<Self, InvalidPostgresOptions> {
        if options.pool_size == 0 || options.shared_connections == 0 {
            return Err(InvalidPostgresOptions::PoolSize);
        }
        let connector = Connector::new(options, role)?;
        let silence = Arc::new(connector.silence(options));
        let pool = pool(&connector, options.pool_size, Arc::clone(&silence))
            .map_err(|_| InvalidPostgresOptions::PoolSize)?;
        let shared = SharedConnections::new(connector.clone(), options, Arc::clone(&silence));
        let lanes = Lanes::new(&connector, options, &silence);
        let wait_timeout = options.wait_timeout;
        let meter = PoolMeter::new(match role {
            Role::Primary => "primary",
            Role::Replica => "replica",
        });
        meter.holds(0, options.pool_size);
        let shortage = Outage::default();
        let labels = KnownLabels::new();
        Ok(Self { pool, shared, labels, lanes, wait_timeout, silence, shortage, connector, meter })
    }

    /// Says why no connection was to be had when one was last asked for, as the server or the system puts it;
    /// nothing when one was. It names a role or a database, never a password: for the operator, not for clients.
    pub fn why_unavailable(&self) -> Option<String> {
        let in_time = || self.shortage.reason().map(|_| "no connection came about in time".to_owned());
        self.connector.failure().or_else(in_time)
    }

    /// Takes a connection of the pool, waiting for one no longer than the options say.
    pub(crate) async fn pooled(&self) -> Result<Pooled, StorageError> {
        let connection = tokio::time::timeout(self.wait_timeout, self.pool.get());
        let connection = self.meter.waited_for(connection).await;
        let status = self.pool.status();
        self.meter.holds(status.size, status.max_size);
        match connection {
            Ok(Ok(connection)) => {
                self.shortage.end();
                Ok(Pooled::new(connection, Arc::clone(&self.silence), self.meter.in_use()))
            }
            // The connector has logged why.
            Ok(Err(_)) => Err(StorageError::Unavailable),
            Err(_) => {
                self.meter.gave_up();
                self.shortage.tell("none of the pool became free in time");
                Err(StorageError::Unavailable)
            }
        }
    }

    /// Runs a read of a single row on a shared connection.
    pub(crate) async fn shared<T, F>(&self, read: F) -> Result<T, StorageError>
    where
        T: Send,
        F: for<'c> Fn(&'c AsyncPgConnection) -> BoxFuture<'c, QueryResult<T>> + Send + Sync,
    {
        self.shared.read(read).await.map_err(storage_error)
    }

    /// Reads a page in one statement: on one of the worker's own connections for pages, or on a pooled one.
    pub(crate) async fn read_one_page<T, F>(&self, span: PageSpan, read: F) -> Result<T, StorageError>
    where
        T: Send + 'static,
        F: for<'c> Fn(&'c AsyncPgConnection) -> BoxFuture<'c, QueryResult<T>> + Send + Sync,
    {
        match self.lane(span).await? {
            Some(place) => place.read(read).await.map_err(storage_error),
            None => self.read_page(move |connection| connection.read(&read)).await,
        }
    }

    /// Takes a place on a lane of this worker, waiting for one no longer than the options say.
    async fn lane(&self, span: PageSpan) -> Result<Option<Place<'_>>, StorageError> {
        let place = tokio::time::timeout(self.wait_timeout, self.lanes.enter(span));
        let place = match span {
            PageSpan::Small => place.await,
            PageSpan::Large => self.meter.waited_for(place).await,
        };
        place.map_err(|_| {
            self.meter.gave_up();
            StorageError::Unavailable
        })
    }

    /// Reads a page on a pooled connection. When the connection turns out to be broken, or the read had to give way to
    /// something else, the page is read once more, which is harmless because it only reads.
    pub(crate) async fn read_page<T, F>(&self, read: F) -> Result<T, StorageError>
    where
        T: Send,
        F: for<'c> Fn(&'c mut Pooled) -> BoxFuture<'c, QueryResult<T>> + Send + Sync,
    {
        let mut connection = self.pooled().await?;
        match read(&mut connection).await {
            Err(error) if is_broken(&error) => {
                connection.close();
                connection = self.pooled().await?;
            }
            Err(error) if gave_way(&error) => {}
            result => return result.map_err(storage_error),
        }
        read(&mut connection).await.map_err(storage_error)
    }
}
