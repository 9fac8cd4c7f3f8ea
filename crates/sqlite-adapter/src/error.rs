//! Maps SQLite errors to [`StorageError`].

use application::ports::storage::{DiskFault, StorageError, UniqueKey};
use diesel::result::{DatabaseErrorKind, Error};

/// Prefixes of SQLite's messages (English, fixed in its source) for errors that a retry may resolve.
const BUSY: [&str; 3] = ["database is locked", "database table is locked", "database schema is locked"];

/// Prefixes of messages for a file that is temporarily unusable.
const UNAVAILABLE: [&str; 2] = ["unable to open database file", "interrupted"];

/// Prefixes of messages about the disk. An exhausted quota is reported as an I/O error.
const DISK: [(&str, DiskFault); 3] = [
    ("database or disk is full", DiskFault::Full),
    ("attempt to write a readonly database", DiskFault::ReadOnly),
    ("disk I/O error", DiskFault::Failing),
];

/// Maps a statement's error.
pub(crate) fn of_statement(error: Error) -> StorageError {
    let error = match error {
        // SQLite rolls back by itself on a full disk, so the rollback after a failed commit fails too.
        Error::RollbackErrorOnCommit { commit_error, rollback_error: _ } => *commit_error,
        error => error,
    };
    let Error::DatabaseError(kind, information) = &error else {
        return StorageError::Internal(Box::new(error));
    };
    let message = information.message();
    let begins_with = |beginnings: &[&str]| beginnings.iter().any(|beginning| message.starts_with(beginning));
    match kind {
        DatabaseErrorKind::UniqueViolation => match unique_key(message) {
            Some(key) => StorageError::Conflict(key),
            None => StorageError::Internal(Box::new(error)),
        },
        // A concurrent deletion.
        DatabaseErrorKind::ForeignKeyViolation => StorageError::Retryable,
        DatabaseErrorKind::Unknown if begins_with(&BUSY) => StorageError::Retryable,
        DatabaseErrorKind::Unknown if begins_with(&UNAVAILABLE) => StorageError::Unavailable,
        DatabaseErrorKind::Unknown => {
            let fault = DISK.iter().find(|(beginning, _)| message.starts_with(beginning));
            fault.map_or_else(
                || StorageError::Internal(Box::new(error)),
                |(_, fault)| StorageError::Disk(*fault),
            )
        }
        _ => StorageError::Internal(Box::new(error)),
    }
}

/// Returns whether a rollback failed because SQLite had already rolled the transaction back.
pub(crate) fn is_rolled_back_already(error: &Error) -> bool {
    matches!(error, Error::DatabaseError(_, information)
        if information.message().starts_with("cannot rollback - no transaction is active"))
}

/// Maps an error of connection setup; in any case the store is unusable.
pub(crate) fn of_connection(error: Error) -> StorageError {
    of_statement(error)
}

/// Returns the key in a message such as `UNIQUE constraint failed: account.email_normalised`. All columns of
/// a key are in one table.
fn unique_key(message: &str) -> Option<UniqueKey> {
    let columns = message.split_once(": ")?.1;
    if columns == "account.email_normalised" {
        return Some(UniqueKey::UserEmail);
    }
    let table = columns.split('.').next()?;
    match table {
        "account" => Some(UniqueKey::UserId),
        "client" | "client_secret" => Some(UniqueKey::ClientId),
        "authorization_code" => Some(UniqueKey::Code),
        "access_grant" => Some(UniqueKey::Grant),
        "sleep_session" => Some(UniqueKey::SleepSession),
        "supplement" => Some(UniqueKey::Supplement),
        "intake_log" => Some(UniqueKey::IntakeLog),
        "session" => Some(UniqueKey::Session),
        _ => None,
    }
}

/// Maps a statement's error for use with `?`.
pub(crate) trait StorageResult<T> {
    /// Maps the error.
    fn storage(self) -> Result<T, StorageError>;
}

impl<T> StorageResult<T> for Result<T, Error> {
    fn storage(self) -> Result<T, StorageError> {
        self.map_err(of_statement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn storage_error(kind: DatabaseErrorKind, message: &str) -> StorageError {
        of_statement(Error::DatabaseError(kind, Box::new(message.to_owned())))
    }

    #[test]
    fn a_unique_violation_names_its_key() {
        let of = |message| storage_error(DatabaseErrorKind::UniqueViolation, message);
        let email = of("UNIQUE constraint failed: account.email_normalised");
        assert!(matches!(email, StorageError::Conflict(UniqueKey::UserEmail)));
        let key = of("UNIQUE constraint failed: sleep_session.user_id, sleep_session.id");
        assert!(matches!(key, StorageError::Conflict(UniqueKey::SleepSession)));
        assert!(matches!(of("UNIQUE constraint failed: other.id"), StorageError::Internal(_)));
    }

    #[test]
    fn a_row_that_was_deleted_meanwhile_is_retryable() {
        let error = storage_error(DatabaseErrorKind::ForeignKeyViolation, "FOREIGN KEY constraint failed");
        assert!(matches!(error, StorageError::Retryable));
    }

    #[test]
    fn a_failed_commit_reports_its_error_if_the_rollback_fails_too() {
        let of = |message: &str| {
            Box::new(Error::DatabaseError(DatabaseErrorKind::Unknown, Box::new(message.to_owned())))
        };
        let rollback_error = of("cannot rollback - no transaction is active");
        assert!(is_rolled_back_already(&rollback_error));
        let commit_error = of("database or disk is full");
        let error = Error::RollbackErrorOnCommit { rollback_error, commit_error };
        assert!(matches!(of_statement(error), StorageError::Disk(DiskFault::Full)));
    }

    #[test]
    fn a_busy_file_is_retryable_and_a_missing_one_is_not() {
        let of = |message| storage_error(DatabaseErrorKind::Unknown, message);
        assert!(matches!(of("database is locked"), StorageError::Retryable));
        assert!(matches!(of("unable to open database file"), StorageError::Unavailable));
        assert!(matches!(of("database or disk is full"), StorageError::Disk(DiskFault::Full)));
        assert!(matches!(
            of("attempt to write a readonly database"),
            StorageError::Disk(DiskFault::ReadOnly)
        ));
        assert!(matches!(of("disk I/O error"), StorageError::Disk(DiskFault::Failing)));
        assert!(matches!(of("database disk image is malformed"), StorageError::Internal(_)));
    }
}
