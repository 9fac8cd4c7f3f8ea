//! The repositories of a unit of work, a file an aggregate.
//!
//! A failed statement would abort the whole transaction in Postgres, so none of these lets a uniqueness be
//! violated: inserts say `ON CONFLICT DO NOTHING` and count, updates look first.

mod client;
mod code;
mod failure_counter;
mod grant;
mod intake_log;
mod savepoint;
mod signing_key;
mod sleep;
mod supplement;
mod user;

use application::ports::storage::{StorageError, UniqueKey};

/// Reports a conflict when an insert stored nothing.
fn stored(rows: usize, key: UniqueKey) -> Result<(), StorageError> {
    if rows == 0 { Err(StorageError::Conflict(key)) } else { Ok(()) }
}

/// Converts a number of rows.
fn count(rows: usize) -> u64 {
    u64::try_from(rows).unwrap_or(u64::MAX)
}
