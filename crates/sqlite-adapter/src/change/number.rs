//! The numbers of a person's changes.

use crate::statement::Statement;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use diesel::sqlite::SqliteConnection;

/// Takes the next number for everything that a unit of work is about to write; absent when the person is.
///
/// Nobody else takes one before the transaction ends: there is one writer. So numbers grow in the order of commits.
pub(crate) fn take(connection: &mut SqliteConnection, user_id: &[u8]) -> QueryResult<Option<i64>> {
    let statement: Statement<BigInt> = Statement::new(
        "UPDATE account SET change_number = change_number + 1 WHERE id = ? RETURNING change_number",
    )
    .blob(user_id);
    statement.get_result(connection).optional()
}
