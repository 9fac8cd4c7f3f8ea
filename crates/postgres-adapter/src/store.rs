//! The store: where connections come from.

use crate::connection::{Connector, Outage, Pooled, SharedConnections, Silence, pool};
use crate::error::storage_error;
use crate::options::{InvalidPostgresOptions, PostgresOptions};
use application::ports::storage::StorageError;
use diesel::result::QueryResult;
use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::deadpool::Pool;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;

/// Storage on Postgres: implements every storage port.
///
/// Transactions and pages take a connection of a small pool; reads of a single row share a few connections.
/// No server is needed to make a store: connections come about when they are asked for, so that a process can
/// start, and be alive but not ready, before its database is.
pub struct PostgresStore {
    pool: Pool<AsyncPgConnection>,
    shared: SharedConnections,
    pub(crate) wait_timeout: Duration,
    pub(crate) silence: Arc<Silence>,
    /// That every connection of the pool is taken.
    shortage: Outage,
    pub(crate) connector: Connector,
}

impl PostgresStore {
    /// Prepares a store; fails only on options that can never work.
    pub fn connect(options: &PostgresOptions) -> Result<Self, InvalidPostgresOptions> {
        if options.pool_size == 0 || options.shared_connections == 0 {
            return Err(InvalidPostgresOptions::PoolSize);
        }
        let connector = Connector::new(options)?;
        let silence = Arc::new(connector.silence(options));
        let pool = pool(&connector, options.pool_size, Arc::clone(&silence))
            .map_err(|_| InvalidPostgresOptions::PoolSize)?;
        let shared = SharedConnections::new(connector.clone(), options, Arc::clone(&silence));
        let wait_timeout = options.wait_timeout;
        Ok(Self { pool, shared, wait_timeout, silence, shortage: Outage::default(), connector })
    }

    /// Says why no connection was to be had when one was last asked for, as the server or the system puts it;
    /// nothing when one was. It names a role or a database, never a password: for the operator, not for clients.
    pub fn why_unavailable(&self) -> Option<String> {
        let in_time = || self.shortage.reason().map(|_| "no connection came about in time".to_owned());
        self.connector.failure().or_else(in_time)
    }

    /// Takes a connection of the pool, waiting for one no longer than the options say.
    pub(crate) async fn pooled(&self) -> Result<Pooled, StorageError> {
        match tokio::time::timeout(self.wait_timeout, self.pool.get()).await {
            Ok(Ok(connection)) => {
                self.shortage.end();
                Ok(Pooled::new(connection, Arc::clone(&self.silence)))
            }
            // The connector has logged why.
            Ok(Err(_)) => Err(StorageError::Unavailable),
            Err(_) => {
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
}
