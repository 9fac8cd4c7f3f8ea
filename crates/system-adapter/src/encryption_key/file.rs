//! An encryption key in a file of its own: for one machine, without any set-up.

use super::{EncryptionKey, InvalidEncryptionKey};
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;
use zeroize::Zeroizing;

/// A file with a key has 48 bytes; what is longer than this holds something else.
const MAX_BYTES: u64 = 256;

/// Why a key file could not be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// The file exists and cannot be read.
    #[error("the key file {path} cannot be read: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is no file and none can be made.
    #[error("the key file {path} cannot be created: {source}")]
    Create {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Somebody else on this machine may access the file.
    #[error("the key file {path} has mode {mode:04o}, so that others may access it; run chmod 600 on it")]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The file holds something else than a key.
    #[error("the key file {path} holds no key: {source}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What a key looks like.
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
        // Another process made the file first: its key is the key.
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
    // Asked of the open file, so that it is the file which is read.
    if let Some(mode) = exposed_mode(&file.metadata().map_err(unreadable)?) {
        return Err(KeyFileError::Exposed { path: path.to_owned(), mode });
    }
    let mut text = Zeroizing::new(String::with_capacity(64));
    file.take(MAX_BYTES).read_to_string(&mut text).map_err(unreadable)?;
    let key = EncryptionKey::parse(&text)
        .map_err(|source| KeyFileError::Malformed { path: path.to_owned(), source })?;
    Ok(Some(key))
}

/// Makes the file under another name and gives it its own only when it is complete and on the disk.
fn create(path: &Path, key: &EncryptionKey) -> io::Result<()> {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // A temporary file is made with O_EXCL and mode 0600.
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(key.expose().as_bytes())?;
    file.write_all(b"\n")?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map_err(|refused| refused.error)?;
    sync_folder(folder)
}

/// A new name outlives a power cut only once its folder is on the disk too.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn exposed_mode(metadata: &Metadata) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    let mode = metadata.permissions().mode() & 0o7777;
    (mode & 0o077 != 0).then_some(mode)
}

#[cfg(not(unix))]
fn exposed_mode(_metadata: &Metadata) -> Option<u32> {
    None
}

#[cfg(test)]
mod tests;
