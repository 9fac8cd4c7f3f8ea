//! Statements that both stores can run. The compiler checks each one against both SQL dialects.

use crate::column::{Day, DayCell, Id, IdCell, Instant, TimeCell};
use diesel::deserialize::FromSqlRow;
use diesel::expression::{Expression, QueryMetadata};
use diesel::pg::Pg;
use diesel::query_builder::{AsQuery, AstPass, Query, QueryFragment, QueryId};
use diesel::query_dsl::{CompatibleType, LoadQuery};
use diesel::result::{Error, OptionalExtension, QueryResult};
use diesel::sql_types::{BigInt, Binary, Bool, Double, Nullable, Text};
use diesel::sqlite::{Sqlite, SqliteConnection};
use diesel_async::{AsyncConnectionCore, RunQueryDsl};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

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

/// A statement as text, with a value for each `?`; `R` are the SQL types of its rows.
///
/// Unlike `diesel::sql_query`, it stays prepared on the connection: preparing the longer statements costs
/// more than running them. Texts consist of constants only, so there are few.
#[derive(Debug, Clone)]
pub struct Raw<R = ()> {
    postgres: Cow<'static, str>,
    sqlite: Cow<'static, str>,
    values: Vec<Value>,
    /// Whether each connection keeps it prepared.
    is_kept: bool,
    row: PhantomData<fn() -> R>,
}

impl<R> Raw<R> {
    /// Returns a statement that differs between `PostgreSQL` and SQLite, in this order.
    pub fn new([postgres, sqlite]: [impl Into<Cow<'static, str>>; 2]) -> Self {
        let (postgres, sqlite) = (postgres.into(), sqlite.into());
        Self { postgres, sqlite, values: Vec::new(), is_kept: true, row: PhantomData }
    }

    /// Returns a statement that is the same on both stores, or that only one of them runs.
    pub fn same(text: impl Into<Cow<'static, str>>) -> Self {
        let text = text.into();
        Self::new([text.clone(), text])
    }

    /// Appends text.
    #[must_use]
    pub fn sql(self, text: &str) -> Self {
        self.sql_of([text; 2])
    }

    /// Appends text that differs between the stores.
    #[must_use]
    pub fn sql_of(mut self, [postgres, sqlite]: [&str; 2]) -> Self {
        self.postgres.to_mut().push_str(postgres);
        self.sqlite.to_mut().push_str(sqlite);
        self
    }

    /// Binds the next `?`.
    #[must_use]
    pub fn bind(mut self, value: impl Into<Value>) -> Self {
        self.values.push(value.into());
        self
    }

    /// Binds the next `?` to bytes.
    #[must_use]
    pub fn blob(self, bytes: &[u8]) -> Self {
        self.bind(bytes.to_vec())
    }

    /// Binds the next `?` to a text.
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        self.bind(text.to_owned())
    }

    /// Binds the next `?`, one for each value.
    #[must_use]
    pub fn bind_all(mut self, values: impl IntoIterator<Item = Value>) -> Self {
        self.values.extend(values);
        self
    }
}

impl Raw {
    /// Returns a statement that is the same on both stores, and whose rows have these columns.
    pub(crate) fn rows<C: Expression>(text: &'static str, _columns: C) -> Raw<C::SqlType> {
        Raw::same(text)
    }

    /// Returns an insert of several rows, which diesel splits on SQLite. `row` is `(?, ?)` for two columns.
    /// With several it does not stay prepared, because each number of rows has a text.
    pub(crate) fn insert(into: &str, row: &str, rows: Vec<Vec<Value>>, then: &str) -> Self {
        let text = format!("INSERT INTO {into} VALUES {} {then}", vec![row; rows.len()].join(", "));
        Self { is_kept: rows.len() == 1, ..Self::same(text).bind_all(rows.into_iter().flatten()) }
    }
}

impl<R> Query for Raw<R> {
    type SqlType = R;
}

impl<R, C> diesel::RunQueryDsl<C> for Raw<R> {}

/// Without a static id, the text is the key of the prepared statement.
impl<R> QueryId for Raw<R> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

/// Defines the values that a `?` can have, and how each is bound.
macro_rules! values {
    ($($(#[$meta:meta])* $name:ident($value:ty) as $sql:ty;)*) => {
        /// Value of a `?`, which may be a hash or personal data.
        #[derive(Clone)]
        pub enum Value {
            $($(#[$meta])* $name($value),)*
        }

        impl fmt::Debug for Value {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("(..)")
            }
        }

        $(impl From<$value> for Value {
            fn from(value: $value) -> Self {
                Self::$name(value)
            }
        })*

        values!(Pg: postgres, $($name as $sql;)*);
        values!(Sqlite: sqlite, $($name as $sql;)*);
    };
    ($backend:ident: $text:ident, $($name:ident as $sql:ty;)*) => {
        impl<R> QueryFragment<$backend> for Raw<R> {
            fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, $backend>) -> QueryResult<()> {
                if !self.is_kept {
                    out.unsafe_to_cache_prepared();
                }
                let mut values = self.values.iter();
                for (position, part) in self.$text.split('?').enumerate() {
                    if position > 0 {
                        match values.next().ok_or_else(|| Error::QueryBuilderError("too few values".into()))? {
                            $(Value::$name(value) => out.push_bind_param::<$sql, _>(value)?,)*
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
    };
}

values! {
    /// An id.
    Id(IdCell) as Id;
    /// A time.
    Time(TimeCell) as Instant;
    /// A day.
    Day(DayCell) as Day;
    /// A truth value.
    Flag(bool) as Bool;
    /// A number.
    Number(i64) as BigInt;
    /// A number that need not be whole.
    Real(f64) as Double;
    /// A hash, or other bytes.
    Bytes(Vec<u8>) as Binary;
    /// A text.
    Text(String) as Text;
    /// An id or `NULL`.
    OptionalId(Option<IdCell>) as Nullable<Id>;
    /// A time or `NULL`.
    OptionalTime(Option<TimeCell>) as Nullable<Instant>;
    /// A day or `NULL`.
    OptionalDay(Option<DayCell>) as Nullable<Day>;
    /// A number or `NULL`.
    OptionalNumber(Option<i64>) as Nullable<BigInt>;
    /// Bytes or `NULL`.
    OptionalBytes(Option<Vec<u8>>) as Nullable<Binary>;
    /// A text or `NULL`.
    OptionalText(Option<String>) as Nullable<Text>;
}

/// A query that locks the rows that it finds on `PostgreSQL`, because the caller may change them. Inserts
/// that refer to them by foreign key still run. A transaction of SQLite holds the write lock.
#[derive(Debug, Clone, Copy, QueryId)]
pub struct Locked<Q>(pub Q);

impl<Q: Query> Query for Locked<Q> {
    type SqlType = Q::SqlType;
}

impl<Q, C> diesel::RunQueryDsl<C> for Locked<Q> {}

impl<Q: QueryFragment<Pg>> QueryFragment<Pg> for Locked<Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.0.walk_ast(out.reborrow())?;
        out.push_sql(" FOR NO KEY UPDATE");
        Ok(())
    }
}

impl<Q: QueryFragment<Sqlite>> QueryFragment<Sqlite> for Locked<Q> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        self.0.walk_ast(out)
    }
}

#[cfg(test)]
mod tests;
