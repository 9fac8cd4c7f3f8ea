//! Access to a store's file that bypasses the adapter, for tests of other crates.

use diesel::connection::{Connection as _, SimpleConnection as _};
use diesel::sql_types::BigInt;
use diesel::sqlite::SqliteConnection;
use diesel::{QueryableByName, RunQueryDsl as _, sql_query};
use std::path::Path;

/// Open transaction on a separate connection; rolled back when dropped.
pub struct OpenTransaction(#[expect(dead_code, reason = "it is kept open")] SqliteConnection);

/// Runs statements in a transaction that stays open, with its locks, until the returned value is dropped.
///
/// # Panics
///
/// Like [`execute`].
#[track_caller]
pub fn hold(path: &Path, statements: &str) -> OpenTransaction {
    OpenTransaction(run(path, &format!("BEGIN; {statements}")))
}

/// Runs statements on the store's file over a separate connection.
///
/// # Panics
///
/// If the file cannot be opened or a statement fails.
#[track_caller]
pub fn execute(path: &Path, statements: &str) {
    run(path, statements);
}

#[expect(clippy::panic, reason = "a test that cannot be prepared must fail with the reason")]
#[track_caller]
fn run(path: &Path, statements: &str) -> SqliteConnection {
    let opened = SqliteConnection::establish(&path.to_string_lossy());
    let done = opened.map_err(|error| error.to_string()).and_then(|mut connection| {
        // The server under test may be writing.
        connection.batch_execute("PRAGMA busy_timeout = 5000").map_err(|error| error.to_string())?;
        connection.batch_execute(statements).map_err(|error| error.to_string()).map(|()| connection)
    });
    match done {
        Ok(connection) => connection,
        Err(error) => panic!("{statements}: {error}"),
    }
}

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

/// Runs a query on the store's file that returns one number in a column named `number`; does not wait for
/// writers.
///
/// # Panics
///
/// If the file cannot be opened or the query fails.
#[expect(clippy::panic, reason = "a test that cannot be prepared must fail with the reason")]
#[track_caller]
pub fn number(path: &Path, query: &str) -> i64 {
    let opened = SqliteConnection::establish(&path.to_string_lossy()).map_err(|error| error.to_string());
    let found = opened.and_then(|mut connection| {
        sql_query(query).get_result::<Number>(&mut connection).map_err(|error| error.to_string())
    });
    match found {
        Ok(Number { number }) => number,
        Err(error) => panic!("{query}: {error}"),
    }
}
