//! Tasks that run a statement on a connection.

use crate::error::StorageResult as _;
use application::ports::storage::StorageError;
use chrono::{DateTime, Utc};
use diesel::query_dsl::methods::{ExecuteDsl, LoadQuery};
use diesel::result::OptionalExtension as _;
use diesel::sqlite::SqliteConnection;
use store_shared::Raw;
use store_shared::column::Held as _;

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
    execute(Raw::<()>::same(sql).bind(before.cell()).bind(i64::from(limit)))
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
