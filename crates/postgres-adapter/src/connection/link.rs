//! A connection, whichever way its statements are sent.

use super::row::Row;
use super::unnamed::{Unnamed, Written};
use diesel::pg::Pg;
use diesel::query_builder::{AsQuery, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel_async::pooled_connection::PoolableConnection as _;
use diesel_async::{AsyncConnectionCore, AsyncPgConnection, SimpleAsyncConnection};
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use futures_util::{FutureExt, StreamExt, TryFutureExt, TryStreamExt};

/// The rows of an answer.
pub(super) type Rows = BoxStream<'static, QueryResult<Row>>;

/// One connection to a server, or to a pooler before it.
pub(crate) enum Link {
    /// Statements are prepared once and kept under a name.
    Named(Box<AsyncPgConnection>),
    /// No statement has a name.
    Unnamed(Unnamed),
}

impl Link {
    /// Tells whether nothing can be sent over it any more.
    pub(super) fn is_broken(&mut self) -> bool {
        match self {
            Self::Named(connection) => connection.is_broken(),
            Self::Unnamed(connection) => connection.is_closed(),
        }
    }
}

impl SimpleAsyncConnection for &Link {
    async fn batch_execute(&mut self, query: &str) -> QueryResult<()> {
        match self {
            Link::Named(connection) => SimpleAsyncConnection::batch_execute(&mut &**connection, query).await,
            Link::Unnamed(connection) => connection.batch_execute(query).await,
        }
    }
}

/// Several may use it at once: what they send is answered in that order.
impl<'a> AsyncConnectionCore for &'a Link {
    type ExecuteFuture<'conn, 'query> = BoxFuture<'a, QueryResult<usize>>;
    type LoadFuture<'conn, 'query> = BoxFuture<'a, QueryResult<Rows>>;
    type Stream<'conn, 'query> = Rows;
    type Row<'conn, 'query> = Row;
    type Backend = Pg;

    fn load<'conn, 'query, T>(&'conn mut self, source: T) -> Self::LoadFuture<'conn, 'query>
    where
        T: AsQuery + 'query,
        T::Query: QueryFragment<Pg> + QueryId + 'query,
    {
        let link: &'a Link = self;
        match link {
            Link::Named(connection) => {
                let mut connection: &'a AsyncPgConnection = connection;
                let rows = AsyncConnectionCore::load(&mut connection, source);
                rows.map_ok(|rows| rows.map_ok(Row::Named).boxed()).boxed()
            }
            Link::Unnamed(connection) => connection.load(Written::of(&source.as_query())).boxed(),
        }
    }

    fn execute_returning_count<'conn, 'query, T>(
        &'conn mut self,
        source: T,
    ) -> Self::ExecuteFuture<'conn, 'query>
    where
        T: QueryFragment<Pg> + QueryId + 'query,
    {
        let link: &'a Link = self;
        match link {
            Link::Named(connection) => {
                let mut connection: &'a AsyncPgConnection = connection;
                AsyncConnectionCore::execute_returning_count(&mut connection, source)
            }
            Link::Unnamed(connection) => connection.execute(Written::of(&source)).boxed(),
        }
    }
}
