//! A connection of each worker's own.
//!
//! A connection is driven by the runtime on which it was made. That of the keeper is driven by the threads of the
//! process: each count wakes one of them, and that one the worker. So a worker of the HTTP server, which runs a runtime
//! of its own, makes a connection there when it first counts, and counts over the keeper's until it is there.
//!
//! Requests that a worker finds at the same moment are counted by one call of the script: most of what a count costs is
//! its way. Nobody waits for company, nor for an answer to others.

use crate::connector::Connector;
use crate::fault::Fault;
use crate::script::Count;
use redis::aio::MultiplexedConnection;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::oneshot;

/// How many threads have one at most; whoever comes later counts over the keeper's.
const MOST: usize = 16;

/// How many requests are counted by one call at most, so that the store is not kept from others for long.
const MOST_AT_ONCE: usize = 64;

/// The connections of workers beside one of the keeper's; they go when that one goes.
#[derive(Debug)]
pub(crate) struct OwnConnections(Vec<Mutex<Own>>);

#[derive(Debug, Clone)]
enum Own {
    Absent,
    /// Begun; for good, when it could not be made: the keeper's serves as well.
    Begun,
    There(Arc<OwnConnection>),
}

/// The connection of a worker.
#[derive(Debug)]
pub(crate) struct OwnConnection {
    connection: MultiplexedConnection,
    /// Those who came since the last call was sent, in the order in which they came.
    waiting: Mutex<Vec<Waiting>>,
}

#[derive(Debug)]
struct Waiting {
    count: Count,
    told: oneshot::Sender<Result<u32, Fault>>,
}

impl OwnConnection {
    fn new(connection: MultiplexedConnection) -> Self {
        Self { connection, waiting: Mutex::default() }
    }

    /// Counts a request, together with those that the worker finds at the same moment.
    pub(crate) async fn count(
        self: &Arc<Self>,
        connector: &Arc<Connector>,
        count: Count,
    ) -> Result<u32, Fault> {
        let (told, answer) = oneshot::channel();
        if self.join(Waiting { count, told }) {
            // A task of its own: a request that is given up takes nobody's answer along.
            tokio::spawn(Arc::clone(self).send(Arc::clone(connector)));
        }
        // Nothing is said when the runtime of the worker ends.
        answer.await.unwrap_or(Err(Fault::Lost))
    }

    /// Puts one who waits to the others; tells whether there were none.
    fn join(&self, one: Waiting) -> bool {
        let mut waiting = lock(&self.waiting);
        waiting.push(one);
        waiting.len() == 1
    }

    async fn send(self: Arc<Self>, connector: Arc<Connector>) {
        // Requests that are there already are read first: they come along.
        tokio::task::yield_now().await;
        let mut waiting = std::mem::take(&mut *lock(&self.waiting));
        // Whoever was given up meanwhile is not counted.
        waiting.retain(|waiting| !waiting.told.is_closed());
        let mut connection = self.connection.clone();
        while !waiting.is_empty() {
            let rest = waiting.split_off(waiting.len().min(MOST_AT_ONCE));
            let counts = waiting.iter().map(|waiting| &waiting.count);
            let counted = connector.script.count(&mut connection, counts).await;
            for (place, Waiting { told, .. }) in waiting.into_iter().enumerate() {
                let used = counted.as_ref().map(|used| used.get(place).copied());
                // One who went away meanwhile needs no answer.
                let _ = told.send(used.map_err(Clone::clone).and_then(|used| used.ok_or(Fault::Protocol)));
            }
            waiting = rest;
        }
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl OwnConnections {
    /// Prepares places; makes no connection yet.
    pub(crate) fn new() -> Self {
        Self((0..MOST).map(|_| Mutex::new(Own::Absent)).collect())
    }

    /// Returns the connection of this thread, if it has one by now; begins to make one otherwise.
    pub(crate) fn of_this_thread(self: &Arc<Self>, connector: &Arc<Connector>) -> Option<Arc<OwnConnection>> {
        let number = number_of_worker()?;
        let mut own = self.place(number)?;
        match &*own {
            Own::There(connection) => return Some(connection.clone()),
            Own::Begun => return None,
            Own::Absent => *own = Own::Begun,
        }
        drop(own);
        let (these, connector) = (Arc::clone(self), Arc::clone(connector));
        tokio::spawn(async move {
            if let Ok(connection) = connector.connect().await
                && let Some(mut own) = these.place(number)
            {
                *own = Own::There(Arc::new(OwnConnection::new(connection)));
            }
        });
        None
    }

    /// Tries each, so that the store does not take one for idle whose worker has little to do. One that fails is made
    /// anew when it is needed: its worker may have ended.
    pub(crate) async fn probe(&self, connector: &Connector) {
        for number in 0..self.0.len() {
            let own = self.place(number).map(|own| own.clone());
            if let Some(Own::There(own)) = own
                && connector.probe(&own.connection).await.is_err()
                && let Some(mut own) = self.place(number)
            {
                *own = Own::Absent;
            }
        }
    }

    fn place(&self, number: usize) -> Option<MutexGuard<'_, Own>> {
        self.0.get(number).map(lock)
    }
}

/// Returns the number of this thread among those that run a runtime of their own, counted from 0 in the order in which
/// they first ask; nothing on a runtime that many threads run.
fn number_of_worker() -> Option<usize> {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static NUMBER: usize = ASKED.fetch_add(1, Ordering::Relaxed);
    }
    let runtime = Handle::try_current().ok()?;
    (runtime.runtime_flavor() == RuntimeFlavor::CurrentThread).then(|| NUMBER.with(|number| *number))
}
