//! File hashes, by which a file that was imported before is recognised.

use application::ports::import_source::ImportRefusal;
use domain::import::FileDigest;
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

const CHUNK: usize = 256 * 1024;

/// Hashes a file's bytes; of a folder, the names and sizes of its files and their bytes, in the order of
/// names.
pub(crate) fn digest(path: &Path) -> Result<FileDigest, ImportRefusal> {
    let mut hash = Sha256::new();
    if path.is_dir() {
        for file in files(path)? {
            let name = file.strip_prefix(path).unwrap_or(&file).to_string_lossy();
            hash.update(name.as_bytes());
            hash.update([0]);
            let length = add(&mut hash, &file)?;
            hash.update(length.to_be_bytes());
        }
    } else {
        add(&mut hash, path)?;
    }
    Ok(FileDigest::from_bytes(hash.finalize().into()))
}

/// Lists the files below a folder in the order of their names; links are not followed.
fn files(folder: &Path) -> Result<Vec<PathBuf>, ImportRefusal> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let kind = entry.file_type().map_err(unreadable)?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

fn add(hash: &mut Sha256, path: &Path) -> Result<u64, ImportRefusal> {
    let mut file = File::open(path).map_err(unreadable)?;
    let (mut chunk, mut length) = (vec![0; CHUNK], 0_u64);
    loop {
        match file.read(&mut chunk) {
            Ok(0) => return Ok(length),
            Ok(count) => {
                hash.update(chunk.get(..count).unwrap_or_default());
                length = length.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(unreadable(error)),
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is passed to `map_err` as a function")]
fn unreadable(error: std::io::Error) -> ImportRefusal {
    ImportRefusal::Unreadable(error.kind().to_string())
}

#[cfg(test)]
mod tests {
    use super::digest;
    use std::fs;

    #[test]
    fn equal_bytes_are_one_file_whatever_their_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a"), "night").unwrap();
        fs::write(path("b"), "night").unwrap();
        fs::write(path("c"), "nights").unwrap();
        assert_eq!(digest(&path("a")).unwrap(), digest(&path("b")).unwrap());
        assert_ne!(digest(&path("a")).unwrap(), digest(&path("c")).unwrap());
        assert!(digest(&path("absent")).is_err());
    }

    #[test]
    fn a_folder_is_its_names_and_bytes() {
        let make = |name: &str, text: &str| {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir(folder.path().join("inner")).unwrap();
            fs::write(folder.path().join("inner").join(name), text).unwrap();
            let hash = digest(folder.path()).unwrap();
            drop(folder);
            hash
        };
        assert_eq!(make("a", "x"), make("a", "x"));
        assert_ne!(make("a", "x"), make("b", "x"));
        assert_ne!(make("a", "x"), make("a", "y"));
    }
}
