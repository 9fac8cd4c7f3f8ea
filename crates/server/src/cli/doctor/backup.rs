//! Check of the age of the last backup.

use super::check::{Check, Status};
use application::ports::system::Clock;
use chrono::{DateTime, TimeDelta, Utc};
use std::fs::Metadata;
use std::io;
use std::path::Path;
use system_adapter::exposed_mode;

const NAME: &str = "backup";

/// Age from which a daily backup is late.
const LATE: TimeDelta = TimeDelta::hours(36);

/// Age from which there is no usable backup.
const STALE: TimeDelta = TimeDelta::days(8);

/// Checks the file or folder that the operator's backups write.
pub(super) fn check(path: Option<&Path>, clock: &dyn Clock) -> Check {
    const JOB: &str = "Look at the job that makes the backups (docs/backup.md).";
    let Some(path) = path else {
        return Check::skipped(NAME, "no backup is named")
            .advise("Name what your backups write: restwell doctor --backup PATH (docs/backup.md).");
    };
    let shown = path.display();
    match newest(path) {
        Err(error) => Check::failed(NAME, format!("{shown} cannot be read: {error}"), JOB),
        Ok(None) => Check::failed(NAME, format!("the folder {shown} is empty"), JOB),
        Ok(Some(found)) if found.is_empty => {
            Check::failed(NAME, format!("the newest file in {shown} is empty"), JOB)
        }
        Ok(Some(found)) => {
            let check = by_age(clock.now() - found.at, JOB);
            if !found.exposed || check.status != Status::Ok {
                return check;
            }
            let message = format!("other users of this machine can read the backup in {shown}");
            Check::warning(NAME, message, format!("chmod go= {shown}"))
        }
    }
}

fn by_age(age: TimeDelta, advice: &str) -> Check {
    let message = format!("the last backup is {} h old", age.num_hours().max(0));
    if age > STALE {
        Check::failed(NAME, message, advice)
    } else if age > LATE {
        Check::warning(NAME, message, advice)
    } else {
        Check::ok(NAME, message)
    }
}

/// Latest file of a backup.
struct Written {
    at: DateTime<Utc>,
    /// Whether other users of this machine can access it.
    exposed: bool,
    /// Whether it is an empty file of a folder. A file that backups touch may be empty.
    is_empty: bool,
}

impl Written {
    fn new(metadata: &Metadata) -> io::Result<Self> {
        let exposed = exposed_mode(metadata).is_some() && metadata.len() > 0;
        Ok(Self { at: metadata.modified()?.into(), exposed, is_empty: false })
    }
}

/// Returns the file, or the newest entry of the folder; `None` for an empty folder.
fn newest(path: &Path) -> io::Result<Option<Written>> {
    let found = path.metadata()?;
    let whole = Written::new(&found)?;
    if !found.is_dir() {
        return Ok(Some(whole));
    }
    let mut newest: Option<Written> = None;
    for entry in path.read_dir()? {
        let metadata = entry?.metadata()?;
        let one = Written::new(&metadata)?;
        if newest.as_ref().is_none_or(|newest| newest.at < one.at) {
            newest =
                Some(Written { exposed: one.exposed && whole.exposed, is_empty: metadata.len() == 0, ..one });
        }
    }
    Ok(newest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::os::unix::fs::PermissionsExt as _;
    use std::time::SystemTime;
    use system_adapter::SystemClock;

    fn status(path: &Path) -> Status {
        check(Some(path), &SystemClock).status
    }

    #[test]
    fn a_late_backup_is_warned_of_and_a_stale_one_fails() {
        let status = |age| by_age(age, "x").status;
        assert_eq!(status(TimeDelta::hours(30)), Status::Ok);
        assert_eq!(status(TimeDelta::hours(37)), Status::Warning);
        assert_eq!(status(TimeDelta::days(9)), Status::Failed);
        assert_eq!(by_age(TimeDelta::seconds(-3), "x").message, "the last backup is 0 h old");
    }

    #[test]
    fn a_file_or_the_newest_entry_of_a_folder_counts() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(status(folder.path()), Status::Failed);
        let file = folder.path().join("restwell.dump");
        std::fs::write(&file, "x").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(status(folder.path()), Status::Ok);
        assert_eq!(status(&file), Status::Ok);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(status(&file), Status::Warning);
        let ten_days = SystemTime::from(SystemClock.now() - TimeDelta::days(10));
        File::options().write(true).open(&file).unwrap().set_modified(ten_days).unwrap();
        assert_eq!(status(&file), Status::Failed, "its mode hides its age");
        assert_eq!(status(&folder.path().join("missing")), Status::Failed);
        let empty = folder.path().join("empty");
        File::create(&empty).unwrap();
        assert_eq!(status(folder.path()), Status::Failed);
        assert_eq!(status(&empty), Status::Ok, "a job may touch a file");
        let skipped = check(None, &SystemClock);
        assert_eq!(skipped.status, Status::Skipped);
        assert!(skipped.advice.unwrap().contains("--backup"));
    }
}
