//! How a connection is made, and tried.

use crate::counter_key::PROBE;
use crate::fault::Fault;
use crate::options::RedisOptions;
use crate::patience::in_time;
use crate::script::{Count, CountScript};
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client};
use std::time::Duration;
use tokio::time::timeout;

/// How long making a connection may take, from the name to the password, unless a single answer may take longer. Nobody
/// waits for it.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// How many requests may queue for the connection before further ones wait their turn, within their time-out.
const QUEUE: usize = 1_024;

/// How long the probe's own key lives.
const PROBE_SECONDS: i64 = 60;

/// Makes connections and tries them.
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

    /// Makes a connection that counts: one that merely accepts would send every request into its time-out.
    pub(crate) async fn connect(&self) -> Result<MultiplexedConnection, Fault> {
        let made = async {
            // The time-outs are ours: the driver's would count each step of a request anew.
            let config = AsyncConnectionConfig::new()
                .set_connection_timeout(None)
                .set_response_timeout(None)
                .set_pipeline_buffer_size(QUEUE);
            let mut connection = self.client.get_multiplexed_async_connection_with_config(&config).await?;
            self.script.load(&mut connection).await?;
            Ok::<_, Fault>(connection)
        };
        let longest = CONNECT_TIMEOUT.max(self.answer_timeout);
        let connection = timeout(longest, made).await.map_err(|_| Fault::NoAnswer)??;
        self.probe(&connection).await?;
        Ok(connection)
    }

    /// Counts on the probe's key: whether the store counts, as it must for a request, and as fast.
    ///
    /// So a replica that is read only, one that is full, and one that is too slow are not taken for a store.
    pub(crate) async fn probe(&self, connection: &MultiplexedConnection) -> Result<(), Fault> {
        let mut connection = connection.clone();
        let count = Count { key: PROBE.to_owned(), limit: u32::MAX, seconds_to_live: PROBE_SECONDS };
        let counted = self.script.count_one(&mut connection, &count);
        in_time(self.answer_timeout, counted).await.map(drop)
    }
}
