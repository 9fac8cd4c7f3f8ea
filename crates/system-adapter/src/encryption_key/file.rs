//! The encryption key in a key file, for a single machine without configuration.

use super::{EncryptionKey, InvalidEncryptionKey};
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;
use zeroize::Zeroizing;

/// A key file has 48 bytes; a longer file is not one.
const MAX_BYTES: u64 = 256;

/// Why a key file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// The file exists but is unreadable.
    #[error("the key file {path} cannot be read: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The file does not exist and cannot be created.
    #[error("the key file {path} cannot be created: {source}")]
    Create {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// Other users of this machine may access the file.
    #[error("the key file {path} has mode {mode:04o}, which lets others access it; run chmod 600 on it")]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The content is not a key.
    #[error("the key file {path} contains no valid key: {source}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Expected format.
        source: InvalidEncryptionKey,
    },
}

pub(super) fn load_or_create(path: &Path) -> Result<EncryptionKey, KeyFileError> {
    if let Some(key) = load(path)? {
        return Ok(key);
    }
    let key = EncryptionKey::generate();
    match create(path, &key) {
        Ok(()) => Ok(key),
        // Another process created the file first; its key is used.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            load(path)?.ok_or_else(|| KeyFileError::Create { path: path.to_owned(), source: error })
        }
        Err(source) => Err(KeyFileError::Create { path: path.to_owned(), source }),
    }
}

fn load(path: &Path) -> Result<Option<EncryptionKey>, KeyFileError> {
    let unreadable = |source| KeyFileError::Read { path: path.to_owned(), source };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    // Checked on the open file, so that it cannot be replaced in between.
    if let Some(mode) = exposed_mode(&file.metadata().map_err(unreadable)?) {
        return Err(KeyFileError::Exposed { path: path.to_owned(), mode });
    }
    let mut text = Zeroizing::new(String::with_capacity(64));
    file.take(MAX_BYTES).read_to_string(&mut text).map_err(unreadable)?;
    let key = EncryptionKey::parse(&text)
        .map_err(|source| KeyFileError::Malformed { path: path.to_owned(), source })?;
    Ok(Some(key))
}

/// Writes a temporary file to disk and renames it, so that the file is complete when it appears.
fn create(path: &Path, key: &EncryptionKey) -> io::Result<()> {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Temporary files are created with O_EXCL and mode 0600.
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(key.expose().as_bytes())?;
    file.write_all(b"\n")?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map_err(|refused| refused.error)?;
    // Without this the new name may be lost in a power failure.
    File::open(folder)?.sync_all()
}

/// Returns the permission bits of a file that other users of this machine may access.
pub fn exposed_mode(metadata: &Metadata) -> Option<u32> {
    let mode = metadata.permissions().mode() & 0o7777;
    (mode & 0o077 != 0).then_some(mode)
}

#[cfg(test)]
mod tests;
