//! The pool of reading connections: one is open from the start, others are opened on demand.

use crate::connection::{self, Connection, DetachedSpawner, Location, Role};
use crate::connection_meter;
use crate::file_identity::FileIdentity;
use application::ports::storage::StorageError;
use diesel::sqlite::SqliteConnection;
use std::sync::{Mutex, PoisonError};
use tokio::sync::Semaphore;

/// Pool of reading connections, each with one user at a time.
///
/// A cancelled read may still run when its connection is used again; the next read then waits for the
/// connection's own lock. This is safe because no read transaction outlives its closure. A pool that checks
/// connections on checkout would panic on one that is still busy.
pub(crate) struct ReaderPool {
    permits: Semaphore,
    /// Open, unused connections; another one may be opened while fewer than the maximum are open.
    idle: Mutex<Vec<Connection>>,
    location: Location,
    /// Identity of the first connection's file, which may have been replaced since.
    identity: Option<FileIdentity>,
}

impl ReaderPool {
    /// Creates a pool of this size from its first connection. The location's busy timeout limits the wait for
    /// a connection.
    pub(crate) fn new(first: Connection, size: usize, location: Location) -> Self {
        let size = size.max(1);
        connection_meter::READERS.set_size(1, size);
        let identity = FileIdentity::read(&location.path);
        Self { permits: Semaphore::new(size), idle: Mutex::new(vec![first]), location, identity }
    }

    /// Runs a closure on one of the connections.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        task: impl FnOnce(&mut SqliteConnection) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, StorageError> {
        let permit = tokio::time::timeout(self.location.busy_timeout, self.permits.acquire());
        let permit = connection_meter::READERS.waited_for(async { permit.await.ok()?.ok() }).await;
        let _permit = permit.ok_or(StorageError::Unavailable)?;
        let _in_use = connection_meter::READERS.in_use();
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.open().await?,
        };
        let mut lease = Lease { pool: self, connection: Some(connection) };
        match lease.connection.as_mut() {
            Some(connection) => {
                let location = self.location.clone();
                let reading = connection::run(connection, move |connection| {
                    connection::make_idle(connection, &location, Role::Reader)?;
                    task(connection)
                });
                connection_meter::read(reading).await
            }
            None => Err(StorageError::Unavailable),
        }
    }

    /// Opens another connection, which costs a few hundred kilobytes; the caller must hold a permit.
    async fn open(&self) -> Result<Connection, StorageError> {
        let (location, identity) = (self.location.clone(), self.identity);
        let opening = tokio::task::spawn_blocking(move || {
            let opened = location.connect(Role::Reader)?;
            let is_the_same = FileIdentity::read(&location.path) == identity;
            if is_the_same { Ok(opened) } else { Err(StorageError::Unavailable) }
        });
        let opened = opening.await.map_err(|error| StorageError::Internal(Box::new(error)))??;
        connection_meter::READERS.record_opened();
        Ok(Connection::with_runtime(opened, DetachedSpawner))
    }
}

/// Borrowed connection; returned when dropped, before its permit.
struct Lease<'a> {
    pool: &'a ReaderPool,
    connection: Option<Connection>,
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let mut idle = self.pool.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.extend(self.connection.take());
    }
}

#[cfg(test)]
mod tests;
