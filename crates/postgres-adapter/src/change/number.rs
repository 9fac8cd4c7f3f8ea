//! Change numbers.

use crate::statement::returning;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::StorageError;
use diesel::sql_query;
use diesel::sql_types::BigInt;
use diesel::sql_types::Uuid as SqlUuid;
use domain::id::UserId;

const NEXT_NUMBER: &str =
    "UPDATE account SET change_number = change_number + 1 WHERE id = $1 RETURNING change_number";

impl PgUnitOfWork {
    /// Returns the number of all changes that this unit of work makes to a person's records, and queues
    /// webhook events about them.
    ///
    /// The first call increments the person's number and locks the person's row until the unit of work ends,
    /// so numbers increase in commit order. Writes nothing if the person does not exist; the statements that
    /// follow detect that. Never called behind a savepoint: a rollback to it would release the lock and the
    /// number.
    pub(crate) async fn change_number(&mut self, user_id: UserId) -> Result<i64, StorageError> {
        if let Some(number) = self.numbers.get(&user_id) {
            return Ok(*number);
        }
        let numbered = sql_query(NEXT_NUMBER).bind::<SqlUuid, _>(user_id.as_uuid());
        let taken: Option<i64> = self.connection()?.load_row(returning::<BigInt, _>(numbered)).await?;
        let Some(number) = taken else { return Ok(0) };
        self.numbers.insert(user_id, number);
        self.announce_change(user_id, number).await?;
        Ok(number)
    }
}
