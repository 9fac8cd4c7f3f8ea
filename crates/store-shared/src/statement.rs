//! Statements that both stores can run. The compiler checks each one against both SQL dialects.

use diesel::deserialize::FromSqlRow;
use diesel::expression::QueryMetadata;
use diesel::pg::Pg;
use diesel::query_builder::{AsQuery, QueryFragment, QueryId};
use diesel::query_dsl::{CompatibleType, LoadQuery};
use diesel::result::{OptionalExtension, QueryResult};
use diesel::sqlite::{Sqlite, SqliteConnection};
use diesel_async::{AsyncConnectionCore, RunQueryDsl};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

/// A statement that changes rows.
pub trait Change: QueryFragment<Pg> + QueryFragment<Sqlite> + QueryId + Send + 'static {}

impl<Q: QueryFragment<Pg> + QueryFragment<Sqlite> + QueryId + Send + 'static> Change for Q {}

/// A query that returns rows `T`, and may run again.
pub trait Read<T>: QueryFragment<Pg> + QueryFragment<Sqlite> + Clone + Send + Sync + 'static {
    /// Loads every row.
    fn load_from_postgres<C>(self, connection: &mut C) -> BoxFuture<'_, QueryResult<Vec<T>>>
    where
        C: AsyncConnectionCore<Backend = Pg> + Send;

    /// Loads the first row; `None` if there is none.
    fn load_one_from_postgres<C>(self, connection: &mut C) -> BoxFuture<'_, QueryResult<Option<T>>>
    where
        C: AsyncConnectionCore<Backend = Pg> + Send;

    /// Loads every row.
    fn load_from_sqlite(self, connection: &mut SqliteConnection) -> QueryResult<Vec<T>>;

    /// Loads the first row; `None` if there is none. A `LIMIT`, which diesel's `first` adds, would make
    /// SQLite prepare the statement again at each binding.
    fn load_one_from_sqlite(self, connection: &mut SqliteConnection) -> QueryResult<Option<T>>;
}

impl<T, Q, P> Read<T> for Q
where
    T: FromSqlRow<P, Pg> + Send + 'static,
    Q: AsQuery + LoadQuery<'static, SqliteConnection, T> + Clone + Send + Sync + 'static,
    Q: QueryFragment<Pg> + QueryFragment<Sqlite>,
    Q::Query: QueryFragment<Pg> + QueryId + Send,
    Q::SqlType: CompatibleType<T, Pg, SqlType = P>,
    Pg: QueryMetadata<Q::SqlType>,
    P: 'static,
{
    fn load_from_postgres<C>(self, connection: &mut C) -> BoxFuture<'_, QueryResult<Vec<T>>>
    where
        C: AsyncConnectionCore<Backend = Pg> + Send,
    {
        RunQueryDsl::load(self, connection).boxed()
    }

    fn load_one_from_postgres<C>(self, connection: &mut C) -> BoxFuture<'_, QueryResult<Option<T>>>
    where
        C: AsyncConnectionCore<Backend = Pg> + Send,
    {
        RunQueryDsl::get_result(self, connection).map(OptionalExtension::optional).boxed()
    }

    fn load_from_sqlite(self, connection: &mut SqliteConnection) -> QueryResult<Vec<T>> {
        self.internal_load(connection)?.collect()
    }

    fn load_one_from_sqlite(self, connection: &mut SqliteConnection) -> QueryResult<Option<T>> {
        self.internal_load(connection)?.next().transpose()
    }
}
