//! The repositories of a unit of work, a file an aggregate.
//!
//! A failed statement would abort the whole transaction in Postgres, so none of these lets a uniqueness be
//! violated: inserts say `ON CONFLICT DO NOTHING` and count, updates look first. Where the port names no conflict,
//! because the key is drawn at random for this one insert, the insert is plain. So it is, behind a savepoint, where an
//! import stores many rows after it looked for them.

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
mod job_lease;
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
use crate::statement::returning;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{StorageError, UniqueKey};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::change::ChangeKind;
use domain::id::UserId;
use uuid::Uuid;

const NEXT_NUMBER: &str =
    "UPDATE account SET change_number = change_number + 1 WHERE id = $1 RETURNING change_number";

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

impl PgUnitOfWork {
    /// Returns the number that everything has which this unit of work changes of a person. The first call takes the
    /// person's next one and holds the person's row until the unit of work ends: numbers grow in the order of commits.
    /// Nothing is written for somebody who is not there; what follows finds that out.
    ///
    /// Never called behind a savepoint, because going back to one would let go of the row, and of the number.
    async fn change_number(&mut self, user_id: UserId) -> Result<i64, StorageError> {
        if let Some(number) = self.numbers.get(&user_id) {
            return Ok(*number);
        }
        let numbered = sql_query(NEXT_NUMBER).bind::<SqlUuid, _>(user_id.as_uuid());
        let taken = returning::<BigInt, _>(numbered).get_result(self.connection()?).await.optional();
        let taken: Option<i64> = taken.map_err(storage_error)?;
        self.numbers.extend(taken.map(|number| (user_id, number)));
        Ok(taken.unwrap_or_default())
    }
}

/// Deletes the named records of a person with a statement that names them by `$1` and `$2`, leaves their ids and the
/// number behind, and returns how many there were.
async fn delete_numbered(
    unit: &mut PgUnitOfWork,
    (delete, kind): (&'static str, ChangeKind),
    user_id: UserId,
    ids: Vec<Uuid>,
) -> Result<u64, StorageError> {
    if ids.is_empty() {
        return Ok(0);
    }
    let number = unit.change_number(user_id).await?;
    let text = format!(
        "WITH gone AS ({delete} RETURNING id)
         INSERT INTO deletion (user_id, kind, id, change_number, deleted_at)
         SELECT $1, $3, id, $4, now() FROM gone
         ON CONFLICT (user_id, kind, id) DO UPDATE
         SET change_number = excluded.change_number, deleted_at = excluded.deleted_at"
    );
    let query = sql_query(text)
        .bind::<SqlUuid, _>(user_id.as_uuid())
        .bind::<Array<SqlUuid>, _>(ids)
        .bind::<Text, _>(kind.as_str())
        .bind::<BigInt, _>(number);
    returning::<(), _>(query).execute(unit.connection()?).await.map(count).map_err(storage_error)
}
