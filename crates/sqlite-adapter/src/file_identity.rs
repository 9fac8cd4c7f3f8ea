//! Distinguishing the file that the store has open from one that replaces it.

use std::path::Path;

/// Device and inode of a file. Platforms without them have none, and every file looks the same there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileIdentity {
    device: u64,
    inode: u64,
}

impl FileIdentity {
    /// Looks at the file without opening it: closing any handle of a file ends this process's locks on it.
    #[cfg(unix)]
    pub(crate) fn of(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let file = std::fs::metadata(path).ok()?;
        Some(Self { device: file.dev(), inode: file.ino() })
    }

    /// Returns `None` on platforms without inodes.
    #[cfg(not(unix))]
    pub(crate) fn of(_: &Path) -> Option<Self> {
        None
    }
}
