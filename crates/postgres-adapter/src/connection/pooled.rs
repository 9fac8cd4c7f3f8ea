//! Connections that one user has at a time.

use super::{Connector, Silence};
use diesel::pg::Pg;
use diesel::query_builder::{AsQuery, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel_async::pooled_connection::deadpool::{BuildError, Hook, HookError, Object, Pool};
use diesel_async::pooled_connection::{AsyncDieselConnectionManager, ManagerConfig, RecyclingMethod};
use diesel_async::{AsyncConnectionCore, AsyncPgConnection, SimpleAsyncConnection};
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use std::sync::Arc;
use std::task::Poll;

/// The rows of an answer, as the driver reads them.
type Rows = <AsyncPgConnection as AsyncConnectionCore>::Stream<'static, 'static>;
type Row = <AsyncPgConnection as AsyncConnectionCore>::Row<'static, 'static>;

/// Makes the pool. No connection that may have fallen silent comes out of it again.
pub(crate) fn pool(
    connector: &Connector,
    size: usize,
    silence: Arc<Silence>,
) -> Result<Pool<AsyncPgConnection>, BuildError> {
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
    let answers = Hook::sync_fn(move |_, metrics| {
        if silence.makes_doubtful(metrics.recycled.unwrap_or(metrics.created)) {
            return Err(HookError::message("silent"));
        }
        Ok(())
    });
    Pool::builder(manager).max_size(size).pre_recycle(answers).build()
}

/// A connection that goes back to the pool when it is dropped, and does not wait for ever for an answer.
pub(crate) struct Pooled {
    connection: Object<AsyncPgConnection>,
    silence: Arc<Silence>,
}

impl Pooled {
    pub(crate) const fn new(connection: Object<AsyncPgConnection>, silence: Arc<Silence>) -> Self {
        Self { connection, silence }
    }

    /// Closes the connection instead of giving it back.
    pub(crate) fn close(self) {
        drop(Object::take(self.connection));
    }
}

impl SimpleAsyncConnection for Pooled {
    async fn batch_execute(&mut self, query: &str) -> QueryResult<()> {
        self.silence.bound(self.connection.batch_execute(query)).await?
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
        let answer = self.connection.load(source);
        async move {
            let rows = silence.bound(answer).await??;
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
        let answer = self.connection.execute_returning_count(source);
        async move { silence.bound(answer).await? }.boxed()
    }
}

/// Bounds the wait for the rest of the rows, too: an answer can break off.
fn bounded(mut rows: Rows, silence: Arc<Silence>) -> Rows {
    let mut end = Box::pin(async move { silence.bound(std::future::pending::<Row>()).await });
    stream::poll_fn(move |context| match rows.poll_next_unpin(context) {
        Poll::Pending => end.as_mut().poll(context).map(Some),
        ready @ Poll::Ready(_) => ready,
    })
    .boxed()
}
