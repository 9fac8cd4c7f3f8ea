//! Connections of each worker for pages.
//!
//! The driver of a pooled connection is a task of whichever runtime made it, mostly another thread's: each piece of an
//! answer wakes that thread, and that one the worker. A lane is driven by the worker's own runtime, as its connection
//! for small reads is (see `shared`), but is another one: nobody's small read waits behind a page.
//!
//! Small pages follow each other on one lane without waiting for the answers. A large one has a lane for itself. Each
//! worker has its share of half as many as the pool has connections, rounded up, and so at least one. When those of its
//! worker are taken it waits for one.
//! So no small page waits behind a large one, and large ones leave the pool to whoever writes.

use super::{Connector, SharedConnections, Silence, worker};
use crate::options::PostgresOptions;
use diesel::result::QueryResult;
use diesel_async::AsyncPgConnection;
use futures_util::future::BoxFuture;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{Semaphore, SemaphorePermit};

/// How many small pages may be on their way over one lane.
const SMALL_AT_ONCE: usize = 32;

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
}

/// The lanes of a store's workers.
pub(crate) struct Lanes {
    /// One of each worker, for small pages.
    small: SharedConnections,
    /// Those for large pages: in each place one of every worker.
    large: Vec<SharedConnections>,
    workers: Vec<Worker>,
}

/// What is free of the lanes of one worker.
struct Worker {
    small: Semaphore,
    large: Semaphore,
    /// The places of the large ones that are free; the one that was given back last is taken first, so that a quiet
    /// server opens few.
    places: Mutex<Vec<usize>>,
}

impl Lanes {
    /// Prepares a place for each; makes no connection yet.
    pub(crate) fn new(connector: &Connector, options: &PostgresOptions, silence: &Arc<Silence>) -> Self {
        let workers = options.shared_connections.max(1);
        let large = options.pool_size.div_ceil(2 * workers).max(1);
        let row = || SharedConnections::new(connector.clone(), options, Arc::clone(silence));
        let worker = || Worker {
            small: Semaphore::new(SMALL_AT_ONCE),
            large: Semaphore::new(large),
            places: Mutex::new((0..large).rev().collect()),
        };
        Self {
            small: row(),
            large: std::iter::repeat_with(row).take(large).collect(),
            workers: std::iter::repeat_with(worker).take(workers).collect(),
        }
    }

    /// Takes a place for one page on a lane of this thread; nothing when the thread has none, or a small page finds its
    /// lane full. A large page waits until one is free.
    pub(crate) async fn enter(&self, span: PageSpan) -> Option<Place<'_>> {
        let worker = worker::number().and_then(|number| self.workers.get(number))?;
        match span {
            PageSpan::Small => {
                let permit = worker.small.try_acquire().ok()?;
                Some(Place { connections: &self.small, lane: None, _permit: permit })
            }
            PageSpan::Large => {
                let permit = worker.large.acquire().await.ok()?;
                let lane = TakenLane::of(worker)?;
                let connections = self.large.get(lane.place)?;
                Some(Place { connections, lane: Some(lane), _permit: permit })
            }
        }
    }
}

impl Worker {
    fn places(&self) -> std::sync::MutexGuard<'_, Vec<usize>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A lane for large pages that nobody else uses until this is dropped.
struct TakenLane<'l> {
    worker: &'l Worker,
    place: usize,
}

impl<'l> TakenLane<'l> {
    fn of(worker: &'l Worker) -> Option<Self> {
        let place = worker.places().pop()?;
        Some(Self { worker, place })
    }
}

impl Drop for TakenLane<'_> {
    fn drop(&mut self) {
        self.worker.places().push(self.place);
    }
}

/// A large page that nobody waits for any more: its statement may run on for seconds, and whoever has the lane next must
/// not wait behind it.
struct Unfinished<'l>(Option<&'l SharedConnections>);

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        if let Some(connections) = self.0 {
            connections.let_go();
        }
    }
}

/// A place on a lane, given back when it is dropped: first the lane, then the permit to take it.
pub(crate) struct Place<'l> {
    connections: &'l SharedConnections,
    lane: Option<TakenLane<'l>>,
    _permit: SemaphorePermit<'l>,
}

impl Place<'_> {
    /// Reads the page.
    pub(crate) async fn read<T, F>(self, read: F) -> QueryResult<T>
    where
        T: Send,
        F: for<'c> Fn(&'c AsyncPgConnection) -> BoxFuture<'c, QueryResult<T>> + Send + Sync,
    {
        let mut unfinished = Unfinished(self.lane.is_some().then_some(self.connections));
        let answer = self.connections.read(read).await;
        unfinished.0 = None;
        answer
    }
}
