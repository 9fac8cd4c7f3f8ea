//! Change numbers.

use diesel::prelude::*;
use diesel::sql_types::BigInt;
use diesel::sqlite::SqliteConnection;
use store_shared::Raw;

/// Increments and returns a person's change number; `None` if the person does not exist.
///
/// The transaction holds the write lock, so numbers increase in commit order.
pub(crate) fn take(connection: &mut SqliteConnection, user_id: &[u8]) -> QueryResult<Option<i64>> {
    let statement: Raw<BigInt> = Raw::same(
        "UPDATE account SET change_number = change_number + 1 WHERE id = ? RETURNING change_number",
    )
    .blob(user_id);
    statement.get_result(connection).optional()
}
