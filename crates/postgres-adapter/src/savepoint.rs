//! All-or-nothing inserts within a transaction that continues in either case.

use crate::connection::Pooled;
use crate::error::{is_unique_violation, storage_error};
use application::ports::storage::{StorageError, UniqueKey};
use diesel::result::QueryResult;
use diesel_async::SimpleAsyncConnection;

const KEEP: &str = "RELEASE SAVEPOINT rows";
const ROLL_BACK: &str = "ROLLBACK TO SAVEPOINT rows; RELEASE SAVEPOINT rows";

/// Opens a savepoint before inserts.
pub(super) async fn open(connection: &mut Pooled) -> Result<(), StorageError> {
    connection.batch_execute("SAVEPOINT rows").await.map_err(storage_error)
}

/// Keeps the rows if all of them were inserted; otherwise rolls back to the savepoint and reports the
/// conflict.
pub(super) async fn close(
    connection: &mut Pooled,
    is_complete: bool,
    key: UniqueKey,
) -> Result<(), StorageError> {
    let statement = if is_complete { KEEP } else { ROLL_BACK };
    connection.batch_execute(statement).await.map_err(storage_error)?;
    if is_complete { Ok(()) } else { Err(StorageError::Conflict(key)) }
}

/// Keeps the rows, or rolls back to the savepoint after a unique violation; returns whether the rows were
/// kept.
///
/// The server logs the violating values. Callers must therefore check first and hold the lock that excludes
/// other writers.
pub(super) async fn close_unless_violated(
    connection: &mut Pooled,
    inserted: QueryResult<usize>,
) -> Result<bool, StorageError> {
    let (is_kept, statement) = match inserted {
        Ok(_) => (true, KEEP),
        Err(error) if is_unique_violation(&error) => (false, ROLL_BACK),
        Err(error) => return Err(storage_error(error)),
    };
    connection.batch_execute(statement).await.map_err(storage_error)?;
    Ok(is_kept)
}
