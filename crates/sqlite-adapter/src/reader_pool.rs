//! The pool of reading connections: one is open from the start, others are opened on demand.

use crate::connection::{self, Location, Role, Task, on_blocking_thread};
use crate::connection_meter;
use crate::file_identity::FileIdentity;
use application::ports::storage::StorageError;
use diesel::sqlite::SqliteConnection;
use std::sync::{Arc, Mutex, PoisonError};
use store_shared::GaugeGuard;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Pool of reading connections, each with one user at a time.
pub(crate) struct ReaderPool {
    permits: Arc<Semaphore>,
    source: Arc<Source>,
}

/// Open, unused connections, and what is needed to open another one.
struct Source {
    idle: Mutex<Vec<SqliteConnection>>,
    location: Location,
    /// Identity of the first connection's file, which may have been replaced since.
    identity: Option<FileIdentity>,
}

impl ReaderPool {
    /// Creates a pool of this size from its first connection. The location's busy timeout limits the wait for
    /// a connection.
    pub(crate) fn new(first: SqliteConnection, size: usize, location: Location) -> Self {
        let size = size.max(1);
        connection_meter::READERS.set_size(1, size);
        let identity = FileIdentity::read(&location.path);
        let source = Source { idle: Mutex::new(vec![first]), location, identity };
        Self { permits: Arc::new(Semaphore::new(size)), source: Arc::new(source) }
    }

    /// Runs a closure on one of the connections, on a blocking thread. Once started, it continues even if the
    /// future is dropped.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut SqliteConnection) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, StorageError> {
        let (task, value) = connection::task(work);
        self.run_task(task).await?;
        connection::value_of(value)
    }

    async fn run_task(&self, task: Task) -> Result<(), StorageError> {
        let permit = Arc::clone(&self.permits).acquire_owned();
        let permit = tokio::time::timeout(self.source.location.busy_timeout, permit);
        let permit = connection_meter::READERS.waited_for(async { permit.await.ok()?.ok() }).await;
        let lease = self.lease(permit.ok_or(StorageError::Unavailable)?);
        connection_meter::read(on_blocking_thread(move || lease.run(task))).await
    }

    /// Runs a closure that reads one row on this thread, because a blocking thread and back would take longer
    /// than the read. If no connection is open and unused, it runs like any other.
    pub(crate) async fn run_here<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut SqliteConnection) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, StorageError> {
        let (task, value) = connection::task(work);
        self.run_task_here(task).await?;
        connection::value_of(value)
    }

    async fn run_task_here(&self, task: Task) -> Result<(), StorageError> {
        let permit = Arc::clone(&self.permits).try_acquire_owned().ok();
        match permit.map(|permit| self.lease(permit)).filter(|lease| lease.connection.is_some()) {
            Some(lease) => connection_meter::read(async { lease.run(task) }).await,
            None => self.run_task(task).await,
        }
    }

    fn lease(&self, permit: OwnedSemaphorePermit) -> Lease {
        let source = Arc::clone(&self.source);
        let connection = source.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Lease { connection, source, _in_use: connection_meter::READERS.in_use(), _permit: permit }
    }
}

impl Source {
    /// Opens another connection, which costs a few hundred kilobytes.
    fn open(&self) -> Result<SqliteConnection, StorageError> {
        let opened = self.location.connect(Role::Reader)?;
        if FileIdentity::read(&self.location.path) != self.identity {
            return Err(StorageError::Unavailable);
        }
        connection_meter::READERS.record_opened();
        Ok(opened)
    }
}

/// Borrowed connection; returned when dropped, before its permit.
struct Lease {
    /// `None` if another one must be opened.
    connection: Option<SqliteConnection>,
    source: Arc<Source>,
    _in_use: GaugeGuard,
    _permit: OwnedSemaphorePermit,
}

impl Lease {
    fn run(mut self, task: Task) -> Result<(), StorageError> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => none.insert(self.source.open()?),
        };
        connection::make_idle(connection, &self.source.location, Role::Reader)?;
        task(connection)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut idle = self.source.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.extend(self.connection.take());
    }
}

#[cfg(test)]
mod tests;
