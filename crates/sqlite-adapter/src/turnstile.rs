//! Whose turn it is to write, among processes.
//!
//! SQLite has no queue: who finds the file locked sleeps, longer each time, and looks again. An import takes the lock
//! again right after it let go, so that another process would look in vain for as long as the import lasts. Whoever
//! begins to write therefore first takes a second lock, on a file beside the database, and holds it only until it has
//! SQLite's. An import that ended its batch waits there while somebody else waits for the database: between two of its
//! batches, one other writer at least has had a turn.

use crate::connection::Location;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long is slept before the lock is looked at again; short, because it is held for short.
const PAUSE: Duration = Duration::from_millis(2);

/// A place before the database; given up when dropped, or with the process.
///
/// It only makes the turns fair. Where there can be none (a file system without locks), writers take theirs as SQLite
/// hands them out.
pub(crate) struct Turnstile {
    #[cfg_attr(not(test), expect(dead_code, reason = "it is there to be dropped"))]
    held: Option<File>,
}

impl Turnstile {
    /// Waits for the place, at most half as long as a statement waits for a lock, then goes on without it.
    pub(crate) fn enter(location: &Location) -> Self {
        let Some(file) = open(location) else { return Self { held: None } };
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Self { held: Some(file) },
                Err(TryLockError::WouldBlock) if begun.elapsed() < location.busy_timeout / 2 => {
                    std::thread::sleep(PAUSE);
                }
                Err(TryLockError::WouldBlock | TryLockError::Error(_)) => return Self { held: None },
            }
        }
    }
}

/// Opens the file, which stays empty, beside the database; readable by its owner only.
fn open(location: &Location) -> Option<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path(location)).ok()
}

/// Names the file as SQLite names those of its log.
fn path(location: &Location) -> PathBuf {
    let mut path = location.path.clone().into_os_string();
    path.push("-turn");
    PathBuf::from(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::empty_location;
    use std::sync::mpsc::channel;
    use std::thread;

    #[test]
    fn one_has_the_place_at_a_time_and_the_next_gets_it_when_it_is_given_up() {
        let (location, _directory) = empty_location();
        let first = Turnstile::enter(&location);
        assert!(first.held.is_some());
        let (entering, entered) = channel();
        let waiting = thread::spawn({
            let location = location.clone();
            move || {
                entering.send("asks").unwrap();
                let second = Turnstile::enter(&location);
                entering.send(if second.held.is_some() { "has it" } else { "went on without" }).unwrap();
            }
        });
        assert_eq!(entered.recv(), Ok("asks"));
        assert!(open(&location).unwrap().try_lock().is_err());
        drop(first);
        assert_eq!(entered.recv(), Ok("has it"));
        waiting.join().unwrap();
    }

    #[test]
    fn a_place_that_nobody_gives_up_keeps_nobody_out_for_ever() {
        let (location, _directory) = empty_location();
        let location = Location { busy_timeout: Duration::ZERO, ..location };
        let first = Turnstile::enter(&location);
        let second = Turnstile::enter(&location);
        assert!(first.held.is_some() && second.held.is_none());
    }

    #[test]
    fn where_no_file_can_be_made_nobody_waits() {
        let (location, directory) = empty_location();
        drop(directory);
        assert!(Turnstile::enter(&location).held.is_none());
    }
}
