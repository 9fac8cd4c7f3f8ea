//! The one error of all storage ports: finite, so that every caller can decide about every case.

use std::error::Error;

/// Which uniqueness a write would have broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UniqueKey {
    /// A person's id.
    UserId,
    /// A person's email address, case aside.
    UserEmail,
    /// A client's id.
    ClientId,
    /// The hash of an authorization code.
    Code,
    /// The id or the refresh token of a grant.
    Grant,
    /// The id of a sleep session, or its key within person and source.
    SleepSession,
    /// The id of a supplement, or its key in the catalogue.
    Supplement,
    /// The id of an intake log, or its external key.
    IntakeLog,
    /// The id of a signing key.
    SigningKey,
    /// The id or the cookie of a session.
    Session,
    /// The id or the hash of a personal access token.
    PersonalToken,
}

/// What is wrong with the disk of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskFault {
    /// No space is left, or a quota is used up.
    Full,
    /// It is mounted read-only, or the store's file may not be written.
    ReadOnly,
    /// Reads or writes of it fail.
    Failing,
}

impl DiskFault {
    /// Returns the word by which `/readyz` and the log name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "disk_full",
            Self::ReadOnly => "disk_read_only",
            Self::Failing => "disk_error",
        }
    }
}

/// Why a storage port could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// A uniqueness would have been broken; nothing of the statement was stored, the unit of work goes on.
    #[error("already taken: {0:?}")]
    Conflict(UniqueKey),
    /// The store gave this transaction up for another (deadlock, busy); trying again may succeed.
    #[error("the store asks to try again")]
    Retryable,
    /// The store cannot be reached, is shutting down, or did not answer in time.
    #[error("the store is unavailable")]
    Unavailable,
    /// The disk of the store refused the write, and nothing was stored. Reads may still be answered, and the
    /// same write may succeed once the disk is repaired.
    #[error("the disk of the store refuses writes ({})", .0.as_str())]
    Disk(DiskFault),
    /// A stored value is not what the program can have written.
    #[error("corrupt value in {table}.{column}, row {row}")]
    Corrupt {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
        /// The row's key, never the value.
        row: String,
    },
    /// Anything else; the source is for the log of the operator and holds no value of a row.
    #[error("the store failed")]
    Internal(#[source] Box<dyn Error + Send + Sync>),
}
