//! Opening and probing connections.

use crate::busy_timeout::in_time;
use crate::counter_key::PROBE;
use crate::fault::Fault;
use crate::options::RedisOptions;
use crate::script::{Count, CountScript};
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client};
use std::time::Duration;
use tokio::time::timeout;

/// Minimum timeout for opening a connection, from name resolution to authentication. No request waits for it.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// Requests that may be queued on the connection. Further ones wait within their own timeout.
const QUEUE: usize = 1_024;

/// Lifetime of the probe's key.
const PROBE_SECONDS: i64 = 60;

/// Opens and probes connections.
#[derive(Debug)]
pub(crate) struct Connector {
    pub(crate) client: Client,
    pub(crate) script: CountScript,
    pub(crate) answer_timeout: Duration,
}

impl Connector {
    pub(crate) fn new(options: &RedisOptions, script: CountScript) -> Self {
        Self { client: options.client().clone(), script, answer_timeout: options.answer_timeout() }
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
        let mut connection = connection.clone();
        let count = Count { key: PROBE.to_owned(), limit: u32::MAX, seconds_to_live: PROBE_SECONDS };
        let counted = self.script.count_one(&mut connection, &count);
        in_time(self.answer_timeout, counted).await.map(drop)
    }
}
