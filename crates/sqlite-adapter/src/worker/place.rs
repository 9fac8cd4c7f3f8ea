//! Where the connection of a thread is kept.

use diesel::sqlite::SqliteConnection;
use std::cell::RefCell;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, Weak};
use tokio::runtime::{Handle, RuntimeFlavor};

/// A connection, or room for one. It is closed with its store, and before that when its thread ends.
#[derive(Default)]
pub(crate) struct Place {
    connection: Mutex<Option<SqliteConnection>>,
    is_opening: AtomicBool,
}

impl Place {
    /// Takes the connection unless another thread has it, without waiting.
    pub(super) fn try_hold(&self) -> Option<MutexGuard<'_, Option<SqliteConnection>>> {
        match self.connection.try_lock() {
            Ok(held) => Some(held),
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        }
    }

    /// Returns the right to open the connection, unless somebody has it already. The thread that asks is the one with
    /// whose end the connection is closed.
    pub(super) fn begin_to_open(self: &Arc<Self>) -> Option<Opening> {
        if self.is_opening.swap(true, Ordering::AcqRel) {
            return None;
        }
        let opening = Opening(Arc::clone(self));
        OF_THREAD.try_with(|places| places.add(self)).ok()?;
        Some(opening)
    }

    fn put(&self, connection: Option<SqliteConnection>) {
        *self.connection.lock().unwrap_or_else(PoisonError::into_inner) = connection;
    }
}

/// The right to open the connection of a place, given up when dropped.
pub(super) struct Opening(Arc<Place>);

impl Opening {
    /// Puts the connection there.
    pub(super) fn done(self, connection: SqliteConnection) {
        self.0.put(Some(connection));
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        self.0.is_opening.store(false, Ordering::Release);
    }
}

/// The places of a thread, which are emptied when it ends.
struct Places(RefCell<Vec<Weak<Place>>>);

impl Places {
    fn add(&self, place: &Arc<Place>) {
        let mut places = self.0.borrow_mut();
        places.retain(|other| other.strong_count() > 0 && !std::ptr::eq(other.as_ptr(), Arc::as_ptr(place)));
        places.push(Arc::downgrade(place));
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        for place in self.0.take().iter().filter_map(Weak::upgrade) {
            place.put(None);
        }
    }
}

thread_local! {
    static OF_THREAD: Places = const { Places(RefCell::new(Vec::new())) };
}

/// Returns the number of this thread among those that run a runtime of their own, as each worker of the HTTP server
/// does, counted from 0 in the order in which they first ask; nothing on a runtime that many threads run.
pub(super) fn number() -> Option<usize> {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static NUMBER: usize = ASKED.fetch_add(1, Ordering::Relaxed);
    }
    let runtime = Handle::try_current().ok()?;
    (runtime.runtime_flavor() == RuntimeFlavor::CurrentThread).then(|| NUMBER.with(|number| *number))
}

/// Tells a file from another one that is put in its place, by device and number; nothing where there are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    number: u64,
}

impl Identity {
    /// Looks at the file without opening it, which could end locks of this process on it.
    #[cfg(unix)]
    pub(crate) fn of(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let file = std::fs::metadata(path).ok()?;
        Some(Self { device: file.dev(), number: file.ino() })
    }

    /// Knows nothing of files here.
    #[cfg(not(unix))]
    pub(super) fn of(_: &Path) -> Option<Self> {
        None
    }
}
