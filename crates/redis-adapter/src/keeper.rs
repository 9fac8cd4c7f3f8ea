//! The task that keeps the connection: makes it, tries it while nobody asks, and makes it again.

use crate::connector::Connector;
use crate::link::{Link, Live};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval, sleep};

/// How often a lost store is tried again.
const RETRY: Duration = Duration::from_millis(500);

/// How often a connection is tried, so that an outage in a quiet hour is known before the next request.
const PROBE: Duration = Duration::from_secs(1);

/// Keeps a connection for as long as it is polled.
pub(crate) async fn keep(link: Arc<Link>, connector: Arc<Connector>) {
    let mut attempts = interval(RETRY);
    // A connection that lived for long is replaced at once, one that failed at once is not tried in a hot loop.
    attempts.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        attempts.tick().await;
        match connector.connect().await {
            Ok(connection) => watch(&link, &link.connected(connection), &connector).await,
            Err(fault) => link.unreachable(&fault),
        }
    }
}

/// Tries a connection now and then; returns when it is out of use, whoever found that out.
async fn watch(link: &Link, live: &Live, connector: &Connector) {
    loop {
        tokio::select! {
            () = link.until_replaced(live) => return,
            () = sleep(PROBE) => {
                if let Err(fault) = connector.probe(&live.connection).await {
                    link.failed(live, &fault);
                } else {
                    live.own.probe(connector).await;
                }
            }
        }
    }
}
