//! Connections with one user at a time.

use super::{Connector, ResponseGuard};
use crate::error::storage_error;
use crate::round_trip::{Operation, round_trip};
use crate::statement::{count, returning};
use application::ports::storage::StorageError;
use chrono::{DateTime, Utc};
use deadpool::managed::{BuildError, Manager, Metrics, Object, RecycleError, RecycleResult};
use diesel::ConnectionError;
use diesel::pg::Pg;
use diesel::query_builder::{AsQuery, QueryFragment, QueryId};
use diesel::result::{OptionalExtension as _, QueryResult};
use diesel::sql_query;
use diesel::sql_types::{BigInt, Timestamptz};
use diesel_async::methods::LoadQuery;
use diesel_async::pooled_connection::PoolableConnection as _;
use diesel_async::{AsyncConnectionCore, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};
use std::ops::Deref;
use std::sync::Arc;
use std::task::Poll;
use store_shared::GaugeGuard;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// Ends a transaction without its changes.
pub(crate) const ROLLBACK: &str = "ROLLBACK";

/// Pool of connections to one server, or to the one of several that accepts writes.
pub(crate) type Pool = deadpool::managed::Pool<Connections>;

type Row = <AsyncPgConnection as AsyncConnectionCore>::Row<'static, 'static>;

/// Rows of a response.
type Rows = BoxStream<'static, QueryResult<Row>>;

/// Connection of a pool.
pub(crate) struct Session {
    connection: Arc<AsyncPgConnection>,
    /// Rollback of a transaction that was dropped; its result is whether it succeeded.
    rollback: Option<JoinHandle<bool>>,
}

impl Deref for Session {
    type Target = AsyncPgConnection;

    fn deref(&self) -> &AsyncPgConnection {
        &self.connection
    }
}

/// Manager of a pool: opens connections and checks whether they may be reused.
pub(crate) struct Connections {
    connector: Connector,
    response_guard: Arc<ResponseGuard>,
}

impl Manager for Connections {
    type Type = Session;
    type Error = ConnectionError;

    async fn create(&self) -> Result<Session, ConnectionError> {
        let connection = Arc::new(self.connector.connect().await?);
        Ok(Session { connection, rollback: None })
    }

    /// Rejects connections that the driver has closed, that may not respond or whose last transaction was not
    /// rolled back. A test query before each use would cost a third of the throughput.
    async fn recycle(&self, session: &mut Session, metrics: &Metrics) -> RecycleResult<ConnectionError> {
        if self.response_guard.is_suspect(metrics.recycled.unwrap_or(metrics.created)) {
            return Err(RecycleError::message("doubtful"));
        }
        if let Some(rollback) = session.rollback.take()
            && !matches!(rollback.await, Ok(true))
        {
            return Err(RecycleError::message("not rolled back"));
        }
        // A rollback in progress would share it.
        let connection = Arc::get_mut(&mut session.connection).ok_or(RecycleError::message("in use"))?;
        if connection.is_broken() {
            return Err(RecycleError::message("broken"));
        }
        Ok(())
    }
}

pub(crate) fn pool(
    connector: &Connector,
    size: usize,
    response_guard: Arc<ResponseGuard>,
) -> Result<Pool, BuildError> {
    Pool::builder(Connections { connector: connector.clone(), response_guard }).max_size(size).build()
}

/// Connection that returns to the pool when dropped; waits for responses are limited.
pub(crate) struct Pooled {
    connection: Object<Connections>,
    response_guard: Arc<ResponseGuard>,
    is_distributed: bool,
    /// Whether the response to a statement is outstanding; stays set if its future is dropped.
    is_waiting: bool,
    _in_use: GaugeGuard,
}

impl Pooled {
    pub(crate) const fn new(
        connection: Object<Connections>,
        response_guard: Arc<ResponseGuard>,
        is_distributed: bool,
        in_use: GaugeGuard,
    ) -> Self {
        Self { connection, response_guard, is_distributed, is_waiting: false, _in_use: in_use }
    }

    /// Returns whether the server distributes tables over several nodes.
    pub(crate) const fn is_distributed(&self) -> bool {
        self.is_distributed
    }

    /// Chooses between the forms of a statement for plain `PostgreSQL` and for distributed tables.
    pub(crate) const fn form(&self, [plain, distributed]: [&'static str; 2]) -> &'static str {
        if self.is_distributed { distributed } else { plain }
    }

    /// Reads a page in one statement; the whole page must arrive within the statement's time limit.
    pub(crate) fn read<'c, T, F>(&'c self, read: F) -> BoxFuture<'c, QueryResult<T>>
    where
        T: Send + 'c,
        F: FnOnce(&'c AsyncPgConnection) -> BoxFuture<'c, QueryResult<T>>,
    {
        let answer = read(&self.connection);
        async move {
            let rows = round_trip(Operation::Query, self.response_guard.run(answer)).await?;
            self.response_guard.observe(&rows);
            rows
        }
        .boxed()
    }

    /// Runs a statement; returns the number of changed rows.
    pub(crate) fn execute<'c, Q>(&'c mut self, query: Q) -> BoxFuture<'c, Result<u64, StorageError>>
    where
        Q: QueryFragment<Pg> + QueryId + 'c,
    {
        let executed = self.execute_returning_count(query);
        executed.map(|rows| rows.map(count).map_err(storage_error)).boxed()
    }

    /// Runs a statement that deletes rows from before an instant, `$1`, up to a limit, `$2`.
    pub(crate) async fn delete_before(
        &mut self,
        statement: &str,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError> {
        let query = sql_query(statement).bind::<Timestamptz, _>(before).bind::<BigInt, _>(i64::from(limit));
        self.execute(returning::<(), _>(query)).await
    }

    /// Deletes the oldest rows of a table with a time before an instant, up to a limit. Skips locked rows; a
    /// later run deletes them.
    pub(crate) async fn delete_oldest(
        &mut self,
        (table, key, time): (&'static str, &'static str, &'static str),
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError> {
        let statement = format!(
            "DELETE FROM {table} WHERE {key} IN (SELECT {key} FROM {table} WHERE {time} < $1
                ORDER BY {time} LIMIT $2 FOR UPDATE SKIP LOCKED)"
        );
        self.delete_before(&statement, before, limit).await
    }

    /// Loads every row of a query.
    pub(crate) fn load_rows<'c, T, Q>(&'c mut self, query: Q) -> BoxFuture<'c, Result<Vec<T>, StorageError>>
    where
        T: Send + 'static,
        Q: LoadQuery<'c, Self, T> + 'c,
    {
        RunQueryDsl::load(query, self).map(|rows| rows.map_err(storage_error)).boxed()
    }

    /// Loads the first row of a query; `None` if there is none.
    pub(crate) fn load_row<'c, T, Q>(&'c mut self, query: Q) -> BoxFuture<'c, Result<Option<T>, StorageError>>
    where
        T: Send + 'static,
        Q: LoadQuery<'c, Self, T> + 'c,
    {
        RunQueryDsl::get_result(query, self).map(|row| row.optional().map_err(storage_error)).boxed()
    }

    /// Loads the row of a query that always returns one.
    pub(crate) fn load_one<'c, T, Q>(&'c mut self, query: Q) -> BoxFuture<'c, Result<T, StorageError>>
    where
        T: Send + 'static,
        Q: LoadQuery<'c, Self, T> + 'c,
    {
        RunQueryDsl::get_result(query, self).map(|row| row.map_err(storage_error)).boxed()
    }

    /// Returns whether the response to a statement is outstanding, and may never arrive.
    pub(crate) const fn is_waiting(&self) -> bool {
        self.is_waiting
    }

    /// Closes the connection instead of returning it to the pool.
    pub(crate) fn close(self) {
        drop(Object::take(self.connection));
    }

    /// Returns the connection to the pool and rolls its transaction back meanwhile; the next user waits for
    /// that. Closes the connection if a statement is still running, which the rollback would wait for.
    pub(crate) fn abandon(mut self) {
        let Some(runtime) = Handle::try_current().ok().filter(|_| !self.is_waiting()) else {
            return self.close();
        };
        let connection = Arc::clone(&self.connection.connection);
        let response_guard = Arc::clone(&self.response_guard);
        self.connection.rollback = Some(runtime.spawn(async move {
            let mut connection: &AsyncPgConnection = &connection;
            let rollback = response_guard.run(connection.batch_execute(ROLLBACK));
            matches!(round_trip(Operation::Transaction, rollback).await, Ok(Ok(())))
        }));
    }
}

impl SimpleAsyncConnection for Pooled {
    async fn batch_execute(&mut self, query: &str) -> QueryResult<()> {
        let mut connection: &AsyncPgConnection = &self.connection;
        let answer = self.response_guard.run(SimpleAsyncConnection::batch_execute(&mut connection, query));
        self.is_waiting = true;
        let answer = round_trip(Operation::Transaction, answer).await?;
        self.is_waiting = false;
        self.response_guard.observe(&answer);
        answer
    }
}

impl AsyncConnectionCore for Pooled {
    type ExecuteFuture<'conn, 'query> = BoxFuture<'conn, QueryResult<usize>>;
    type LoadFuture<'conn, 'query> = BoxFuture<'conn, QueryResult<Rows>>;
    type Stream<'conn, 'query> = Rows;
    type Row<'conn, 'query> = Row;
    type Backend = Pg;

    fn load<'conn, 'query, T>(&'conn mut self, source: T) -> Self::LoadFuture<'conn, 'query>
    where
        T: AsQuery + 'query,
        T::Query: QueryFragment<Pg> + QueryId + 'query,
    {
        let Self { response_guard, is_waiting, .. } = self;
        let mut connection: &AsyncPgConnection = &self.connection;
        let answer = AsyncConnectionCore::load(&mut connection, source);
        async move {
            *is_waiting = true;
            let rows = round_trip(Operation::Query, response_guard.run(answer)).await?;
            *is_waiting = false;
            response_guard.observe(&rows);
            let rows = rows?;
            Ok(bounded(rows, Arc::clone(response_guard)))
        }
        .boxed()
    }

    fn execute_returning_count<'conn, 'query, T>(
        &'conn mut self,
        source: T,
    ) -> Self::ExecuteFuture<'conn, 'query>
    where
        T: QueryFragment<Pg> + QueryId + 'query,
    {
        let Self { response_guard, is_waiting, .. } = self;
        let mut connection: &AsyncPgConnection = &self.connection;
        let answer = AsyncConnectionCore::execute_returning_count(&mut connection, source);
        async move {
            *is_waiting = true;
            let count = round_trip(Operation::Execute, response_guard.run(answer)).await?;
            *is_waiting = false;
            response_guard.observe(&count);
            count
        }
        .boxed()
    }
}

/// Limits the wait for the remaining rows too, because a response can stop midway. Also handles errors after
/// the first message, such as an insert on a full disk.
fn bounded(mut rows: Rows, response_guard: Arc<ResponseGuard>) -> Rows {
    let observe = Arc::clone(&response_guard);
    let mut end = Box::pin(async move { response_guard.run(std::future::pending::<Row>()).await });
    stream::poll_fn(move |context| match rows.poll_next_unpin(context) {
        Poll::Pending => end.as_mut().poll(context).map(Some),
        Poll::Ready(row) => {
            if let Some(row) = &row {
                observe.observe(row);
            }
            Poll::Ready(row)
        }
    })
    .boxed()
}
