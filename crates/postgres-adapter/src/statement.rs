//! Statements written as SQL whose prepared form stays on the connection.

use application::ports::storage::{StorageError, UniqueKey};
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::result::QueryResult;
use std::marker::PhantomData;

/// A statement with its binds, whose rows have the columns `ST`.
///
/// Diesel prepares a `sql_query` anew each time, because it cannot know how many texts there will be. Here every
/// text is one of a few that this crate writes, so it is prepared once a connection; and its rows are read by
/// position instead of by name.
pub(crate) struct Statement<Q, ST> {
    query: Q,
    columns: PhantomData<ST>,
}

/// Names the columns of a `sql_query` and its binds.
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

/// Without an id of its own the text is the key of the cache.
impl<Q, ST> QueryId for Statement<Q, ST> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<Q, ST> Query for Statement<Q, ST> {
    type SqlType = ST;
}

/// Reports a conflict when an insert stored nothing.
pub(crate) fn stored(rows: usize, key: UniqueKey) -> Result<(), StorageError> {
    if rows == 0 { Err(StorageError::Conflict(key)) } else { Ok(()) }
}

/// Converts a number of rows.
pub(crate) fn count(rows: usize) -> u64 {
    u64::try_from(rows).unwrap_or(u64::MAX)
}
