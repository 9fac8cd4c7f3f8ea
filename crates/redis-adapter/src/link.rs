//! State of the connection.

use crate::fault::Fault;
use crate::shared_count_meter;
use crate::worker_connections::WorkerConnections;
use redis::aio::MultiplexedConnection;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tokio::sync::watch;

/// A connection that replied when it was last used.
#[derive(Debug, Clone)]
pub(crate) struct LiveConnection {
    /// Sequence number within the process.
    number: u64,
    /// Shared by all requests; cheap to clone.
    pub(crate) connection: MultiplexedConnection,
    /// Connections owned by workers, which do not use the shared one.
    pub(crate) workers: Arc<WorkerConnections>,
}

/// Connection state shared by requests and the maintenance task; `None` while there is no connection.
#[derive(Debug)]
pub(crate) struct Link {
    live: watch::Sender<Option<LiveConnection>>,
    ever_answered: watch::Sender<bool>,
    connection_count: AtomicU64,
    outage_is_reported: AtomicBool,
}

impl Link {
    pub(crate) fn new() -> Self {
        Self {
            live: watch::Sender::new(None),
            ever_answered: watch::Sender::new(false),
            connection_count: AtomicU64::new(0),
            outage_is_reported: AtomicBool::new(false),
        }
    }

    /// Returns the current connection.
    pub(crate) fn live(&self) -> Option<LiveConnection> {
        self.live.borrow().clone()
    }

    pub(crate) fn is_up(&self) -> bool {
        self.live.borrow().is_some()
    }

    /// Installs a connection that was just probed.
    pub(crate) fn connected(&self, connection: MultiplexedConnection) -> LiveConnection {
        let number = self.connection_count.fetch_add(1, Ordering::Relaxed);
        let live = LiveConnection { number, connection, workers: Arc::new(WorkerConnections::new()) };
        self.live.send_replace(Some(live.clone()));
        self.ever_answered.send_replace(true);
        shared_count_meter::set_up(true);
        if self.outage_is_reported.swap(false, Ordering::Relaxed) {
            tracing::info!("requests are counted in the shared store again");
        }
        live
    }

    /// Removes a failed connection for all requests; the first caller logs the fault.
    ///
    /// A request that fails late does not affect the connection that replaced its own.
    pub(crate) fn failed(&self, live: &LiveConnection, fault: &Fault) {
        let took = self.live.send_if_modified(|current| {
            let is_same = current.as_ref().is_some_and(|current| current.number == live.number);
            if is_same {
                *current = None;
            }
            is_same
        });
        if took {
            self.report_outage(fault);
        }
    }

    /// Records that no connection could be opened.
    pub(crate) fn unreachable(&self, fault: &Fault) {
        self.report_outage(fault);
    }

    /// Logs an outage once.
    fn report_outage(&self, fault: &Fault) {
        if !self.outage_is_reported.swap(true, Ordering::Relaxed) {
            shared_count_meter::set_up(false);
            shared_count_meter::outage();
            tracing::warn!(
                reason = %fault,
                "the shared store of the rate limits cannot be used: requests are counted in this process"
            );
        }
    }

    /// Waits until this connection is replaced or removed.
    pub(crate) async fn until_replaced(&self, live: &LiveConnection) {
        let mut states = self.live.subscribe();
        let is_other = |current: &Option<LiveConnection>| {
            current.as_ref().is_none_or(|current| current.number != live.number)
        };
        // An error means that the link was dropped, and its waiters with it.
        let _ = states.wait_for(is_other).await;
    }

    /// Waits for the first connection.
    pub(crate) async fn first_answer(&self) {
        let mut answered = self.ever_answered.subscribe();
        let _ = answered.wait_for(|answered| *answered).await;
    }
}
