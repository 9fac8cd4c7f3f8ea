//! The rate limiter port.

use crate::busy_timeout::in_time;
use crate::connector::Connector;
use crate::counter_key::counter_key;
use crate::fault::Fault;
use crate::link::{Link, LiveConnection};
use crate::maintenance::maintain;
use crate::options::RedisOptions;
use crate::script::{Count, CountScript};
use crate::shared_count_meter::SharedCountMeter;
use application::ports::system::RateLimiter;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::rate_limit::{RateKey, RateStatus, RateWindow};
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::task::JoinHandle;

/// Seconds that a counter outlives its day, for requests that began before midnight.
const KEPT_AFTER_END: i64 = 60;

/// Counts requests in a store shared by all replicas, and in the process while that store is down.
///
/// A request waits for the store at most for the response timeout, not counting time in which its own thread
/// was busy. The first timeout marks the store as down for all requests, until a background task has probed
/// it again.
pub struct RedisRateLimiter {
    link: Arc<Link>,
    connector: Arc<Connector>,
    in_process: Arc<dyn RateLimiter>,
    answer_timeout: Duration,
    // Registered on the first decision, when the metrics recorder is installed.
    meter: OnceLock<SharedCountMeter>,
    maintenance: JoinHandle<()>,
}

impl RedisRateLimiter {
    /// Creates a limiter and starts connecting; `in_process` counts while the store is down.
    ///
    /// Returns immediately. Must be called on a Tokio runtime, which then drives the connection.
    pub fn start(options: &RedisOptions, in_process: Arc<dyn RateLimiter>) -> Self {
        let (link, script) = (Arc::new(Link::new()), CountScript::new());
        let connector = Arc::new(Connector::new(options, script));
        let maintenance = tokio::spawn(maintain(link.clone(), connector.clone()));
        let answer_timeout = options.answer_timeout();
        Self { link, connector, in_process, answer_timeout, meter: OnceLock::new(), maintenance }
    }

    /// Returns whether requests are currently counted in the store.
    pub fn is_up(&self) -> bool {
        self.link.is_up()
    }

    /// Waits for the first connection since the start; forever if there is none.
    ///
    /// A replica that waits for this before it reports ready needs a timeout: an outage of the store must not
    /// prevent a restart.
    pub async fn first_answer(&self) {
        self.link.first_answer().await;
    }

    async fn count_in_store(
        &self,
        live: &LiveConnection,
        counted: &CountedRequest,
    ) -> Result<RateStatus, Fault> {
        let CountedRequest { key, limit, window, now } = *counted;
        let seconds_to_live = window.seconds_left(now).saturating_add(KEPT_AFTER_END);
        let count = Count { key: counter_key(&key, window), limit, seconds_to_live };
        let used = async {
            match live.workers.for_this_thread(&self.connector) {
                Some(connection) => connection.count(&self.connector, count).await,
                None => self.connector.script.count_one(&mut live.connection.clone(), &count).await,
            }
        };
        let used = in_time(self.answer_timeout, used).await?;
        Ok(RateStatus::after(used, limit, window))
    }
}

/// A counted request.
struct CountedRequest {
    key: RateKey,
    limit: u32,
    window: RateWindow,
    now: DateTime<Utc>,
}

#[async_trait]
impl RateLimiter for RedisRateLimiter {
    async fn count(&self, key: RateKey, limit: u32, now: DateTime<Utc>) -> RateStatus {
        let Some(live) = self.link.live() else {
            return self.in_process.count(key, limit, now).await;
        };
        let counted = CountedRequest { key, limit, window: RateWindow::at(now), now };
        match self.count_in_store(&live, &counted).await {
            Ok(status) => {
                self.meter.get_or_init(SharedCountMeter::new).decided(key.endpoint, status.allowed);
                status
            }
            Err(fault) => {
                self.link.failed(&live, &fault);
                self.in_process.count(key, limit, now).await
            }
        }
    }
}

impl Drop for RedisRateLimiter {
    fn drop(&mut self) {
        self.maintenance.abort();
    }
}

impl fmt::Debug for RedisRateLimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisRateLimiter").field("is_up", &self.is_up()).finish_non_exhaustive()
    }
}
