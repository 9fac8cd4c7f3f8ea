//! The rate limiter port.

use crate::counter_key::counter_key;
use crate::options::RedisOptions;
use crate::script::Count;
use crate::shared_count_meter::SharedCountMeter;
use crate::shared_store::SharedStore;
use application::ports::system::RateLimiter;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::rate_limit::{RateKey, RateStatus, RateWindow};
use std::fmt;
use std::sync::{Arc, OnceLock};
use tokio::task::JoinHandle;

/// Seconds that a counter outlives its day, for requests that began before midnight.
const KEPT_AFTER_END: i64 = 60;

/// Counts requests in a store shared by all replicas, and in the process while that store is down.
///
/// A request waits for the store at most for the response timeout, not counting time in which its own thread
/// was busy. The first timeout marks the store as down for all requests, until a background task has probed
/// it again.
pub struct RedisRateLimiter {
    store: Arc<SharedStore>,
    in_process: Arc<dyn RateLimiter>,
    // Registered on the first decision, when the metrics recorder is installed.
    meter: OnceLock<SharedCountMeter>,
    maintenance: JoinHandle<()>,
}

impl RedisRateLimiter {
    /// Creates a limiter and starts connecting; `in_process` counts while the store is down.
    ///
    /// Returns immediately. Must be called on a Tokio runtime, which then drives the shared connection.
    pub fn start(options: &RedisOptions, in_process: Arc<dyn RateLimiter>) -> Self {
        let store = Arc::new(SharedStore::new(options));
        let maintained = store.clone();
        let maintenance = tokio::spawn(async move { maintained.maintain().await });
        Self { store, in_process, meter: OnceLock::new(), maintenance }
    }

    /// Returns whether requests are currently counted in the store.
    pub fn is_up(&self) -> bool {
        self.store.live().is_some()
    }

    /// Waits for the first connection since the start; forever if there is none.
    ///
    /// A replica that waits for this before it reports ready needs a timeout: an outage of the store must not
    /// prevent a restart.
    pub async fn first_answer(&self) {
        self.store.first_answer().await;
    }

    /// Counts in the store; `None` if it cannot be used.
    async fn count_in_store(&self, key: RateKey, limit: u32, now: DateTime<Utc>) -> Option<RateStatus> {
        let connections = self.store.live()?;
        let window = RateWindow::at(now);
        let seconds_to_live = window.seconds_left(now).saturating_add(KEPT_AFTER_END);
        let count = Count { key: counter_key(&key, window), limit, seconds_to_live };
        match self.store.count(&connections.of_this_thread(&self.store), &count).await {
            Ok(used) => Some(RateStatus::after(used, limit, window)),
            Err(fault) => {
                self.store.failed(&connections, &fault);
                None
            }
        }
    }
}

#[async_trait]
impl RateLimiter for RedisRateLimiter {
    async fn count(&self, key: RateKey, limit: u32, now: DateTime<Utc>) -> RateStatus {
        let Some(status) = self.count_in_store(key, limit, now).await else {
            return self.in_process.count(key, limit, now).await;
        };
        self.meter.get_or_init(SharedCountMeter::new).decided(key.endpoint, status.allowed);
        status
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
