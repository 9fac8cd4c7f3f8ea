//! Connections that one user has at a time.

use super::{Connector, Silence};
use crate::pool_meter::{Counted, Operation, round_trip};
use deadpool::managed::{BuildError, Manager, Metrics, Object, RecycleError, RecycleResult};
use diesel::ConnectionError;
use diesel::pg::Pg;
use diesel::query_builder::{AsQuery, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel_async::pooled_connection::PoolableConnection as _;
use diesel_async::{AsyncConnectionCore, AsyncPgConnection, SimpleAsyncConnection};
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};
use std::sync::Arc;
use std::task::Poll;

/// A pool of connections to one server, or to whichever of several takes writes.
pub(crate) type Pool = deadpool::managed::Pool<Connections>;

type Row = <AsyncPgConnection as AsyncConnectionCore>::Row<'static, 'static>;

/// The rows of an answer.
type Rows = BoxStream<'static, QueryResult<Row>>;

/// Makes the connections of a pool, and tells which may be used again.
pub(crate) struct Connections {
    connector: Connector,
    silence: Arc<Silence>,
}

impl Manager for Connections {
    type Type = AsyncPgConnection;
    type Error = ConnectionError;

    async fn create(&self) -> Result<AsyncPgConnection, ConnectionError> {
        self.connector.connect().await
    }

    /// A test query before each use would cost a third of the throughput; a connection that the driver knows to be
    /// closed is not handed out either way, nor one that may have fallen silent.
    async fn recycle(
        &self,
        connection: &mut AsyncPgConnection,
        metrics: &Metrics,
    ) -> RecycleResult<ConnectionError> {
        if connection.is_broken() {
            return Err(RecycleError::message("broken"));
        }
        if self.silence.makes_doubtful(metrics.recycled.unwrap_or(metrics.created)) {
            return Err(RecycleError::message("doubtful"));
        }
        Ok(())
    }
}

/// Makes the pool.
pub(crate) fn pool(connector: &Connector, size: usize, silence: Arc<Silence>) -> Result<Pool, BuildError> {
    Pool::builder(Connections { connector: connector.clone(), silence }).max_size(size).build()
}

/// A connection that goes back to the pool when it is dropped, and does not wait for ever for an answer.
pub(crate) struct Pooled {
    connection: Object<Connections>,
    silence: Arc<Silence>,
    _in_use: Counted,
}

impl Pooled {
    pub(crate) const fn new(connection: Object<Connections>, silence: Arc<Silence>, in_use: Counted) -> Self {
        Self { connection, silence, _in_use: in_use }
    }

    /// Reads a page in one statement, and waits for all of it no longer than a statement may run.
    pub(crate) fn read<'c, T, F>(&'c self, read: F) -> BoxFuture<'c, QueryResult<T>>
    where
        T: Send + 'c,
        F: FnOnce(&'c AsyncPgConnection) -> BoxFuture<'c, QueryResult<T>>,
    {
        let answer = read(&self.connection);
        async move {
            let rows = round_trip(Operation::Query, self.silence.bound(answer)).await?;
            self.silence.judge(&rows);
            rows
        }
        .boxed()
    }

    /// Closes the connection instead of giving it back.
    pub(crate) fn close(self) {
        drop(Object::take(self.connection));
    }
}

impl SimpleAsyncConnection for Pooled {
    async fn batch_execute(&mut self, query: &str) -> QueryResult<()> {
        let mut connection: &AsyncPgConnection = &self.connection;
        let answer = self.silence.bound(SimpleAsyncConnection::batch_execute(&mut connection, query));
        let answer = round_trip(Operation::Transaction, answer).await?;
        self.silence.judge(&answer);
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
        let silence = &self.silence;
        let mut connection: &AsyncPgConnection = &self.connection;
        let answer = AsyncConnectionCore::load(&mut connection, source);
        async move {
            let rows = round_trip(Operation::Query, silence.bound(answer)).await?;
            silence.judge(&rows);
            let rows = rows?;
            Ok(bounded(rows, Arc::clone(silence)))
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
        let silence = &self.silence;
        let mut connection: &AsyncPgConnection = &self.connection;
        let answer = AsyncConnectionCore::execute_returning_count(&mut connection, source);
        async move {
            let count = round_trip(Operation::Execute, silence.bound(answer)).await?;
            silence.judge(&count);
            count
        }
        .boxed()
    }
}

/// Bounds the wait for the rest of the rows, too: an answer can break off. A statement that fails after its
/// first message, as an insert on a full disk does, is judged here.
fn bounded(mut rows: Rows, silence: Arc<Silence>) -> Rows {
    let judge = Arc::clone(&silence);
    let mut end = Box::pin(async move { silence.bound(std::future::pending::<Row>()).await });
    stream::poll_fn(move |context| match rows.poll_next_unpin(context) {
        Poll::Pending => end.as_mut().poll(context).map(Some),
        Poll::Ready(row) => {
            if let Some(row) = &row {
                judge.judge(row);
            }
            Poll::Ready(row)
        }
    })
    .boxed()
}
