//! Raw SQL statements that stay prepared on the connection.

use crate::error::StorageResult as _;
use crate::row::micros;
use application::ports::storage::StorageError;
use chrono::{DateTime, Utc};
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::query_dsl::methods::{ExecuteDsl, LoadQuery};
use diesel::result::{OptionalExtension as _, QueryResult};
use diesel::sql_types::{BigInt, Binary, Nullable, Text};
use diesel::sqlite::{Sqlite, SqliteConnection};
use std::marker::PhantomData;

/// Value bound to one `?`.
#[derive(Debug, Clone)]
pub(crate) enum Bind {
    Integer(i64),
    /// An id or a hash.
    Blob(Vec<u8>),
    Text(String),
    OptionalInteger(Option<i64>),
}

/// Statement of constant texts with a bound value per `?`; `R` are the SQL types of its row.
///
/// Unlike `diesel::sql_query`, it stays prepared on the connection: preparing the longer statements costs
/// more than running them. Texts consist of constants only, so there are few.
pub(crate) struct Statement<R> {
    sql: String,
    binds: Vec<Bind>,
    row: PhantomData<fn() -> R>,
}

impl<R> Statement<R> {
    pub(crate) fn new(sql: &'static str) -> Self {
        Self { sql: sql.to_owned(), binds: Vec::new(), row: PhantomData }
    }

    pub(crate) fn sql(mut self, sql: &'static str) -> Self {
        self.sql.push_str(sql);
        self
    }

    /// Binds the next `?` to an integer.
    pub(crate) fn integer(mut self, value: i64) -> Self {
        self.binds.push(Bind::Integer(value));
        self
    }

    /// Binds the next `?` to bytes.
    pub(crate) fn blob(mut self, value: &[u8]) -> Self {
        self.binds.push(Bind::Blob(value.to_vec()));
        self
    }

    /// Binds the next `?` to a text.
    pub(crate) fn text(mut self, value: &str) -> Self {
        self.binds.push(Bind::Text(value.to_owned()));
        self
    }

    /// Binds the next `?` to an integer or `NULL`.
    pub(crate) fn optional_integer(mut self, value: Option<i64>) -> Self {
        self.binds.push(Bind::OptionalInteger(value));
        self
    }
}

#[cfg(test)]
impl<R> Statement<R> {
    /// Returns the steps of SQLite's query plan.
    pub(crate) fn plan(self, connection: &mut SqliteConnection) -> Vec<String> {
        use diesel::RunQueryDsl as _;
        let Self { sql, binds, row: _ } = self;
        let explained: Statement<(diesel::sql_types::Integer, BigInt, BigInt, Text)> =
            Statement { sql: format!("EXPLAIN QUERY PLAN {sql}"), binds, row: PhantomData };
        let steps: Vec<(i32, i64, i64, String)> = explained.load(connection).unwrap();
        steps.into_iter().map(|(_, _, _, step)| step).collect()
    }
}

impl<R> QueryFragment<Sqlite> for Statement<R> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        let mut binds = self.binds.iter();
        for (position, part) in self.sql.split('?').enumerate() {
            if position > 0 {
                match binds.next() {
                    Some(Bind::Integer(value)) => out.push_bind_param::<BigInt, _>(value)?,
                    Some(Bind::Blob(value)) => out.push_bind_param::<Binary, _>(value)?,
                    Some(Bind::Text(value)) => out.push_bind_param::<Text, _>(value)?,
                    Some(Bind::OptionalInteger(value)) => {
                        out.push_bind_param::<Nullable<BigInt>, _>(value)?;
                    }
                    None => return Err(diesel::result::Error::QueryBuilderError("too few binds".into())),
                }
            }
            out.push_sql(part);
        }
        Ok(())
    }
}

/// Without a static id, the text is the cache key.
impl<R: 'static> QueryId for Statement<R> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<R> Query for Statement<R> {
    type SqlType = R;
}

impl<R> diesel::query_dsl::RunQueryDsl<SqliteConnection> for Statement<R> {}

/// Returns a task that runs a query and returns the number of changed rows.
pub(crate) fn execute<Q>(query: Q) -> impl FnOnce(&mut SqliteConnection) -> Result<u64, StorageError> + Send
where
    Q: ExecuteDsl<SqliteConnection> + Send,
{
    move |connection| {
        ExecuteDsl::execute(query, connection).storage().map(|rows| rows.try_into().unwrap_or(u64::MAX))
    }
}

/// Returns a task that deletes the oldest rows of a table, up to a limit, with a time before an instant. The
/// task returns their number.
pub(crate) fn delete_oldest(
    (table, key, time): (&'static str, &'static str, &'static str),
    before: DateTime<Utc>,
    limit: u32,
) -> impl FnOnce(&mut SqliteConnection) -> Result<u64, StorageError> + Send {
    let sql = format!(
        "DELETE FROM {table} WHERE ({key}) IN \
         (SELECT {key} FROM {table} WHERE {time} < ? ORDER BY {time} LIMIT ?)"
    );
    let statement: Statement<()> = Statement { sql, binds: Vec::new(), row: PhantomData };
    execute(statement.integer(micros(before)).integer(i64::from(limit)))
}

/// Returns a task that loads the first row of a query; `None` if there is none. A `LIMIT`, which diesel's
/// `first` adds, would make SQLite prepare the statement again at each binding.
pub(crate) fn load_row<T, Q>(
    query: Q,
) -> impl FnOnce(&mut SqliteConnection) -> Result<Option<T>, StorageError> + Send
where
    Q: LoadQuery<'static, SqliteConnection, T> + Send,
{
    move |connection| query.get_result(connection).optional().storage()
}
