//! Removes erased data from the files of the store.
//!
//! `secure_delete` overwrites a deleted row in place. Two kinds of copies remain: older versions of its page
//! in the write-ahead log, and bytes in the unused part of a page whose rows SQLite moved to another page. A
//! truncating checkpoint empties the log, and `VACUUM` rewrites every page from its live rows.
//!
//! The transaction that erases records a pending scrub in the file, in SQLite's `user_version`. The next
//! process that opens the store can finish it.

use crate::connection::Location;
use crate::error::StorageResult as _;
use application::ports::storage::StorageError;
use diesel::RunQueryDsl as _;
use diesel::connection::SimpleConnection as _;
use diesel::result::QueryResult;
use diesel::sql_types::Integer;
use diesel::sqlite::SqliteConnection;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use store_shared::Raw;

/// Interval between attempts while another process runs a checkpoint, for which SQLite does not wait.
const RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// Requests a scrub in the transaction that erases a person.
pub(crate) fn request(connection: &mut SqliteConnection) -> QueryResult<()> {
    let number = requested(connection)?.wrapping_add(1).max(1);
    connection.batch_execute(&format!("PRAGMA user_version = {number}"))
}

/// Returns the number of the last request; 0 if everything is scrubbed.
pub(crate) fn requested(connection: &mut SqliteConnection) -> QueryResult<i32> {
    Raw::<Integer>::same("PRAGMA user_version").get_result(connection)
}

/// Scrubs the files if requested. Waits for readers up to `timeout`; returns whether the files are free of
/// deleted data.
pub(crate) fn scrub(
    connection: &mut SqliteConnection,
    location: &Location,
    timeout: Duration,
) -> Result<bool, StorageError> {
    let number = requested(connection).storage()?;
    if number == 0 {
        return Ok(true);
    }
    // First, so that the log does not grow by the whole store at each attempt while a long read runs.
    if !empty_log(connection, location, timeout)? {
        return Ok(false);
    }
    rewrite(connection, location)?;
    if !empty_log(connection, location, timeout)? {
        return Ok(false);
    }
    connection
        .immediate_transaction(|connection| {
            // Another erasure may have requested a scrub meanwhile.
            if requested(connection)? == number {
                connection.batch_execute("PRAGMA user_version = 0")
            } else {
                Ok(())
            }
        })
        .storage()?;
    Ok(true)
}

/// Rewrites every page. The temporary copy is created next to the store: that disk has space for it, while a
/// container may have no writable folder for temporary files.
fn rewrite(connection: &mut SqliteConnection, location: &Location) -> Result<(), StorageError> {
    let folder = location.path.parent().and_then(std::path::Path::to_str);
    if let Some(folder) = folder {
        let folder = folder.replace('\'', "''");
        connection.batch_execute(&format!("PRAGMA temp_store_directory = '{folder}'")).storage()?;
    }
    connection.batch_execute("VACUUM").storage()
}

/// Moves the log into the file and truncates it. Waits up to `timeout` for readers and for another process's
/// checkpoint; returns whether the log is empty.
pub(crate) fn empty_log(
    connection: &mut SqliteConnection,
    location: &Location,
    timeout: Duration,
) -> Result<bool, StorageError> {
    // A connection that never read has not opened the log, and would report success.
    requested(connection).storage()?;
    let started = Instant::now();
    set_busy_timeout(connection, timeout)?;
    let emptied = loop {
        match checkpoint(connection) {
            Ok(0) if log_length(location) == 0 => break Ok(true),
            Ok(_) | Err(StorageError::Retryable) if started.elapsed() < timeout => {
                std::thread::sleep(RETRY_INTERVAL);
            }
            Ok(_) | Err(StorageError::Retryable) => break Ok(false),
            Err(error) => break Err(error),
        }
    };
    set_busy_timeout(connection, location.busy_timeout)?;
    emptied
}

/// Runs a truncating checkpoint; returns 0 if it was complete.
fn checkpoint(connection: &mut SqliteConnection) -> Result<i32, StorageError> {
    let statement: Raw<(Integer, Integer, Integer)> = Raw::same("PRAGMA wal_checkpoint(TRUNCATE)");
    let (blocked, _, _): (i32, i32, i32) = statement.get_result(connection).storage()?;
    Ok(blocked)
}

fn set_busy_timeout(connection: &mut SqliteConnection, timeout: Duration) -> Result<(), StorageError> {
    connection.batch_execute(&format!("PRAGMA busy_timeout = {}", timeout.as_millis())).storage()
}

/// Returns the length of the write-ahead log; 0 if it is missing, because SQLite deletes it when the last
/// process closes the store.
fn log_length(location: &Location) -> u64 {
    let mut path = location.path.clone().into_os_string();
    path.push("-wal");
    std::fs::metadata(PathBuf::from(path)).map_or(0, |log| log.len())
}
