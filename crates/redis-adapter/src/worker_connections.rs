//! The shared connection, and those of HTTP workers.
//!
//! A connection is driven by the runtime that opened it. The shared one runs on the threads of the process,
//! so each count over it wakes one of them, which then wakes the worker. An HTTP worker is a single-threaded
//! runtime: it opens a connection there on its first count, and uses the shared one until it is ready.

use crate::shared_store::SharedStore;
use redis::aio::MultiplexedConnection;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use tokio::runtime::{Handle, RuntimeFlavor};

/// Connections that are used and replaced together.
#[derive(Debug)]
pub(crate) struct Connections {
    pub(crate) shared: MultiplexedConnection,
    /// `None` while a connection is being opened, and for good if that fails.
    of_workers: Mutex<HashMap<ThreadId, Option<MultiplexedConnection>>>,
}

impl Connections {
    pub(crate) fn new(shared: MultiplexedConnection) -> Self {
        Self { shared, of_workers: Mutex::default() }
    }

    /// Returns the connection that this thread uses. Starts opening one if the thread is a worker without.
    pub(crate) fn of_this_thread(self: &Arc<Self>, store: &Arc<SharedStore>) -> MultiplexedConnection {
        let is_worker =
            Handle::try_current().is_ok_and(|on| on.runtime_flavor() == RuntimeFlavor::CurrentThread);
        if !is_worker {
            return self.shared.clone();
        }
        let thread = thread::current().id();
        let mut of_workers = self.of_workers();
        if let Some(connection) = of_workers.get(&thread) {
            return connection.as_ref().unwrap_or(&self.shared).clone();
        }
        of_workers.insert(thread, None);
        let (connections, store) = (Arc::clone(self), Arc::clone(store));
        tokio::spawn(async move {
            if let Ok(connection) = store.connect().await {
                connections.of_workers().insert(thread, Some(connection));
            }
        });
        self.shared.clone()
    }

    /// Probes the connection of each worker, because servers close idle ones. A failed one is reopened on
    /// demand.
    pub(crate) async fn probe_workers(&self, store: &SharedStore) {
        let open: Vec<_> =
            self.of_workers().iter().filter_map(|(thread, one)| Some((*thread, one.clone()?))).collect();
        for (thread, connection) in open {
            if store.probe(&connection).await.is_err() {
                self.of_workers().remove(&thread);
            }
        }
    }

    fn of_workers(&self) -> MutexGuard<'_, HashMap<ThreadId, Option<MultiplexedConnection>>> {
        self.of_workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
