//! How the store is opened.

use std::time::Duration;

/// How the store is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SqliteOptions {
    /// How many connections read at a time, at least 1.
    pub readers: usize,
    /// How long a statement, or the turn to write, is waited for; before other processes' turns half as long again.
    pub busy_timeout: Duration,
    /// Whether a missing file is created, readable by its owner only.
    pub create: bool,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self { readers: 4, busy_timeout: Duration::from_secs(5), create: false }
    }
}
