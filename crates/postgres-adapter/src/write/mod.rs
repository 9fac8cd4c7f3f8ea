//! The repositories of a unit of work, a file an aggregate.
//!
//! A failed statement would abort the whole transaction in Postgres, so none of these lets a uniqueness be
//! violated: inserts say `ON CONFLICT DO NOTHING` and count, updates look first. Where the port names no conflict,
//! because the key is drawn at random for this one insert, the insert is plain.

mod audit;
mod authorization_request;
mod client;
mod code;
mod consent;
mod erasure;
mod failure_counter;
mod grant;
mod idempotency;
mod import;
mod intake_log;
mod outbox;
mod password;
mod password_link;
mod personal_token;
mod read_tally;
mod savepoint;
mod session;
mod signing_key;
mod sleep;
mod supplement;
mod user;

use crate::connection::Pooled;
use crate::error::storage_error;
use crate::schema::account;
use application::ports::storage::{StorageError, UniqueKey};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::id::UserId;

/// Reports a conflict when an insert stored nothing.
fn stored(rows: usize, key: UniqueKey) -> Result<(), StorageError> {
    if rows == 0 { Err(StorageError::Conflict(key)) } else { Ok(()) }
}

/// Converts a number of rows.
fn count(rows: usize) -> u64 {
    u64::try_from(rows).unwrap_or(u64::MAX)
}

/// Lets units of work that look at, then change, what a person has pass one after another. Rows that refer to the
/// account by a foreign key are still inserted meanwhile.
async fn lock_account(connection: &mut Pooled, user_id: UserId) -> Result<(), StorageError> {
    account::table
        .filter(account::id.eq(user_id.as_uuid()))
        .select(account::id)
        .for_no_key_update()
        .execute(connection)
        .await
        .map(|_| ())
        .map_err(storage_error)
}
