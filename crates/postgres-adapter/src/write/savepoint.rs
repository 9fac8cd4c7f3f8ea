//! Several rows, all or none, in a transaction that goes on either way.

use crate::connection::Pooled;
use crate::error::storage_error;
use application::ports::storage::{StorageError, UniqueKey};
use diesel_async::SimpleAsyncConnection;

/// Opens a savepoint before rows are inserted.
pub(super) async fn open(connection: &mut Pooled) -> Result<(), StorageError> {
    connection.batch_execute("SAVEPOINT rows").await.map_err(storage_error)
}

/// Keeps the rows when all of them were inserted, else takes them back and reports the conflict.
pub(super) async fn close(
    connection: &mut Pooled,
    is_complete: bool,
    key: UniqueKey,
) -> Result<(), StorageError> {
    let statement = if is_complete {
        "RELEASE SAVEPOINT rows"
    } else {
        "ROLLBACK TO SAVEPOINT rows; RELEASE SAVEPOINT rows"
    };
    connection.batch_execute(statement).await.map_err(storage_error)?;
    if is_complete { Ok(()) } else { Err(StorageError::Conflict(key)) }
}
