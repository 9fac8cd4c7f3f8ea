//! The number of a change.

use crate::error::storage_error;
use crate::statement::returning;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::StorageError;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::BigInt;
use diesel::sql_types::Uuid as SqlUuid;
use diesel_async::RunQueryDsl;
use domain::id::UserId;

const NEXT_NUMBER: &str =
    "UPDATE account SET change_number = change_number + 1 WHERE id = $1 RETURNING change_number";

impl PgUnitOfWork {
    /// Returns the number that everything has which this unit of work changes of a person. The first call takes the
    /// person's next one and holds the person's row until the unit of work ends: numbers grow in the order of commits.
    /// Nothing is written for somebody who is not there; what follows finds that out.
    ///
    /// Never called behind a savepoint, because going back to one would let go of the row, and of the number.
    pub(crate) async fn change_number(&mut self, user_id: UserId) -> Result<i64, StorageError> {
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
