//! Whether there is a connection that answers, and which.

use crate::fault::Fault;
use crate::own::OwnConnections;
use crate::shared_count_meter;
use redis::aio::MultiplexedConnection;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tokio::sync::watch;

/// A connection that answered when it was last used.
#[derive(Debug, Clone)]
pub(crate) struct Live {
    /// Which one, counted from the start of the process.
    number: u64,
    /// Shared by all requests; a copy is cheap.
    pub(crate) connection: MultiplexedConnection,
    /// Those of workers, who do not need the shared one then.
    pub(crate) own: Arc<OwnConnections>,
}

/// The state that requests and the keeper share: the connection, or that there is none.
#[derive(Debug)]
pub(crate) struct Link {
    live: watch::Sender<Option<Live>>,
    ever_answered: watch::Sender<bool>,
    made: AtomicU64,
    outage_is_told: AtomicBool,
}

impl Link {
    pub(crate) fn new() -> Self {
        Self {
            live: watch::Sender::new(None),
            ever_answered: watch::Sender::new(false),
            made: AtomicU64::new(0),
            outage_is_told: AtomicBool::new(false),
        }
    }

    /// Returns the connection that requests use at this moment.
    pub(crate) fn live(&self) -> Option<Live> {
        self.live.borrow().clone()
    }

    pub(crate) fn is_up(&self) -> bool {
        self.live.borrow().is_some()
    }

    /// Takes a connection into use that has just answered.
    pub(crate) fn connected(&self, connection: MultiplexedConnection) -> Live {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let live = Live { number, connection, own: Arc::new(OwnConnections::new()) };
        self.live.send_replace(Some(live.clone()));
        self.ever_answered.send_replace(true);
        shared_count_meter::set_up(true);
        if self.outage_is_told.swap(false, Ordering::Relaxed) {
            tracing::info!("requests are counted in the shared store again");
        }
        live
    }

    /// Takes a connection out of use that failed, for all requests at once; the first of them tells it.
    ///
    /// A request that failed late does not touch the connection that came after its own.
    pub(crate) fn failed(&self, live: &Live, fault: &Fault) {
        let took = self.live.send_if_modified(|current| {
            let is_same = current.as_ref().is_some_and(|current| current.number == live.number);
            if is_same {
                *current = None;
            }
            is_same
        });
        if took {
            self.tell(fault);
        }
    }

    /// Notes that no connection could be made.
    pub(crate) fn unreachable(&self, fault: &Fault) {
        self.tell(fault);
    }

    /// Says an outage once, however often it is noticed.
    fn tell(&self, fault: &Fault) {
        if !self.outage_is_told.swap(true, Ordering::Relaxed) {
            shared_count_meter::set_up(false);
            shared_count_meter::outage();
            tracing::warn!(
                reason = %fault,
                "the shared store of the rate limits cannot be used: requests are counted in this process"
            );
        }
    }

    /// Waits until this connection is out of use.
    pub(crate) async fn until_replaced(&self, live: &Live) {
        let mut states = self.live.subscribe();
        let is_other =
            |current: &Option<Live>| current.as_ref().is_none_or(|current| current.number != live.number);
        // An error is a link that is gone, and with it whoever waits here.
        let _ = states.wait_for(is_other).await;
    }

    /// Waits until the store answered for the first time.
    pub(crate) async fn first_answer(&self) {
        let mut answered = self.ever_answered.subscribe();
        let _ = answered.wait_for(|answered| *answered).await;
    }
}
