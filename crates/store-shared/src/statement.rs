//! Statements that both stores can run. The compiler checks each one against both SQL dialects.

use diesel::deserialize::FromSqlRow;
use diesel::dsl::Limit;
use diesel::expression::QueryMetadata;
use diesel::pg::Pg;
use diesel::query_builder::{AsQuery, AstPass, QueryFragment, QueryId};
use diesel::query_dsl::methods::LimitDsl;
use diesel::query_dsl::{CompatibleType, LoadQuery};
use diesel::result::{OptionalExtension, QueryResult};
use diesel::sqlite::{Sqlite, SqliteConnection};
use diesel_async::{AsyncConnectionCore, RunQueryDsl};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

/// A statement that changes rows.
pub trait Change: QueryFragment<Pg> + QueryFragment<Sqlite> + QueryId + Send + 'static {}

impl<Q: QueryFragment<Pg> + QueryFragment<Sqlite> + QueryId + Send + 'static> Change for Q {}

/// A query that returns rows `T`.
pub trait Rows<T>: QueryFragment<Pg> + QueryFragment<Sqlite> + Send + 'static {
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

impl<T, Q, P> Rows<T> for Q
where
    T: FromSqlRow<P, Pg> + Send + 'static,
    Q: AsQuery + LoadQuery<'static, SqliteConnection, T> + Send + 'static,
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

/// A query for one row by a unique key, which may run again.
pub trait Find<T>: Rows<T> + Clone + Sync {
    /// Loads the row; `None` if there is none.
    fn find_in_postgres<'c, C>(self, connection: C) -> BoxFuture<'c, QueryResult<Option<T>>>
    where
        C: AsyncConnectionCore<Backend = Pg> + Send + 'c;
}

impl<T, Q> Find<T> for Q
where
    T: Send + 'static,
    Q: Rows<T> + LimitDsl + Clone + Sync,
    Limit<Q>: Rows<T>,
{
    fn find_in_postgres<'c, C>(self, mut connection: C) -> BoxFuture<'c, QueryResult<Option<T>>>
    where
        C: AsyncConnectionCore<Backend = Pg> + Send + 'c,
    {
        async move { self.limit(1).load_one_from_postgres(&mut connection).await }.boxed()
    }
}

/// An insert that may find its key taken. `PostgreSQL` then inserts no row: an error would abort the
/// transaction, and log the row's values. SQLite reports the key.
#[derive(QueryId)]
pub(crate) struct New<Q>(pub(crate) Q);

impl<Q: QueryFragment<Pg>> QueryFragment<Pg> for New<Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.0.walk_ast(out.reborrow())?;
        out.push_sql(" ON CONFLICT DO NOTHING");
        Ok(())
    }
}

impl<Q: QueryFragment<Sqlite>> QueryFragment<Sqlite> for New<Q> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        self.0.walk_ast(out)
    }
}
