//! Connections that threads of the HTTP server have for themselves, for reads of one row.
//!
//! A row that is found by its key takes a few microseconds, the way to a blocking thread and back a multiple of it. So
//! a thread with a runtime of its own reads such rows itself. It must not stand still: a connection here does not wait
//! for a lock (readers of a write-ahead log need none that others hold for long), never writes, and so never moves the
//! log into the file. Whatever cannot be answered at once, or fails, is asked anew on a connection of the pool.

mod place;

use crate::connection::{Location, Role};
use crate::connection_meter;
use application::ports::storage::StorageError;
use diesel::connection::SimpleConnection as _;
use diesel::sqlite::SqliteConnection;
pub(crate) use place::Identity;
use place::Place;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// How many threads have a connection; others use the pool, or share when they come later.
const PLACES: usize = 16;

/// Looks at a table, so that the schema is read where that may take its time; the table may not be there yet.
const READ_SCHEMA: &str = "SELECT id FROM account LIMIT 0";

/// The connections of one store, each made when its thread first asks.
pub(crate) struct WorkerConnections {
    places: Vec<Arc<Place>>,
    location: Location,
    /// The file that the store has open: another one may have been put in its place since.
    identity: Option<Identity>,
}

impl WorkerConnections {
    /// Prepares places for connections to a file that is open; makes none yet.
    pub(crate) fn new(location: Location) -> Self {
        let identity = Identity::of(&location.path);
        Self { places: std::iter::repeat_with(Arc::default).take(PLACES).collect(), location, identity }
    }

    /// Reads a row on this thread; nothing when the pool has to be asked: this thread is none of those, its connection
    /// is not there yet, or the read failed.
    pub(crate) fn read<T>(
        &self,
        task: impl FnOnce(&mut SqliteConnection) -> Result<T, StorageError>,
    ) -> Option<T> {
        let identity = self.identity?;
        let place = self.place()?;
        let mut held = place.try_hold()?;
        let Some(connection) = held.as_mut() else {
            drop(held);
            self.open(place, identity);
            return None;
        };
        let read = AssertUnwindSafe(|| connection_meter::read_here(|| task(connection)));
        match catch_unwind(read) {
            Ok(Ok(found)) => Some(found),
            // Somebody has the file for themselves at this moment; or the pool finds the same corrupt row.
            Ok(Err(StorageError::Retryable | StorageError::Corrupt { .. })) => None,
            Ok(Err(_)) | Err(_) => {
                *held = None;
                None
            }
        }
    }

    fn place(&self) -> Option<&Arc<Place>> {
        let place = place::number()?.checked_rem(self.places.len())?;
        self.places.get(place)
    }

    /// Makes the connection of a place, on a blocking thread: to open a file and to read its schema takes long.
    fn open(&self, place: &Arc<Place>, identity: Identity) {
        let Some(opening) = place.begin_to_open() else { return };
        let location = self.location.clone();
        tokio::task::spawn_blocking(move || {
            let is_the_same = || Identity::of(&location.path) == Some(identity);
            if !is_the_same() {
                return;
            }
            let Ok(mut connection) = location.connect(Role::Worker) else { return };
            let _ = connection.batch_execute(READ_SCHEMA);
            if is_the_same() {
                opening.done(connection);
            }
        });
    }
}

#[cfg(test)]
mod tests;
