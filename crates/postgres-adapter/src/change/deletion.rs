//! Deletions of records.

use crate::statement::returning;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::StorageError;
use diesel::sql_query;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{Array, BigInt, Text};
use domain::data_kind::DataKind;
use domain::id::UserId;
use uuid::Uuid;

/// Runs a statement that deletes a person's records by `$1` and `$2`, stores their ids with the change
/// number, and returns their count.
pub(crate) async fn delete_numbered(
    unit: &mut PgUnitOfWork,
    (delete, kind): (&'static str, DataKind),
    user_id: UserId,
    ids: Vec<Uuid>,
) -> Result<u64, StorageError> {
    if ids.is_empty() {
        return Ok(0);
    }
    let number = unit.change_number(user_id).await?;
    let text = format!(
        "WITH gone AS ({delete} RETURNING id), noted AS (
             INSERT INTO deletion (user_id, kind, id, change_number, deleted_at)
             SELECT $1, $3, id, $4, now() FROM gone
             ON CONFLICT (user_id, kind, id) DO UPDATE
             SET change_number = excluded.change_number, deleted_at = excluded.deleted_at
         ) SELECT count(*) FROM gone"
    );
    let query = sql_query(text)
        .bind::<SqlUuid, _>(user_id.as_uuid())
        .bind::<Array<SqlUuid>, _>(ids)
        .bind::<Text, _>(kind.as_str())
        .bind::<BigInt, _>(number);
    let gone: i64 = unit.connection()?.load_one(returning::<BigInt, _>(query)).await?;
    Ok(gone.unsigned_abs())
}
