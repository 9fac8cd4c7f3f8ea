//! Options of the store.

use std::time::Duration;

/// Options of a SQLite store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SqliteOptions {
    /// Maximum number of reading connections, at least 1.
    pub readers: usize,
    /// Time limit of a statement's wait for a lock and of a wait to write. A wait for other processes may
    /// last half as long again.
    pub busy_timeout: Duration,
    /// Whether to create a missing file, readable by its owner only.
    pub create: bool,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self { readers: 4, busy_timeout: Duration::from_secs(5), create: false }
    }
}
