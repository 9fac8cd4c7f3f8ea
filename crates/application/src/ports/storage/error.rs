//! The error of all storage ports: a closed set, so that callers can handle every case.

use std::error::Error;

/// Unique constraint that a write violated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UniqueKey {
    /// Id of a user.
    UserId,
    /// Email address of a user, ignoring case.
    UserEmail,
    /// A client's id.
    ClientId,
    /// The hash of an authorization code.
    Code,
    /// The id or the refresh token of a grant.
    Grant,
    /// Id of a sleep session, or its key within user and source.
    SleepSession,
    /// Id of a supplement, or its catalogue key.
    Supplement,
    /// The id of an intake log, or its external key.
    IntakeLog,
    /// The id of a signing key.
    SigningKey,
    /// The id or the cookie of a session.
    Session,
    /// The id or the hash of a personal access token.
    PersonalToken,
    /// The id or the credential id of a passkey.
    Passkey,
}

/// Disk error of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskFault {
    /// No space left, or quota exceeded.
    Full,
    /// The disk is mounted read-only, or the store's file is not writable.
    ReadOnly,
    /// Reads or writes fail.
    Failing,
}

impl DiskFault {
    /// Returns the name used by `/readyz` and the log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "disk_full",
            Self::ReadOnly => "disk_read_only",
            Self::Failing => "disk_error",
        }
    }
}

/// Error of a storage port.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// A unique constraint was violated. Nothing of the statement was stored; the unit of work stays usable.
    #[error("already taken: {0:?}")]
    Conflict(UniqueKey),
    /// The store aborted the transaction (deadlock, busy); a retry may succeed.
    #[error("the store aborted the transaction; try again")]
    Retryable,
    /// The store cannot be reached, is shutting down, or timed out.
    #[error("the store is unavailable")]
    Unavailable,
    /// The disk rejected the write, and nothing was stored. Reads may still work, and the same write may
    /// succeed once the disk is repaired.
    #[error("the disk of the store refuses writes ({})", .0.as_str())]
    Disk(DiskFault),
    /// A stored value that the program cannot have written.
    #[error("corrupt value in {table}.{column}, row {row}")]
    Corrupt {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
        /// Key of the row, never the value.
        row: String,
    },
    /// Any other error; the source is for the operator's log and contains no row values.
    #[error("the store failed")]
    Internal(#[source] Box<dyn Error + Send + Sync>),
}
