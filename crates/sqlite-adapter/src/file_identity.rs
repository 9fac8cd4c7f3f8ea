//! Detects whether the open file was replaced by another one.

use std::path::Path;

/// Device and inode of a file. On platforms without inodes, all files are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileIdentity {
    device: u64,
    inode: u64,
}

impl FileIdentity {
    /// Reads the metadata without opening the file: closing any handle of a file releases this process's
    /// locks on it.
    #[cfg(unix)]
    pub(crate) fn read(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let file = std::fs::metadata(path).ok()?;
        Some(Self { device: file.dev(), inode: file.ino() })
    }

    /// Returns `None` on platforms without inodes.
    #[cfg(not(unix))]
    pub(crate) fn read(_: &Path) -> Option<Self> {
        None
    }
}
