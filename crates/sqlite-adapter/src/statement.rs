//! Statements that diesel's query builder cannot say.

use crate::error::StorageResult as _;
use application::ports::storage::StorageError;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sql_types::{BigInt, Binary, Nullable, Text};
use diesel::sqlite::{Sqlite, SqliteConnection};
use std::marker::PhantomData;

/// A value that takes the place of one `?`.
#[derive(Debug, Clone)]
pub(crate) enum Bind {
    /// A whole number.
    Integer(i64),
    /// Bytes: an id or a hash.
    Blob(Vec<u8>),
    /// A text.
    Text(String),
    /// A whole number that may be missing.
    OptionalInteger(Option<i64>),
}

/// One statement: text of this crate, and a bound value for each `?`; `R` are the SQL types of its row.
///
/// Differs from `diesel::sql_query` in that the connection keeps it prepared: preparing the longer ones costs
/// more than running them. Texts are made of constants only, so there are few.
pub(crate) struct Statement<R> {
    sql: String,
    binds: Vec<Bind>,
    row: PhantomData<fn() -> R>,
}

impl<R> Statement<R> {
    /// Begins a statement.
    pub(crate) fn new(sql: &'static str) -> Self {
        Self { sql: sql.to_owned(), binds: Vec::new(), row: PhantomData }
    }

    /// Appends text.
    pub(crate) fn sql(mut self, sql: &'static str) -> Self {
        self.sql.push_str(sql);
        self
    }

    /// Binds the next `?` to a whole number.
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

    /// Binds the next `?` to a whole number, or to `NULL`.
    pub(crate) fn optional_integer(mut self, value: Option<i64>) -> Self {
        self.binds.push(Bind::OptionalInteger(value));
        self
    }
}

#[cfg(test)]
impl<R> Statement<R> {
    /// Lists the steps by which SQLite would run the statement.
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

/// No static id: the connection finds the prepared statement by its text.
impl<R: 'static> QueryId for Statement<R> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<R> Query for Statement<R> {
    type SqlType = R;
}

impl<R> diesel::query_dsl::RunQueryDsl<SqliteConnection> for Statement<R> {}

/// Says how many rows a statement changed.
pub(crate) fn count(changed: QueryResult<usize>) -> Result<u64, StorageError> {
    changed.storage().map(|changed| changed.try_into().unwrap_or(u64::MAX))
}
