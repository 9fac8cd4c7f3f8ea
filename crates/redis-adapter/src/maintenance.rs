//! The task that opens the connection, probes it while it is idle, and reopens it.

use crate::connector::Connector;
use crate::link::{Link, LiveConnection};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval, sleep};

/// Interval between attempts to reconnect.
const RETRY: Duration = Duration::from_millis(500);

/// Interval between probes, so that an outage is noticed even without requests.
const PROBE: Duration = Duration::from_secs(1);

/// Maintains the connection for as long as it is polled.
pub(crate) async fn maintain(link: Arc<Link>, connector: Arc<Connector>) {
    let mut attempts = interval(RETRY);
    // Replaces a long-lived connection at once, but does not retry in a hot loop.
    attempts.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        attempts.tick().await;
        match connector.connect().await {
            Ok(connection) => watch(&link, &link.connected(connection), &connector).await,
            Err(fault) => link.unreachable(&fault),
        }
    }
}

/// Probes a connection periodically; returns when it is no longer in use.
async fn watch(link: &Link, live: &LiveConnection, connector: &Connector) {
    loop {
        tokio::select! {
            () = link.until_replaced(live) => return,
            () = sleep(PROBE) => {
                if let Err(fault) = connector.probe(&live.connection).await {
                    link.failed(live, &fault);
                } else {
                    live.workers.probe(connector).await;
                }
            }
        }
    }
}
