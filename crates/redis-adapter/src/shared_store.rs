//! The connections to the store: opened, probed while they are idle, and replaced after every fault.
//!
//! The client library's connection manager would keep a connection that times out, whose server became
//! read-only, or that the server rejected ([ADR 25](../../../docs/adr/0025-shared-rate-counter.md)).

use crate::counter_key::PROBE as PROBE_KEY;
use crate::fault::Fault;
use crate::options::RedisOptions;
use crate::script::{Count, CountScript};
use crate::shared_count_meter;
use crate::wait::in_time;
use crate::worker_connections::Connections;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, timeout};

/// Interval between attempts to connect.
const RETRY: Duration = Duration::from_millis(500);

/// Interval between probes, so that an outage is noticed even without requests.
const PROBE: Duration = Duration::from_secs(1);

/// Lifetime of the probe's key.
const PROBE_SECONDS: i64 = 60;

/// Minimum timeout for opening a connection, from name resolution to authentication. No request waits for it.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// Requests that may be queued on the connection. Further ones wait within their own timeout.
const QUEUE: usize = 1_024;

/// The store, with its connections.
#[derive(Debug)]
pub(crate) struct SharedStore {
    client: Client,
    script: CountScript,
    answer_timeout: Duration,
    /// Connections that replied when they were last used; `None` during an outage.
    live: watch::Sender<Option<Arc<Connections>>>,
    ever_answered: watch::Sender<bool>,
    outage_is_reported: AtomicBool,
}

impl SharedStore {
    /// Creates the store without a connection.
    pub(crate) fn new(options: &RedisOptions) -> Self {
        Self {
            client: options.client().clone(),
            script: CountScript::new(),
            answer_timeout: options.answer_timeout(),
            live: watch::Sender::new(None),
            ever_answered: watch::Sender::new(false),
            outage_is_reported: AtomicBool::new(false),
        }
    }

    /// Returns the current connections.
    pub(crate) fn live(&self) -> Option<Arc<Connections>> {
        self.live.borrow().clone()
    }

    /// Waits for the first connection.
    pub(crate) async fn first_answer(&self) {
        // An error means that the store was dropped, and its waiters with it.
        let _ = self.ever_answered.subscribe().wait_for(|answered| *answered).await;
    }

    /// Counts a request within its timeout; returns the count before it.
    pub(crate) async fn count(
        &self,
        connection: &MultiplexedConnection,
        count: &Count,
    ) -> Result<u32, Fault> {
        in_time(self.answer_timeout, self.script.count(&mut connection.clone(), count)).await
    }

    /// Removes connections of which one failed, for all requests.
    ///
    /// A request that fails late does not affect the connections that replaced its own.
    pub(crate) fn failed(&self, connections: &Arc<Connections>, fault: &Fault) {
        let is_removed =
            self.live.send_if_modified(|live| live.take_if(|live| Arc::ptr_eq(live, connections)).is_some());
        if is_removed {
            self.report_outage(fault);
        }
    }

    /// Opens and replaces the connections for as long as it is polled.
    pub(crate) async fn maintain(&self) {
        let mut attempts = interval(RETRY);
        // Replaces a long-lived connection immediately, but does not retry in a hot loop.
        attempts.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            attempts.tick().await;
            match self.connect().await {
                Ok(connection) => self.lend(Arc::new(Connections::new(connection))).await,
                Err(fault) => self.report_outage(&fault),
            }
        }
    }

    /// Opens a connection and probes it: a server that only accepts connections would run every request into
    /// its timeout.
    pub(crate) async fn connect(&self) -> Result<MultiplexedConnection, Fault> {
        let connect = async {
            // Timeouts are ours: the driver's would apply to each step of a request.
            let config = AsyncConnectionConfig::new()
                .set_connection_timeout(None)
                .set_response_timeout(None)
                .set_pipeline_buffer_size(QUEUE);
            let mut connection = self.client.get_multiplexed_async_connection_with_config(&config).await?;
            self.script.load(&mut connection).await?;
            Ok::<_, Fault>(connection)
        };
        let longest = CONNECT_TIMEOUT.max(self.answer_timeout);
        let connection = timeout(longest, connect).await.map_err(|_| Fault::NoAnswer)??;
        self.probe(&connection).await?;
        Ok(connection)
    }

    /// Counts on the probe's key within the timeout of a request.
    ///
    /// This rejects a read-only replica, a full store and one that is too slow.
    pub(crate) async fn probe(&self, connection: &MultiplexedConnection) -> Result<(), Fault> {
        let count = Count { key: PROBE_KEY.to_owned(), limit: u32::MAX, seconds_to_live: PROBE_SECONDS };
        self.count(connection, &count).await.map(drop)
    }

    /// Lends connections to requests, and probes them periodically; returns once one has failed.
    async fn lend(&self, connections: Arc<Connections>) {
        self.live.send_replace(Some(connections.clone()));
        self.ever_answered.send_replace(true);
        shared_count_meter::set_up(true);
        if self.outage_is_reported.swap(false, Ordering::Relaxed) {
            tracing::info!("requests are counted in the shared store again");
        }
        let mut states = self.live.subscribe();
        while timeout(PROBE, states.wait_for(Option::is_none)).await.is_err() {
            if let Err(fault) = self.probe(&connections.shared).await {
                self.failed(&connections, &fault);
            } else {
                connections.probe_workers(self).await;
            }
        }
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
}
