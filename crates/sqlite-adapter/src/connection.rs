//! Opening connections, and the threads that run their statements.

use crate::error;
use application::ports::storage::StorageError;
use diesel::connection::{
    AnsiTransactionManager, Connection as _, SimpleConnection as _, TransactionManager as _,
    TransactionManagerStatus,
};
use diesel::sqlite::SqliteConnection;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Work on a connection. What runs it is compiled once instead of for each statement.
pub(crate) type Task = Box<dyn FnOnce(&mut SqliteConnection) -> Result<(), StorageError> + Send>;

/// Returns the closure as a task, and the receiver of its value, which is there once the task succeeded.
pub(crate) fn task<T: Send + 'static>(
    work: impl FnOnce(&mut SqliteConnection) -> Result<T, StorageError> + Send + 'static,
) -> (Task, oneshot::Receiver<T>) {
    let (sender, value) = oneshot::channel();
    let task = move |connection: &mut SqliteConnection| {
        // The receiver is gone if the request was cancelled.
        work(connection).map(|value| drop(sender.send(value)))
    };
    (Box::new(task), value)
}

/// Returns the value of a task that succeeded.
pub(crate) fn value_of<T>(mut value: oneshot::Receiver<T>) -> Result<T, StorageError> {
    value.try_recv().map_err(|error| StorageError::Internal(Box::new(error)))
}

/// Connection whose tasks run on blocking threads, one at a time.
#[derive(Clone)]
pub(crate) struct Connection(Arc<Mutex<SqliteConnection>>);

impl Connection {
    pub(crate) fn new(connection: SqliteConnection) -> Self {
        Self(Arc::new(Mutex::new(connection)))
    }

    /// Runs a task; once started, it continues even if the future is dropped.
    pub(crate) async fn run(&self, task: Task) -> Result<(), StorageError> {
        let connection = Arc::clone(&self.0);
        // `make_idle` replaces a connection whose transaction a panic left open.
        on_blocking_thread(move || task(&mut connection.lock().unwrap_or_else(PoisonError::into_inner))).await
    }
}

/// Runs a closure on a blocking thread; once started, it continues even if the future is dropped.
pub(crate) async fn on_blocking_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StorageError> + Send + 'static,
) -> Result<T, StorageError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| StorageError::Internal(Box::new(error)))?
}

/// Purpose of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Writes. Commits survive a power failure (`synchronous = FULL`); otherwise a redeemed code could become
    /// redeemable again.
    Writer,
    /// Reads; cannot write.
    Reader,
}

/// Path of the database and the lock timeout of its connections.
#[derive(Debug, Clone)]
pub(crate) struct Location {
    /// Absolute path of the file.
    pub(crate) path: PathBuf,
    /// Time limit of a wait for a lock.
    pub(crate) busy_timeout: Duration,
    /// Number of connections opened so far.
    pub(crate) opened: Arc<AtomicU64>,
}

impl Location {
    pub(crate) fn new(path: PathBuf, busy_timeout: Duration) -> Self {
        Self { path, busy_timeout, opened: Arc::default() }
    }

    /// Creates the file if it is missing, empty and readable by its owner only.
    pub(crate) fn create_file(&self) -> Result<(), StorageError> {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(&self.path) {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
            Err(_) => Err(StorageError::Unavailable),
        }
    }

    /// Opens a connection to an existing file.
    pub(crate) fn connect(&self, role: Role) -> Result<SqliteConnection, StorageError> {
        let url = url_of(&self.path).ok_or(StorageError::Unavailable)?;
        let mut connection = SqliteConnection::establish(&url).map_err(|_| StorageError::Unavailable)?;
        let busy = self.busy_timeout.as_millis();
        let settings = match role {
            // Checkpoints after 8 MiB of log, more than a small store ever has. Batches of an import write
            // many pages, mostly the same ones as the batch before: 4 MiB costs an import a sixth more CPU
            // time, and 32 MiB saves 4 percent. No memory map: it would count as the process's memory, up to
            // the file's size; the cache suffices for the next batch. Deleted data is overwritten in place;
            // see `scrub` for the copies.
            Role::Writer => {
                "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = 2048; \
                 PRAGMA secure_delete = ON;"
            }
            Role::Reader => "PRAGMA query_only = ON; PRAGMA mmap_size = 268435456;",
        };
        let all = format!("PRAGMA busy_timeout = {busy}; PRAGMA cache_size = -16384; {settings}");
        connection.batch_execute(&all).map_err(error::of_connection)?;
        if role == Role::Writer {
            self.use_write_ahead_log(&mut connection)?;
        }
        self.opened.fetch_add(1, Ordering::Relaxed);
        Ok(connection)
    }

    /// Switches to the write-ahead log; the file stores this mode.
    ///
    /// SQLite ignores its busy timeout here, so several processes that open a new file would fail; hence the
    /// loop.
    fn use_write_ahead_log(&self, connection: &mut SqliteConnection) -> Result<(), StorageError> {
        let started_at = Instant::now();
        loop {
            match connection.batch_execute("PRAGMA journal_mode = WAL").map_err(error::of_connection) {
                Err(StorageError::Retryable) if started_at.elapsed() < self.busy_timeout => {
                    std::thread::sleep(Duration::from_millis(10));
                }
                result => return result,
            }
        }
    }
}

/// Returns whether an intact transaction is open on the connection.
pub(crate) fn is_in_transaction(connection: &mut SqliteConnection) -> bool {
    match AnsiTransactionManager::transaction_manager_status_mut(connection) {
        TransactionManagerStatus::Valid(status) => status.transaction_depth().is_some(),
        TransactionManagerStatus::InError => false,
    }
}

/// Replaces a connection whose transaction was left open or broke.
///
/// Causes are a panic in a closure, a disk error, and a runtime that shut down before a dropped transaction
/// was rolled back. Closing the connection rolls back.
pub(crate) fn make_idle(
    connection: &mut SqliteConnection,
    location: &Location,
    role: Role,
) -> Result<(), StorageError> {
    let is_idle = match AnsiTransactionManager::transaction_manager_status_mut(connection) {
        TransactionManagerStatus::Valid(status) => status.transaction_depth().is_none(),
        TransactionManagerStatus::InError => false,
    };
    if !is_idle {
        *connection = location.connect(role)?;
    }
    Ok(())
}

/// Returns the path as a URI that does not create the file (SQLite, "URI filenames").
fn url_of(path: &Path) -> Option<String> {
    let path = path.to_str()?.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    Some(format!("file://{path}?mode=rw"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::empty_location;
    use diesel::RunQueryDsl as _;
    use diesel::sql_types::{BigInt, Text};
    use store_shared::Raw;

    fn pragma(connection: &mut SqliteConnection, sql: &'static str) -> i64 {
        Raw::<BigInt>::same(sql).get_result(connection).unwrap()
    }

    #[test]
    fn what_the_writer_commits_survives_a_power_failure() {
        let (location, _directory) = empty_location();
        let mut writer = location.connect(Role::Writer).unwrap();
        let full = 2;
        assert_eq!(pragma(&mut writer, "PRAGMA synchronous"), full);
        assert_eq!(pragma(&mut writer, "PRAGMA foreign_keys"), 1);
        assert_eq!(pragma(&mut writer, "PRAGMA wal_autocheckpoint"), 2048);
        assert_eq!(pragma(&mut writer, "PRAGMA busy_timeout"), 5000);
        let mode: String = Raw::<Text>::same("PRAGMA journal_mode").get_result(&mut writer).unwrap();
        assert_eq!(mode, "wal");
    }

    #[test]
    fn what_is_deleted_is_overwritten() {
        let (location, directory) = empty_location();
        let mut writer = location.connect(Role::Writer).unwrap();
        assert_eq!(pragma(&mut writer, "PRAGMA secure_delete"), 1);
        let erased = "somebody whom nobody shall find again";
        let stored =
            format!("CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('{erased}'), ('another');");
        writer.batch_execute(&stored).unwrap();
        writer.batch_execute("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
        writer.batch_execute("DELETE FROM note WHERE text <> 'another'").unwrap();
        writer.batch_execute("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
        drop(writer);
        let holds = |text: &str| {
            let files = std::fs::read_dir(directory.path()).unwrap().map(|file| file.unwrap().path());
            files.into_iter().any(|file| {
                std::fs::read(file).unwrap().windows(text.len()).any(|window| window == text.as_bytes())
            })
        };
        assert!(holds("another") && !holds(erased));
    }

    #[test]
    fn a_reader_cannot_write() {
        let (location, _directory) = empty_location();
        let mut reader = location.connect(Role::Reader).unwrap();
        assert!(reader.batch_execute("DELETE FROM account").is_err());
        assert_eq!(pragma(&mut reader, "PRAGMA busy_timeout"), 5000);
        assert!(location.connect(Role::Writer).unwrap().batch_execute("DELETE FROM account").is_ok());
    }

    #[test]
    fn a_connection_with_a_transaction_that_was_left_open_is_replaced() {
        let (location, _directory) = empty_location();
        let mut writer = location.connect(Role::Writer).unwrap();
        AnsiTransactionManager::begin_transaction_sql(&mut writer, "BEGIN IMMEDIATE").unwrap();
        assert!(is_in_transaction(&mut writer));
        make_idle(&mut writer, &location, Role::Writer).unwrap();
        assert!(!is_in_transaction(&mut writer));
        location.connect(Role::Writer).unwrap().batch_execute("BEGIN IMMEDIATE").unwrap();
    }

    #[test]
    fn a_path_with_characters_of_uris_is_still_that_path() {
        let url = url_of(Path::new("/var/50% off?/a#b.db"));
        assert_eq!(url.as_deref(), Some("file:///var/50%25 off%3f/a%23b.db?mode=rw"));
    }
}
