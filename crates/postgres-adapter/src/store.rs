//! The store: where connections come from.

use crate::connection::{Connector, Outage, SharedConnections};
use crate::error::storage_error;
use crate::options::{InvalidPostgresOptions, PostgresOptions};
use application::ports::storage::StorageError;
use diesel::result::QueryResult;
use diesel_async::pooled_connection::deadpool::{Object, Pool};
use diesel_async::pooled_connection::{AsyncDieselConnectionManager, ManagerConfig, RecyclingMethod};
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::time::Duration;

/// A connection that goes back to the pool when it is dropped.
pub(crate) type Pooled = Object<AsyncPgConnection>;

/// Storage on Postgres: implements every storage port.
///
/// Transactions and pages take a connection of a small pool; reads of a single row share a few connections.
/// No server is needed to make a store: connections come about when they are asked for, so that a process can
/// start, and be alive but not ready, before its database is.
pub struct PostgresStore {
    pool: Pool<AsyncPgConnection>,
    shared: SharedConnections,
    wait_timeout: Duration,
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
        let mut manager = ManagerConfig::default();
        // A test query before each use would cost a third of the throughput; a connection that the driver
        // knows to be closed is not handed out either way.
        manager.recycling_method = RecyclingMethod::Fast;
        let setup = connector.clone();
        manager.custom_setup = Box::new(move |_| {
            let setup = setup.clone();
            async move { setup.connect().await }.boxed()
        });
        let manager = AsyncDieselConnectionManager::new_with_config("", manager);
        let pool = Pool::builder(manager).max_size(options.pool_size);
        let pool = pool.build().map_err(|_| InvalidPostgresOptions::PoolSize)?;
        let shared =
            SharedConnections::new(connector.clone(), options.shared_connections, options.wait_timeout);
        Ok(Self { pool, shared, wait_timeout: options.wait_timeout, shortage: Outage::default(), connector })
    }

    /// Asks the server for a sign of life; `Unavailable` when there is none within the time limits.
    pub async fn ping(&self) -> Result<(), StorageError> {
        let mut connection = self.pooled().await?;
        connection.batch_execute("SELECT 1").await.map_err(storage_error)
    }

    /// Takes a connection of the pool, waiting for one no longer than the options say.
    pub(crate) async fn pooled(&self) -> Result<Pooled, StorageError> {
        match tokio::time::timeout(self.wait_timeout, self.pool.get()).await {
            Ok(Ok(connection)) => {
                self.shortage.end();
                Ok(connection)
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
