//! The connections that read: one from the start, the others when as many are in use at once.

use crate::connection::{self, Connection, Detached, Location, Role};
use crate::connection_meter;
use crate::file_identity::FileIdentity;
use application::ports::storage::StorageError;
use diesel::sqlite::SqliteConnection;
use std::sync::{Mutex, PoisonError};
use tokio::sync::Semaphore;

/// Hands out connections that read, each to one question at a time.
///
/// A question that its caller gives up may still run when its connection is handed out again; the next question
/// then waits for it on the connection's own lock. Readers have no transaction that outlives a closure, so
/// nothing else can go wrong. (A pool that checks connections on the way would panic on one that still works.)
pub(crate) struct ReaderPool {
    permits: Semaphore,
    /// Those that are open and at rest; as long as fewer are open than there may be, one more can be opened.
    idle: Mutex<Vec<Connection>>,
    location: Location,
    /// The file of the first connection: another one may have been put in its place since.
    identity: Option<FileIdentity>,
}

impl ReaderPool {
    /// Makes a pool of so many connections, of which the first is open; the location's busy timeout is how long a
    /// question waits for one.
    pub(crate) fn new(first: Connection, size: usize, location: Location) -> Self {
        let size = size.max(1);
        connection_meter::READERS.may_hold(size);
        let identity = FileIdentity::of(&location.path);
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

    /// Opens a further connection, which costs a few hundred kilobytes: whoever holds a permit may.
    async fn open(&self) -> Result<Connection, StorageError> {
        let (location, identity) = (self.location.clone(), self.identity);
        let opening = tokio::task::spawn_blocking(move || {
            let opened = location.connect(Role::Reader)?;
            let is_the_same = FileIdentity::of(&location.path) == identity;
            if is_the_same { Ok(opened) } else { Err(StorageError::Unavailable) }
        });
        let opened = opening.await.map_err(|error| StorageError::Internal(Box::new(error)))??;
        connection_meter::READERS.opened();
        Ok(Connection::with_runtime(opened, Detached))
    }
}

/// A connection on loan; goes back when dropped, before its permit does.
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
