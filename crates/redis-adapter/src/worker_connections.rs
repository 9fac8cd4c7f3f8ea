//! Connections owned by HTTP workers.
//!
//! A connection is driven by the runtime that opened it. The shared one runs on the threads of the process,
//! so each count over it wakes one of them, which wakes the worker. An HTTP worker has its own runtime, so it
//! opens a connection there on its first count, and uses the shared one until it is ready.
//!
//! Requests that a worker handles at the same moment share one call of the script, because most of the cost
//! of a count is the round trip. No request waits for others to join, nor for their replies.

use crate::connector::Connector;
use crate::fault::Fault;
use crate::script::Count;
use redis::aio::MultiplexedConnection;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::oneshot;

/// Maximum number of threads with a connection; further ones use the shared connection.
const MAX_THREADS: usize = 16;

/// Maximum number of requests per call, so that one call does not block the store for long.
const MAX_BATCH: usize = 64;

/// Connections of workers, dropped with the shared connection.
#[derive(Debug)]
pub(crate) struct WorkerConnections(Vec<Mutex<Slot>>);

#[derive(Debug, Clone)]
enum Slot {
    Empty,
    /// Being opened; permanent if that fails, because the shared connection serves as well.
    Opening,
    Open(Arc<WorkerConnection>),
}

/// Connection of one worker.
#[derive(Debug)]
pub(crate) struct WorkerConnection {
    connection: MultiplexedConnection,
    /// Requests added since the last call, in order of arrival.
    waiting: Mutex<Vec<Waiting>>,
}

#[derive(Debug)]
struct Waiting {
    count: Count,
    reply: oneshot::Sender<Result<u32, Fault>>,
}

impl WorkerConnection {
    fn new(connection: MultiplexedConnection) -> Self {
        Self { connection, waiting: Mutex::default() }
    }

    /// Counts a request together with those that the worker handles at the same moment.
    pub(crate) async fn count(
        self: &Arc<Self>,
        connector: &Arc<Connector>,
        count: Count,
    ) -> Result<u32, Fault> {
        let (reply, answer) = oneshot::channel();
        if self.join(Waiting { count, reply }) {
            // In a separate task, so that a cancelled request does not cancel the others.
            tokio::spawn(Arc::clone(self).send(Arc::clone(connector)));
        }
        // The sender is dropped only when the worker's runtime ends.
        answer.await.unwrap_or(Err(Fault::Lost))
    }

    /// Queues a request; returns whether the queue was empty.
    fn join(&self, one: Waiting) -> bool {
        let mut waiting = lock(&self.waiting);
        waiting.push(one);
        waiting.len() == 1
    }

    async fn send(self: Arc<Self>, connector: Arc<Connector>) {
        // Lets requests that have already arrived join this call.
        tokio::task::yield_now().await;
        let mut waiting = std::mem::take(&mut *lock(&self.waiting));
        // Requests that were cancelled meanwhile are not counted.
        waiting.retain(|waiting| !waiting.reply.is_closed());
        let mut connection = self.connection.clone();
        while !waiting.is_empty() {
            let rest = waiting.split_off(waiting.len().min(MAX_BATCH));
            let counts = waiting.iter().map(|waiting| &waiting.count);
            let counted = connector.script.count(&mut connection, counts).await;
            for (place, Waiting { reply, .. }) in waiting.into_iter().enumerate() {
                let used = counted.as_ref().map(|used| used.get(place).copied());
                // The receiver is gone if the request was cancelled.
                let _ = reply.send(used.map_err(Clone::clone).and_then(|used| used.ok_or(Fault::Protocol)));
            }
            waiting = rest;
        }
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl WorkerConnections {
    /// Creates an empty set without opening connections.
    pub(crate) fn new() -> Self {
        Self((0..MAX_THREADS).map(|_| Mutex::new(Slot::Empty)).collect())
    }

    /// Returns this thread's connection if it is open, and starts opening it otherwise.
    pub(crate) fn for_this_thread(
        self: &Arc<Self>,
        connector: &Arc<Connector>,
    ) -> Option<Arc<WorkerConnection>> {
        let number = number_of_worker()?;
        let mut slot = self.slot(number)?;
        match &*slot {
            Slot::Open(connection) => return Some(connection.clone()),
            Slot::Opening => return None,
            Slot::Empty => *slot = Slot::Opening,
        }
        drop(slot);
        let (these, connector) = (Arc::clone(self), Arc::clone(connector));
        tokio::spawn(async move {
            if let Ok(connection) = connector.connect().await
                && let Some(mut slot) = these.slot(number)
            {
                *slot = Slot::Open(Arc::new(WorkerConnection::new(connection)));
            }
        });
        None
    }

    /// Probes each connection, so that the store does not close those of workers with little traffic. A
    /// failed one is reopened on demand; its worker may have ended.
    pub(crate) async fn probe(&self, connector: &Connector) {
        for number in 0..self.0.len() {
            let slot = self.slot(number).map(|slot| slot.clone());
            if let Some(Slot::Open(slot)) = slot
                && connector.probe(&slot.connection).await.is_err()
                && let Some(mut slot) = self.slot(number)
            {
                *slot = Slot::Empty;
            }
        }
    }

    fn slot(&self, number: usize) -> Option<MutexGuard<'_, Slot>> {
        self.0.get(number).map(lock)
    }
}

/// Returns the number of this worker thread, from 0 in the order of first use; `None` on a multi-threaded
/// runtime.
fn number_of_worker() -> Option<usize> {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static NUMBER: usize = ASKED.fetch_add(1, Ordering::Relaxed);
    }
    let runtime = Handle::try_current().ok()?;
    (runtime.runtime_flavor() == RuntimeFlavor::CurrentThread).then(|| NUMBER.with(|number| *number))
}
