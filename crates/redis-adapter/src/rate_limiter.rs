//! The port.

use crate::connector::Connector;
use crate::counter_key::counter_key;
use crate::fault::Fault;
use crate::keeper::keep;
use crate::link::{Link, Live};
use crate::options::RedisOptions;
use crate::patience::in_time;
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

/// How many seconds a counter outlives its day, for requests that began before its end.
const KEPT_AFTER_END: i64 = 60;

/// Counts requests in a store that all replicas share, and in the process while that store is down.
///
/// No request waits longer for the store than its answer may take, not counting time in which its own thread did
/// something else. The first that waits so long in vain takes the
/// store out of use for all; until it counts again, which a task of this limiter finds out, requests do not ask it.
pub struct RedisRateLimiter {
    link: Arc<Link>,
    connector: Arc<Connector>,
    in_process: Arc<dyn RateLimiter>,
    answer_timeout: Duration,
    // Registered at the first decision: by then the recorder is set, if there is one.
    meter: OnceLock<SharedCountMeter>,
    keeper: JoinHandle<()>,
}

impl RedisRateLimiter {
    /// Makes a limiter and begins to connect; `in_process` counts whenever the store does not.
    ///
    /// Returns at once. Must be called on a Tokio runtime, which then drives the connection.
    pub fn start(options: &RedisOptions, in_process: Arc<dyn RateLimiter>) -> Self {
        let (link, script) = (Arc::new(Link::new()), CountScript::new());
        let connector = Arc::new(Connector::new(options, script));
        let keeper = tokio::spawn(keep(link.clone(), connector.clone()));
        let answer_timeout = options.answer_timeout();
        Self { link, connector, in_process, answer_timeout, meter: OnceLock::new(), keeper }
    }

    /// Returns whether requests are counted in the store at this moment.
    pub fn is_up(&self) -> bool {
        self.link.is_up()
    }

    /// Waits until the store has counted for the first time since the start; for ever when it never does.
    ///
    /// A replica that waits for this before it says that it is ready must not wait without an end: an outage of the
    /// store must not keep a replica from being started again.
    pub async fn first_answer(&self) {
        self.link.first_answer().await;
    }

    async fn count_in_store(&self, live: &Live, counted: &Counted) -> Result<RateStatus, Fault> {
        let Counted { key, limit, window, now } = *counted;
        let seconds_to_live = window.seconds_left(now).saturating_add(KEPT_AFTER_END);
        let count = Count { key: counter_key(&key, window), limit, seconds_to_live };
        let used = async {
            match live.own.of_this_thread(&self.connector) {
                Some(own) => own.count(&self.connector, count).await,
                None => self.connector.script.count_one(&mut live.connection.clone(), &count).await,
            }
        };
        let used = in_time(self.answer_timeout, used).await?;
        Ok(RateStatus::after(used, limit, window))
    }
}

/// One request, as it is counted.
struct Counted {
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
        let counted = Counted { key, limit, window: RateWindow::at(now), now };
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
        self.keeper.abort();
    }
}

impl fmt::Debug for RedisRateLimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisRateLimiter").field("is_up", &self.is_up()).finish_non_exhaustive()
    }
}
