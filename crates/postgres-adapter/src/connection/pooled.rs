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
use std::sync::Arc;
use std::task::Poll;
use store_shared::GaugeGuard;

/// Pool of connections to one server, or to the one of several that accepts writes.
pub(crate) type Pool = deadpool::managed::Pool<Connections>;

type Row = <AsyncPgConnection as AsyncConnectionCore>::Row<'static, 'static>;

/// Rows of a response.
type Rows = BoxStream<'static, QueryResult<Row>>;

/// Manager of a pool: opens connections and checks whether they may be reused.
pub(crate) struct Connections {
    connector: Connector,
    response_guard: Arc<ResponseGuard>,
}

impl Manager for Connections {
    type Type = AsyncPgConnection;
    type Error = ConnectionError;

    async fn create(&self) -> Result<AsyncPgConnection, ConnectionError> {
        self.connector.connect().await
    }

    /// Rejects connections that the driver has closed or that may not respond. A test query before each use
    /// would cost a third of the throughput.
    async fn recycle(
        &self,
        connection: &mut AsyncPgConnection,
        metrics: &Metrics,
    ) -> RecycleResult<ConnectionError> {
        if connection.is_broken() {
            return Err(RecycleError::message("broken"));
        }
        if self.response_guard.is_suspect(metrics.recycled.unwrap_or(metrics.created)) {
            return Err(RecycleError::message("doubtful"));
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
    _in_use: GaugeGuard,
}

impl Pooled {
    pub(crate) const fn new(
        connection: Object<Connections>,
        response_guard: Arc<ResponseGuard>,
        is_distributed: bool,
        in_use: GaugeGuard,
    ) -> Self {
        Self { connection, response_guard, is_distributed, _in_use: in_use }
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

    /// Closes the connection instead of returning it to the pool.
    pub(crate) fn close(self) {
        drop(Object::take(self.connection));
    }
}

impl SimpleAsyncConnection for Pooled {
    async fn batch_execute(&mut self, query: &str) -> QueryResult<()> {
        let mut connection: &AsyncPgConnection = &self.connection;
        let answer = self.response_guard.run(SimpleAsyncConnection::batch_execute(&mut connection, query));
        let answer = round_trip(Operation::Transaction, answer).await?;
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
        let response_guard = &self.response_guard;
        let mut connection: &AsyncPgConnection = &self.connection;
        let answer = AsyncConnectionCore::load(&mut connection, source);
        async move {
            let rows = round_trip(Operation::Query, response_guard.run(answer)).await?;
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
        let response_guard = &self.response_guard;
        let mut connection: &AsyncPgConnection = &self.connection;
        let answer = AsyncConnectionCore::execute_returning_count(&mut connection, source);
        async move {
            let count = round_trip(Operation::Execute, response_guard.run(answer)).await?;
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
