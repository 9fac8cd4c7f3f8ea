//! What tests of other crates may do to a store behind the adapter's back.

use diesel::connection::{Connection as _, SimpleConnection as _};
use diesel::sqlite::SqliteConnection;
use std::path::Path;

/// Runs statements on the store in a file, as an operator with another program could.
///
/// # Panics
///
/// When the file cannot be opened or a statement fails: a test that is not prepared must fail.
#[expect(clippy::panic, reason = "a test that is not prepared must fail, and say why")]
#[track_caller]
pub fn execute(path: &Path, statements: &str) {
    let opened = SqliteConnection::establish(&path.to_string_lossy());
    let done = opened
        .map_err(|error| error.to_string())
        .and_then(|mut connection| connection.batch_execute(statements).map_err(|error| error.to_string()));
    if let Err(error) = done {
        panic!("{statements}: {error}");
    }
}
