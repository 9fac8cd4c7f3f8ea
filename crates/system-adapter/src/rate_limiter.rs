//! Daily request counters in memory.

mod process_count_meter;

use application::ports::system::RateLimiter;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use dashmap::DashMap;
use domain::rate_limit::{RateKey, RateStatus, RateWindow};
use process_count_meter::ProcessCountMeter;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, Ordering};

/// How long the counters of a day outlive it, for requests that began before midnight.
const KEPT_AFTER_END: TimeDelta = TimeDelta::minutes(1);

/// Counts requests in fixed windows of one UTC day (decisions 7), in this process only.
///
/// Each counter belongs to one window. The first request more than a minute after midnight drops the counters
/// of past days.
#[derive(Debug, Default)]
pub struct InProcessRateLimiter {
    counters: DashMap<(RateKey, RateWindow), u32>,
    /// Counters of earlier days have been dropped.
    oldest_day: AtomicI64,
    // Registered on the first decision, when the metrics recorder is installed.
    meter: OnceLock<ProcessCountMeter>,
}

impl InProcessRateLimiter {
    /// Creates a limiter with empty counters.
    pub fn new() -> Self {
        Self::default()
    }

    /// Drops the counters of all other days, also those of a clock that was wrong.
    fn drop_past_days(&self, now: DateTime<Utc>) {
        let moment = now.checked_sub_signed(KEPT_AFTER_END).unwrap_or(now);
        let oldest = RateWindow::at(moment).day();
        // Reading first avoids moving the cache line between cores on every request.
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
        // The entry stays locked until it is incremented, so exactly `limit` concurrent requests pass.
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
