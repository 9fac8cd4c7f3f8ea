//! The connections that read.

use crate::connection::{self, Connection, Location, Role};
use crate::meter;
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
    idle: Mutex<Vec<Connection>>,
    location: Location,
}

impl ReaderPool {
    /// Makes a pool of these connections; the location's busy timeout is how long a question waits for one.
    pub(crate) fn new(connections: Vec<Connection>, location: Location) -> Self {
        meter::READERS.holds(connections.len());
        Self { permits: Semaphore::new(connections.len()), idle: Mutex::new(connections), location }
    }

    /// Runs a closure on one of the connections.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        task: impl FnOnce(&mut SqliteConnection) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, StorageError> {
        let permit = tokio::time::timeout(self.location.busy_timeout, self.permits.acquire());
        let permit = meter::READERS.waited_for(async { permit.await.ok()?.ok() }).await;
        let _permit = permit.ok_or(StorageError::Unavailable)?;
        let _in_use = meter::READERS.in_use();
        let connection = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut lease = Lease { pool: self, connection: Some(connection.ok_or(StorageError::Unavailable)?) };
        match lease.connection.as_mut() {
            Some(connection) => {
                let location = self.location.clone();
                let reading = connection::run(connection, move |connection| {
                    connection::make_idle(connection, &location, Role::Reader)?;
                    task(connection)
                });
                meter::read(reading).await
            }
            None => Err(StorageError::Unavailable),
        }
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
