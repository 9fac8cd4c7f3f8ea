//! Deletions of records.

use crate::schema::deletion;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::sqlite::SqliteConnection;
use domain::data_kind::DataKind;
use store_shared::Raw;

/// Stores a deletion.
pub(crate) fn keep(
    connection: &mut SqliteConnection,
    user_id: &[u8],
    kind: DataKind,
    id: &[u8],
    number: i64,
) -> QueryResult<()> {
    let statement: Raw<()> = Raw::same(
        "INSERT INTO deletion (user_id, kind, id, change_number, deleted_at) \
         VALUES (?, ?, ?, ?, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) \
         ON CONFLICT (user_id, kind, id) DO UPDATE \
         SET change_number = excluded.change_number, deleted_at = excluded.deleted_at",
    )
    .blob(user_id)
    .text(kind.as_str())
    .blob(id)
    .bind(number);
    statement.execute(connection).map(drop)
}

/// Removes the deletions of records that are stored again.
pub(crate) fn take_away<'a>(
    connection: &mut SqliteConnection,
    user_id: &[u8],
    kind: DataKind,
    ids: impl Iterator<Item = &'a [u8]>,
) -> QueryResult<()> {
    let of_kind =
        deletion::table.filter(deletion::user_id.eq(user_id)).filter(deletion::kind.eq(kind.as_str()));
    // There are nearly always none, so this check saves one statement per record.
    if !diesel::select(exists(of_kind)).get_result::<bool>(connection)? {
        return Ok(());
    }
    for id in ids {
        diesel::delete(deletion::table.find((user_id, kind.as_str(), id))).execute(connection)?;
    }
    Ok(())
}
