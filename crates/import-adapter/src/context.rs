//! Context of a file.

use chrono::{DateTime, FixedOffset};
use domain::id::UserId;
use domain::time::TimeZone;
use std::path::PathBuf;

/// Context that a file does not contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileContext {
    /// Zone of local times without an offset.
    pub zone: TimeZone,
    /// Start of a recording that does not contain it (a hypnogram).
    pub start: Option<DateTime<FixedOffset>>,
    /// Owner of the file; a line about another person makes the file invalid.
    pub user_id: Option<UserId>,
    /// Maximum unpacked size of an archive in bytes, for each reading.
    pub most_unpacked: u64,
    /// Folder for copies of databases; `None` for the system's temporary folder.
    pub scratch: Option<PathBuf>,
}
