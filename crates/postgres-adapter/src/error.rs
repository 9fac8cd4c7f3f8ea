//! Maps driver errors to [`StorageError`].

use application::ports::storage::{DiskFault, StorageError};
use diesel::result::{DatabaseErrorInformation, DatabaseErrorKind, Error};
use std::fmt::{self, Display};

/// Unexpected failure as logged for operators, without the DETAIL line and without anything after a colon of
/// the message: Postgres prints values there.
#[derive(Debug)]
struct Failure {
    kind: DatabaseErrorKind,
    message: String,
    table: Option<String>,
    constraint: Option<String>,
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PostgreSQL: {} ({:?})", self.message, self.kind)?;
        if let Some(table) = &self.table {
            write!(f, ", table {table}")?;
        }
        if let Some(constraint) = &self.constraint {
            write!(f, ", constraint {constraint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

/// Failed operation of the driver, without the driver's text, which may contain values.
#[derive(Debug, thiserror::Error)]
#[error("PostgreSQL: {0}")]
pub(crate) struct Unexpected(pub(crate) &'static str);

/// Wraps a failure that only a bug or a wrong configuration explains.
pub(crate) fn unexpected(what: &'static str) -> StorageError {
    StorageError::Internal(Box::new(Unexpected(what)))
}

/// Returns a mapper to the error for a stored value that the program cannot have written; it drops the value.
pub(crate) fn corrupt<E>(
    table: &'static str,
    column: &'static str,
    row: impl Display,
) -> impl FnOnce(E) -> StorageError {
    move |_| StorageError::Corrupt { table, column, row: row.to_string() }
}

/// Maps a statement's error.
///
/// A unique violation occurs here only if another unit of work inserts after the statement's own check. The
/// transaction is aborted, and a retry sees the conflict. Expected conflicts use `ON CONFLICT DO NOTHING`,
/// which also keeps the values out of the server's log. A foreign key violation means that the referenced row
/// was deleted meanwhile.
pub(crate) fn storage_error(error: Error) -> StorageError {
    match error {
        Error::DatabaseError(kind, information) => database_error(kind, &*information),
        Error::NotFound => unexpected("a statement that returns one row returned none"),
        Error::DeserializationError(_) => unexpected("a column has another type than the program expects"),
        Error::SerializationError(_) | Error::QueryBuilderError(_) | Error::InvalidCString(_) => {
            unexpected("a statement could not be built")
        }
        _ => unexpected("the driver lost track of a transaction"),
    }
}

/// Error with which a standby rejects a read-write transaction (0A000).
const IN_RECOVERY: &str = "cannot set transaction read-write mode during recovery";

fn database_error(kind: DatabaseErrorKind, information: &dyn DatabaseErrorInformation) -> StorageError {
    use DatabaseErrorKind as Kind;
    match kind {
        Kind::SerializationFailure | Kind::UniqueViolation | Kind::ForeignKeyViolation => {
            StorageError::Retryable
        }
        // A standby returns this before and during a failover.
        Kind::ClosedConnection | Kind::UnableToSendCommand | Kind::ReadOnlyTransaction => {
            StorageError::Unavailable
        }
        _ => by_message(information.message()).unwrap_or_else(|| internal(kind, information)),
    }
}

/// Returns whether the message reports that the server ends the session.
pub(crate) fn closed(message: &str) -> bool {
    message.starts_with("terminating connection")
}

/// Returns whether the message reports a deadlock (40P01) on one server, or between the nodes of Citus.
pub(crate) fn is_deadlock(message: &str) -> bool {
    const BETWEEN_NODES: &str = "canceling the transaction since it was involved in a distributed deadlock";
    message.starts_with("deadlock detected") || message.starts_with(BETWEEN_NODES)
}

/// Returns whether a row violates a unique index. Citus reports a violation on a worker without its SQLSTATE.
pub(crate) fn is_unique_violation(error: &Error) -> bool {
    match error {
        Error::DatabaseError(DatabaseErrorKind::UniqueViolation, _) => true,
        Error::DatabaseError(_, information) => information.message().starts_with(DUPLICATE),
        _ => false,
    }
}

/// Message of a unique violation (23505).
const DUPLICATE: &str = "duplicate key value violates unique constraint";

/// Returns whether the server rejected a write because it is a standby.
pub(crate) fn is_of_standby(error: &Error) -> bool {
    match error {
        Error::DatabaseError(DatabaseErrorKind::ReadOnlyTransaction, _) => true,
        Error::DatabaseError(_, information) => information.message().starts_with(IN_RECOVERY),
        _ => false,
    }
}

/// Returns whether the server's disk is full (53100). The message is a path followed by exactly these words.
pub(crate) fn is_disk_full(error: &Error) -> bool {
    matches!(error, Error::DatabaseError(_, information) if says_disk_full(information.message()))
}

fn says_disk_full(message: &str) -> bool {
    [": No space left on device", ": Disk quota exceeded"].iter().any(|end| message.ends_with(end))
}

/// Maps an error by its message, because the driver does not expose the SQLSTATE. The session requests
/// English messages (see `connection`); a test provokes each of these.
fn by_message(message: &str) -> Option<StorageError> {
    // 55P03
    const LOCK_TIMEOUT_MESSAGE: &str = "canceling statement due to lock timeout";
    const NOT_THERE: [&str; 9] = [
        // 57014
        "canceling statement due to statement timeout",
        "canceling statement due to user request",
        // 57P01 and 25P03
        "terminating connection due to",
        // 57P03
        "the database system is",
        // 57P02
        "terminating connection because of crash",
        IN_RECOVERY,
        // 53300
        "sorry, too many clients",
        "remaining connection slots",
        // 08006: a worker of Citus
        "connection to the remote node",
    ];
    let starts = |start: &&str| message.starts_with(*start);
    let is_race = [LOCK_TIMEOUT_MESSAGE, DUPLICATE].iter().any(starts)
        || message.contains(" violates foreign key constraint ");
    if is_deadlock(message) || is_race {
        Some(StorageError::Retryable)
    } else if NOT_THERE.iter().any(starts) {
        Some(StorageError::Unavailable)
    } else if says_disk_full(message) {
        Some(StorageError::Disk(DiskFault::Full))
    } else {
        None
    }
}

fn internal(kind: DatabaseErrorKind, information: &dyn DatabaseErrorInformation) -> StorageError {
    let message = information.message();
    let message = message.split_once(':').map_or(message, |(before, _)| before).to_owned();
    let owned = |text: Option<&str>| text.map(str::to_owned);
    let (table, constraint) = (owned(information.table_name()), owned(information.constraint_name()));
    StorageError::Internal(Box::new(Failure { kind, message, table, constraint }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(kind: DatabaseErrorKind, message: &str) -> StorageError {
        storage_error(Error::DatabaseError(kind, Box::new(message.to_owned())))
    }

    #[test]
    fn a_race_is_retryable_and_a_lost_server_is_unavailable() {
        assert!(matches!(reported(DatabaseErrorKind::UniqueViolation, "x"), StorageError::Retryable));
        assert!(matches!(reported(DatabaseErrorKind::SerializationFailure, "x"), StorageError::Retryable));
        assert!(matches!(reported(DatabaseErrorKind::UnableToSendCommand, "x"), StorageError::Unavailable));
        assert!(matches!(reported(DatabaseErrorKind::ReadOnlyTransaction, "x"), StorageError::Unavailable));
        assert!(matches!(reported(DatabaseErrorKind::Unknown, IN_RECOVERY), StorageError::Unavailable));
        let full = "could not extend file \"base/16384/16397\": No space left on device";
        assert!(matches!(reported(DatabaseErrorKind::Unknown, full), StorageError::Disk(DiskFault::Full)));
        let shutdown = "terminating connection due to administrator command";
        assert!(matches!(reported(DatabaseErrorKind::Unknown, shutdown), StorageError::Unavailable));
    }

    #[test]
    fn an_internal_error_holds_no_value() {
        let error = reported(DatabaseErrorKind::Unknown, "invalid input syntax for type uuid: \"LEAKME\"");
        let StorageError::Internal(source) = error else { panic!("not internal") };
        assert_eq!(source.to_string(), "PostgreSQL: invalid input syntax for type uuid (Unknown)");
    }
}
