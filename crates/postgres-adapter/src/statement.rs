//! Raw SQL statements that stay prepared on the connection.

use application::ports::storage::{StorageError, UniqueKey};
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::result::QueryResult;
use std::marker::PhantomData;

/// Statement with its binds, whose rows have the column types `ST`.
///
/// Diesel prepares a `sql_query` at each use, because the number of different texts may be unlimited. This
/// crate has only a few, so each is prepared once per connection. Rows are read by position instead of by
/// name.
pub(crate) struct Statement<Q, ST> {
    query: Q,
    columns: PhantomData<ST>,
}

/// Sets the column types of a `sql_query` and its binds.
pub(crate) const fn returning<ST, Q>(query: Q) -> Statement<Q, ST> {
    Statement { query, columns: PhantomData }
}

impl<Q: QueryFragment<Pg>, ST> QueryFragment<Pg> for Statement<Q, ST> {
    fn walk_ast<'b>(&'b self, pass: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.query.walk_ast(pass)
    }

    fn is_safe_to_cache_prepared(&self, _backend: &Pg) -> QueryResult<bool> {
        Ok(true)
    }
}

/// Without a static id, the text is the cache key.
impl<Q, ST> QueryId for Statement<Q, ST> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<Q, ST> Query for Statement<Q, ST> {
    type SqlType = ST;
}

/// Returns a conflict if an insert stored no row.
pub(crate) fn stored(rows: u64, key: UniqueKey) -> Result<(), StorageError> {
    if rows == 0 { Err(StorageError::Conflict(key)) } else { Ok(()) }
}

pub(crate) fn count(rows: usize) -> u64 {
    u64::try_from(rows).unwrap_or(u64::MAX)
}
