//! Statements that both stores can run. The compiler checks each one against both SQL dialects.

use crate::column::{Id, IdCell, Instant, TimeCell};
use diesel::deserialize::FromSqlRow;
use diesel::expression::QueryMetadata;
use diesel::pg::Pg;
use diesel::query_builder::{AsQuery, AstPass, QueryFragment, QueryId};
use diesel::query_dsl::{CompatibleType, LoadQuery};
use diesel::result::{Error, OptionalExtension, QueryResult};
use diesel::sql_types::{BigInt, Binary, Nullable, Text};
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

/// A statement for which diesel has no form on one of the stores, with a value for each `?`. It stays
/// prepared, so there are only a few texts.
pub(crate) struct Raw {
    postgres: String,
    sqlite: String,
    values: Vec<Value>,
}

/// Value for a `?`.
pub(crate) enum Value {
    Id(IdCell),
    Time(TimeCell),
    Number(i64),
    Bytes(Vec<u8>),
    Text(String),
    OptionalId(Option<IdCell>),
}

impl Raw {
    /// Returns a statement that differs between the stores.
    pub(crate) fn new([postgres, sqlite]: [&str; 2], values: Vec<Value>) -> Self {
        Self { postgres: postgres.to_owned(), sqlite: sqlite.to_owned(), values }
    }

    /// Returns an insert of several rows, which diesel splits on SQLite. `row` is `(?, ?)` for two columns.
    pub(crate) fn insert(into: &str, row: &str, rows: Vec<Vec<Value>>, then: &str) -> Self {
        let text = format!("INSERT INTO {into} VALUES {} {then}", vec![row; rows.len()].join(", "));
        Self { postgres: text.clone(), sqlite: text, values: rows.into_iter().flatten().collect() }
    }
}

/// Without a static id, the text is the key of the prepared statement.
impl QueryId for Raw {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

macro_rules! raw_on {
    ($($backend:ident: $text:ident),*) => {$(
        impl QueryFragment<$backend> for Raw {
            fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, $backend>) -> QueryResult<()> {
                let mut values = self.values.iter();
                for (position, part) in self.$text.split('?').enumerate() {
                    if position > 0 {
                        match values.next().ok_or_else(|| Error::QueryBuilderError("too few values".into()))? {
                            Value::Id(id) => out.push_bind_param::<Id, _>(id)?,
                            Value::Time(at) => out.push_bind_param::<Instant, _>(at)?,
                            Value::Number(number) => out.push_bind_param::<BigInt, _>(number)?,
                            Value::Bytes(bytes) => out.push_bind_param::<Binary, _>(bytes)?,
                            Value::Text(text) => out.push_bind_param::<Text, _>(text)?,
                            Value::OptionalId(id) => out.push_bind_param::<Nullable<Id>, _>(id)?,
                        }
                    }
                    out.push_sql(part);
                }
                if values.next().is_some() {
                    return Err(Error::QueryBuilderError("too many values".into()));
                }
                Ok(())
            }
        }
    )*};
}
raw_on!(Pg: postgres, Sqlite: sqlite);

#[cfg(test)]
mod tests;
