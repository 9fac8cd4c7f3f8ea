//! The Postgres store and its connections.

use crate::connection::{
    Connector, Outage, Pool, Pooled, ResponseGuard, Role, SharedConnections, is_broken, pool, was_aborted,
    worker_number,
};
use crate::error::storage_error;
use crate::options::{InvalidPostgresOptions, PostgresOptions};
use crate::supplement::KnownLabels;
use application::ports::storage::StorageError;
use async_trait::async_trait;
use diesel::dsl::Limit;
use diesel::query_dsl::methods::LimitDsl;
use diesel::result::{OptionalExtension as _, QueryResult};
use diesel_async::methods::LoadQuery;
use diesel_async::{AsyncPgConnection, RunQueryDsl as _};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;
use store_shared::{Change, ConnectionMeter, Raw, Read, Store, Transaction};

/// Length of a page, which determines the connection that reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageLength {
    /// Up to a few dozen rows, read like a single row.
    Short,
    /// Any number of rows.
    Long,
}

impl PageLength {
    /// Returns the length of a page that skips and reads this many rows.
    pub(crate) const fn of_rows(skipped: i64, read: i64) -> Self {
        if skipped <= 1_000 && read <= 101 { Self::Short } else { Self::Long }
    }
}

/// Storage on Postgres; implements every storage port.
///
/// Transactions use a connection of a small pool, and long pages one of the worker's pool. Single rows and
/// short pages are pipelined over the worker's connection. Connections are opened on first use, so a process
/// can start, and be alive but not ready, before its database.
pub struct PostgresStore {
    pool: Pool,
    shared: SharedConnections,
    pub(crate) labels: KnownLabels,
    /// One pool per worker for long pages, driven by the worker's runtime and separate from transactions.
    page_pools: Vec<Pool>,
    pub(crate) wait_timeout: Duration,
    pub(crate) response_guard: Arc<ResponseGuard>,
    /// Outage state for an exhausted pool.
    shortage: Outage,
    pub(crate) connector: Connector,
    meter: ConnectionMeter,
}

impl PostgresStore {
    /// Creates a store without connecting; fails only on invalid options.
    pub fn connect(options: &PostgresOptions) -> Result<Self, InvalidPostgresOptions> {
        Self::connect_to(options, Role::Primary)
    }

    /// Creates a store on a server of this role.
    pub(crate) fn connect_to(options: &PostgresOptions, role: Role) -> Result<Self, InvalidPostgresOptions> {
        if options.pool_size == 0 || options.shared_connections == 0 {
            return Err(InvalidPostgresOptions::PoolSize);
        }
        let connector = Connector::new(options, role)?;
        let response_guard = Arc::new(connector.response_guard(options));
        let pool_of = |size| pool(&connector, size, Arc::clone(&response_guard));
        let workers = options.shared_connections;
        let page_pools = (0..workers).map(|_| pool_of(options.pool_size.div_ceil(2 * workers)));
        let page_pools =
            page_pools.collect::<Result<_, _>>().map_err(|_| InvalidPostgresOptions::PoolSize)?;
        let pool = pool_of(options.pool_size).map_err(|_| InvalidPostgresOptions::PoolSize)?;
        let shared = SharedConnections::new(connector.clone(), options, Arc::clone(&response_guard));
        let wait_timeout = options.wait_timeout;
        let meter = ConnectionMeter::new(match role {
            Role::Primary => "primary",
            Role::Replica => "replica",
        });
        meter.set_size(0, options.pool_size);
        let shortage = Outage::default();
        let labels = KnownLabels::new();
        Ok(Self {
            pool,
            shared,
            labels,
            page_pools,
            wait_timeout,
            response_guard,
            shortage,
            connector,
            meter,
        })
    }

    /// Returns the server's or the system's reason for the last failure to connect; `None` if the last
    /// attempt succeeded. It may name a role or a database, never a password. It is for the operator, not for
    /// clients.
    pub fn unavailability(&self) -> Option<String> {
        let in_time = || self.shortage.reason().map(|_| "no connection became free in time".to_owned());
        self.connector.failure().or_else(in_time)
    }

    /// Returns the number of connections opened so far.
    pub fn opened_connections(&self) -> u64 {
        self.connector.opened()
    }

    /// Acquires a connection of the pool for transactions within the wait timeout.
    pub(crate) async fn pooled(&self) -> Result<Pooled, StorageError> {
        let connection = self.pooled_from(&self.pool).await;
        let status = self.pool.status();
        self.meter.set_size(status.size, status.max_size);
        connection
    }

    async fn pooled_from(&self, pool: &Pool) -> Result<Pooled, StorageError> {
        let connection = tokio::time::timeout(self.wait_timeout, pool.get());
        match self.meter.waited_for(async { connection.await.ok() }).await {
            Some(Ok(connection)) => {
                self.shortage.end();
                let is_distributed = self.connector.is_distributed();
                Ok(Pooled::new(
                    connection,
                    Arc::clone(&self.response_guard),
                    is_distributed,
                    self.meter.in_use(),
                ))
            }
            // The connector has logged the reason.
            Some(Err(_)) => Err(StorageError::Unavailable),
            None => {
                self.shortage.log_failure("no pooled connection became free in time");
                Err(StorageError::Unavailable)
            }
        }
    }

    /// Reads a single row on a shared connection.
    pub(crate) async fn shared<T, F>(&self, read: F) -> Result<T, StorageError>
    where
        T: Send,
        F: for<'c> Fn(&'c AsyncPgConnection) -> BoxFuture<'c, QueryResult<T>> + Send + Sync,
    {
        self.shared.read(read).await.map_err(storage_error)
    }

    /// Reads a single row on a shared connection; `None` if there is none. A retry builds the query again.
    pub(crate) async fn read_row<T, Q>(
        &self,
        query: impl Fn() -> Q + Send + Sync,
    ) -> Result<Option<T>, StorageError>
    where
        T: Send + 'static,
        Q: LimitDsl + Send + 'static,
        Limit<Q>: for<'c> LoadQuery<'static, &'c AsyncPgConnection, T> + Send + 'static,
    {
        self.shared(move |mut connection| {
            let query = query();
            async move { query.first(&mut connection).await.optional() }.boxed()
        })
        .await
    }

    /// Reads rows on a connection of the pool for transactions. A retry builds the query again.
    pub(crate) async fn read_rows<T, Q>(
        &self,
        query: impl Fn() -> Q + Send + Sync,
    ) -> Result<Vec<T>, StorageError>
    where
        T: Send + 'static,
        Q: LoadQuery<'static, Pooled, T> + Send + 'static,
    {
        self.read_page(move |connection| query().load(connection).boxed()).await
    }

    /// Reads a page in one statement: a short one over the worker's pipelined connection, a long one over its
    /// pool.
    pub(crate) async fn read_one_page<T, F>(&self, length: PageLength, read: F) -> Result<T, StorageError>
    where
        T: Send + 'static,
        F: for<'c> Fn(&'c AsyncPgConnection) -> BoxFuture<'c, QueryResult<T>> + Send + Sync,
    {
        if length == PageLength::Short {
            return self.shared(read).await;
        }
        let pool = self.page_pool().unwrap_or(&self.pool);
        self.read_page_from(pool, move |connection| connection.read(&read)).await
    }

    /// Returns this thread's pool for long pages; `None` if the thread is not a worker.
    fn page_pool(&self) -> Option<&Pool> {
        self.page_pools.get(worker_number()?.checked_rem(self.page_pools.len())?)
    }

    /// Reads a page on a connection of the pool for transactions.
    pub(crate) async fn read_page<T, F>(&self, read: F) -> Result<T, StorageError>
    where
        T: Send,
        F: for<'c> Fn(&'c mut Pooled) -> BoxFuture<'c, QueryResult<T>> + Send + Sync,
    {
        self.read_page_from(&self.pool, read).await
    }

    /// Reads a page on a pooled connection. Retries once after a broken connection, a serialization failure
    /// or a deadlock, which is safe for a read.
    async fn read_page_from<T, F>(&self, pool: &Pool, read: F) -> Result<T, StorageError>
    where
        T: Send,
        F: for<'c> Fn(&'c mut Pooled) -> BoxFuture<'c, QueryResult<T>> + Send + Sync,
    {
        let (result, connection) = read_once(self.pooled_from(pool).await?, &read).await;
        let connection = match result {
            Err(error) if is_broken(&error) => {
                if let Some(connection) = connection {
                    connection.close();
                }
                self.pooled_from(pool).await?
            }
            Err(error) if was_aborted(&error) => match connection {
                Some(connection) => connection,
                None => self.pooled_from(pool).await?,
            },
            result => return result.map_err(storage_error),
        };
        read_once(connection, &read).await.0.map_err(storage_error)
    }
}

#[async_trait]
impl Store for PostgresStore {
    const IS_PARTITIONED: bool = true;

    async fn load_row<T: Send + 'static, Q: Read<T>>(&self, query: Q) -> Result<Option<T>, StorageError> {
        self.shared(move |mut connection| {
            let query = query.clone();
            async move { query.load_one_from_postgres(&mut connection).await }.boxed()
        })
        .await
    }

    async fn load_rows<T: Send + 'static, Q: Read<T>>(&self, query: Q) -> Result<Vec<T>, StorageError> {
        self.read_page(move |connection| query.clone().load_from_postgres(connection)).await
    }

    async fn load_few<T: Send + 'static, Q: Read<T>>(&self, query: Q) -> Result<Vec<T>, StorageError> {
        self.shared(move |mut connection| {
            let query = query.clone();
            async move { query.load_from_postgres(&mut connection).await }.boxed()
        })
        .await
    }

    async fn change<Q: Change>(&self, query: Q) -> Result<u64, StorageError> {
        Pooled::execute(&mut self.pooled().await?, query).await
    }

    async fn change_all(&self, queries: Vec<Raw>) -> Result<(), StorageError> {
        let mut transaction = self.transaction().await?;
        for query in queries {
            Transaction::execute(&mut transaction, query).await?;
        }
        transaction.commit().await
    }
}

store_shared::implement_readers!(PostgresStore);

/// Closes the connection of a cancelled read: its statement may run for seconds and would delay the next
/// user.
struct CloseOnDrop(Option<Pooled>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        if let Some(connection) = self.0.take() {
            connection.close();
        }
    }
}

/// Runs a read and returns the connection with the response.
async fn read_once<T, F>(connection: Pooled, read: &F) -> (QueryResult<T>, Option<Pooled>)
where
    T: Send,
    F: for<'c> Fn(&'c mut Pooled) -> BoxFuture<'c, QueryResult<T>> + Send + Sync,
{
    let mut lease = CloseOnDrop(Some(connection));
    let result = match &mut lease.0 {
        Some(connection) => read(connection).await,
        None => Err(diesel::result::Error::NotFound),
    };
    (result, lease.0.take())
}
