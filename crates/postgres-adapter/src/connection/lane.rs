//! A connection of each worker for pages.
//!
//! The driver of a pooled connection is a task of whichever runtime made it, mostly another thread's: each piece of an
//! answer wakes that thread, and that one the worker. A lane is driven by the worker's own runtime, as its connection
//! for small reads is (see `shared`), but is another one: nobody's small read waits behind a page.
//!
//! Small pages follow each other without waiting for the answers. A large one has the lane for itself; whoever finds it
//! taken reads over the pool, so that no page waits behind a large one.

use super::link::Link;
use super::{Connector, SharedConnections, Silence, worker};
use crate::options::PostgresOptions;
use diesel::result::QueryResult;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// How many small pages may be on their way over one lane.
const SMALL_AT_ONCE: u32 = 32;

/// How much of a page the server has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageSpan {
    /// Some dozen rows: done before anybody who comes next could have gone elsewhere.
    Small,
    /// Any number of rows.
    Large,
}

impl PageSpan {
    /// Judges a page by how many rows are skipped and read.
    pub(crate) const fn of_rows(skipped: i64, read: i64) -> Self {
        if skipped <= 1_000 && read <= 101 { Self::Small } else { Self::Large }
    }

    /// Returns the part of a lane that such a page takes.
    const fn share(self) -> u32 {
        match self {
            Self::Small => 1,
            Self::Large => SMALL_AT_ONCE,
        }
    }
}

/// The lanes of a store's workers.
pub(crate) struct Lanes {
    connections: SharedConnections,
    /// How much of each is taken.
    taken: Vec<AtomicU32>,
}

impl Lanes {
    /// Prepares a place for each; makes no connection yet.
    pub(crate) fn new(connector: Connector, options: &PostgresOptions, silence: Arc<Silence>) -> Self {
        let connections = SharedConnections::new(connector, options, silence);
        let taken = std::iter::repeat_with(AtomicU32::default).take(options.shared_connections).collect();
        Self { connections, taken }
    }

    /// Takes a place on the lane of this thread for one page; nothing when the thread has no lane, or too little of it is
    /// free.
    pub(crate) fn enter(&self, span: PageSpan) -> Option<Place<'_>> {
        let taken = worker::number().and_then(|number| self.taken.get(number))?;
        let share = span.share();
        let add = |before: u32| before.checked_add(share).filter(|after| *after <= SMALL_AT_ONCE);
        taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).ok()?;
        Some(Place { connections: &self.connections, taken, share })
    }
}

/// A place on a lane, given back when it is dropped.
pub(crate) struct Place<'l> {
    connections: &'l SharedConnections,
    taken: &'l AtomicU32,
    share: u32,
}

impl Place<'_> {
    /// Reads the page.
    pub(crate) async fn read<T, F>(self, read: F) -> QueryResult<T>
    where
        T: Send,
        F: for<'c> Fn(&'c Link) -> BoxFuture<'c, QueryResult<T>> + Send + Sync,
    {
        self.connections.read(read).await
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.taken.fetch_sub(self.share, Ordering::Relaxed);
    }
}
