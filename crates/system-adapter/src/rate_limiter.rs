//! Daily counters in the memory of this process.

mod process_count_meter;

use application::ports::system::RateLimiter;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use dashmap::DashMap;
use domain::rate_limit::{RateKey, RateStatus, RateWindow};
use process_count_meter::ProcessCountMeter;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, Ordering};

/// How long the counters of a day are kept after its end, for requests that began before it.
const KEPT_AFTER_END: TimeDelta = TimeDelta::minutes(1);

/// Counts requests in fixed windows of one UTC day (decisions 7), in this process alone.
///
/// A counter belongs to one window, so that a request at midnight counts on its own side of it. One minute
/// after midnight the counters of past days are dropped, by the request that notices first.
#[derive(Debug, Default)]
pub struct InProcessRateLimiter {
    counters: DashMap<(RateKey, RateWindow), u32>,
    /// The day before which nothing is kept.
    oldest_day: AtomicI64,
    // Registered at the first decision: by then the recorder is set, if there is one.
    meter: OnceLock<ProcessCountMeter>,
}

impl InProcessRateLimiter {
    /// Makes a limiter that has counted nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Drops what belongs to another time. A clock that was wrong by years and is set right again leaves
    /// nothing behind either.
    fn drop_past_days(&self, now: DateTime<Utc>) {
        let moment = now.checked_sub_signed(KEPT_AFTER_END).unwrap_or(now);
        let oldest = RateWindow::at(moment).day();
        // Read first: a write at every request would pass the cache line from core to core.
        let known = self.oldest_day.load(Ordering::Relaxed) == oldest;
        if known || self.oldest_day.swap(oldest, Ordering::Relaxed) == oldest {
            return;
        }
        let kept = oldest..=oldest + 1;
        self.counters.retain(|(_, window), _| kept.contains(&window.day()));
        self.counters.shrink_to_fit();
    }
}

#[async_trait]
impl RateLimiter for InProcessRateLimiter {
    async fn count(&self, key: RateKey, limit: u32, now: DateTime<Utc>) -> RateStatus {
        let _span =
            tracing::info_span!(target: "trace", "rate limit", endpoint = key.endpoint.as_str()).entered();
        self.drop_past_days(now);
        let window = RateWindow::at(now);
        // The entry stays locked until the count is written: of many requests, exactly `limit` find a place.
        let mut used = self.counters.entry((key, window)).or_insert(0);
        let status = RateStatus::after(*used, limit, window);
        if status.allowed {
            *used += 1;
        }
        drop(used);
        self.meter.get_or_init(ProcessCountMeter::new).decided(key.endpoint, status.allowed);
        status
    }
}

#[cfg(test)]
mod tests;
