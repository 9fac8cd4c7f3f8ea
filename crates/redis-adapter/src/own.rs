//! A connection of each worker's own.
//!
//! A connection is driven by the runtime on which it was made. That of the keeper is driven by the threads of the
//! process: each count wakes one of them, and that one the worker. So a worker of the HTTP server, which runs a runtime
//! of its own, makes a connection there when it first counts, and counts over the keeper's until it is there.

use crate::connector::Connector;
use redis::aio::MultiplexedConnection;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::runtime::{Handle, RuntimeFlavor};

/// How many threads have one at most; whoever comes later counts over the keeper's.
const MOST: usize = 16;

/// The connections of workers beside one of the keeper's; they go when that one goes.
#[derive(Debug)]
pub(crate) struct OwnConnections(Vec<Mutex<Own>>);

#[derive(Debug, Clone)]
enum Own {
    Absent,
    /// Begun; for good, when it could not be made: the keeper's serves as well.
    Begun,
    There(MultiplexedConnection),
}

impl OwnConnections {
    /// Prepares places; makes no connection yet.
    pub(crate) fn new() -> Self {
        Self((0..MOST).map(|_| Mutex::new(Own::Absent)).collect())
    }

    /// Returns the connection of this thread, if it has one by now; begins to make one otherwise.
    pub(crate) fn of_this_thread(
        self: &Arc<Self>,
        connector: &Arc<Connector>,
    ) -> Option<MultiplexedConnection> {
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
                *own = Own::There(connection);
            }
        });
        None
    }

    /// Tries each, so that the store does not take one for idle whose worker has little to do. One that fails is made
    /// anew when it is needed: its worker may have ended.
    pub(crate) async fn probe(&self, connector: &Connector) {
        for number in 0..self.0.len() {
            let own = self.place(number).map(|own| own.clone());
            if let Some(Own::There(connection)) = own
                && connector.probe(&connection).await.is_err()
                && let Some(mut own) = self.place(number)
            {
                *own = Own::Absent;
            }
        }
    }

    fn place(&self, number: usize) -> Option<MutexGuard<'_, Own>> {
        self.0.get(number).map(|own| own.lock().unwrap_or_else(PoisonError::into_inner))
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
