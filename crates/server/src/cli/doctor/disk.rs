//! Check of the folders that the server writes to.

use super::check::Check;
use crate::settings::{Settings, StoragePlace};
use rustix::fs::{Access, access, statvfs};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

const NAME: &str = "disk";

/// Free space below which the check fails.
const LEAST: u64 = 100 << 20;

/// Free space below which it warns.
const SCARCE: u64 = 1 << 30;

/// Checks that each folder can be written to and has space.
pub(super) fn check(settings: &Settings) -> Check {
    let folders = folders(settings);
    let mut found: Vec<Check> = folders.iter().map(|folder| folder_check(folder)).collect();
    found.sort_by_key(|check| check.status);
    let advice = found.first().and_then(|worst| worst.advice.clone());
    let status = found.first().map(|worst| worst.status);
    let message = found.into_iter().map(|check| check.message).collect::<Vec<_>>().join("; ");
    match status {
        None => Check::skipped(NAME, "this server writes to no folder"),
        Some(status) => Check { name: NAME, status, message, advice },
    }
}

/// Lists the folders of the embedded store and of uploads in progress.
fn folders(settings: &Settings) -> Vec<PathBuf> {
    let store = match settings.storage.place() {
        Ok(StoragePlace::Sqlite(path)) => path.parent().map(Path::to_path_buf),
        _ => None,
    };
    let store = store.map(|folder| if folder.as_os_str().is_empty() { ".".into() } else { folder });
    let spool = settings
        .uploads
        .enabled
        .then(|| settings.uploads.spool_directory.clone().unwrap_or_else(std::env::temp_dir));
    let mut folders: Vec<PathBuf> = store.into_iter().chain(spool).collect();
    folders.dedup();
    folders
}

fn folder_check(folder: &Path) -> Check {
    let shown = folder.display();
    if let Err(error) = access(folder, Access::WRITE_OK | Access::EXEC_OK) {
        return unwritable(folder, error);
    }
    match statvfs(folder) {
        Err(error) => Check::failed(NAME, format!("the free space of {shown} is unknown: {error}"), MOUNT),
        Ok(volume) => by_space(folder, volume.f_bavail.saturating_mul(volume.f_frsize)),
    }
}

const MOUNT: &str = "Check that the volume is mounted.";

fn by_space(folder: &Path, free: u64) -> Check {
    let message = format!("{} MiB are free in {}", free >> 20, folder.display());
    let advice = "Free space on this volume, or enlarge it.";
    if free < LEAST {
        Check::failed(NAME, message, advice)
    } else if free < SCARCE {
        Check::warning(NAME, message, advice)
    } else {
        Check::ok(NAME, message)
    }
}

fn unwritable(folder: &Path, error: Errno) -> Check {
    let (shown, user) = (folder.display(), geteuid().as_raw());
    match (error, folder.metadata()) {
        (Errno::ACCESS, Ok(metadata)) if metadata.is_dir() => Check::failed(
            NAME,
            format!("user {user}, who runs this command, cannot write to {shown} of user {}", metadata.uid()),
            "Run this command as the server's user (with the package: restwell-run doctor). If that is this user, give \
             it write access to the folder.",
        ),
        (Errno::ACCESS, Ok(_)) => Check::failed(
            NAME,
            format!("{shown} is not a folder"),
            "Correct storage.url, storage.data_dir or uploads.spool_directory.",
        ),
        (Errno::NOENT, _) => Check::failed(
            NAME,
            format!("the folder {shown} does not exist"),
            "Create it as the server's user (`restwell migrate` creates that of an embedded store), or correct the settings.",
        ),
        (Errno::ROFS, _) => Check::failed(
            NAME,
            format!("the folder {shown} is on a read-only file system"),
            format!("Mount a writable volume at {shown}."),
        ),
        (error, _) => Check::failed(NAME, format!("the folder {shown} cannot be written to: {error}"), MOUNT),
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::Status;
    use super::*;

    #[test]
    fn the_free_space_decides_between_ok_warning_and_failed() {
        let status = |free| by_space(Path::new("/data"), free).status;
        assert_eq!(status(LEAST - 1), Status::Failed);
        assert_eq!(status(LEAST), Status::Warning);
        assert_eq!(status(SCARCE - 1), Status::Warning);
        assert_eq!(status(SCARCE), Status::Ok);
        assert_eq!(by_space(Path::new("/data"), 5 << 20).message, "5 MiB are free in /data");
    }

    #[test]
    fn a_missing_folder_and_a_file_in_its_place_are_told_apart() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(unwritable(file.path(), Errno::ACCESS).message.ends_with("is not a folder"));
        let missing = folder_check(Path::new("/nonexistent/folder"));
        assert_eq!(missing.status, Status::Failed);
        assert!(missing.message.ends_with("does not exist"));
    }
}
