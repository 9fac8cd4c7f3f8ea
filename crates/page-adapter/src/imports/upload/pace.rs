//! Minimum rate of uploads: a slow one would keep its permit for an hour.

use http_adapter::ElapsedTimeSource;
use std::time::Duration;

/// Minimum rate in bytes per second, a quarter of what the slowest mobile networks reach.
const MINIMUM: u64 = 8 * 1024;

/// Measures the rate of an upload, without the time in which its parts are stored.
pub(super) struct Pace {
    elapsed_time: ElapsedTimeSource,
    interval: Duration,
    waited: Duration,
    received: u64,
}

impl Pace {
    /// Judges the rate after each `interval` of waiting.
    pub(super) const fn new(elapsed_time: ElapsedTimeSource, interval: Duration) -> Self {
        Self { elapsed_time, interval, waited: Duration::ZERO, received: 0 }
    }

    /// Returns the time since an arbitrary start.
    pub(super) fn time(&self) -> Duration {
        (self.elapsed_time)()
    }

    /// Records bytes and the wait for them; returns whether the upload is too slow.
    pub(super) fn is_too_slow(&mut self, waited: Duration, received: usize) -> bool {
        self.waited = self.waited.saturating_add(waited);
        self.received = self.received.saturating_add(u64::try_from(received).unwrap_or(u64::MAX));
        if self.waited < self.interval {
            return false;
        }
        let expected = u128::from(MINIMUM).saturating_mul(self.waited.as_millis()) / 1000;
        let is_too_slow = u128::from(self.received) < expected;
        (self.waited, self.received) = (Duration::ZERO, 0);
        is_too_slow
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    const KIB: usize = 1024;

    #[test]
    fn an_upload_below_the_minimum_rate_is_too_slow_in_each_interval_by_itself() {
        let seconds = Duration::from_secs;
        let mut pace = Pace::new(Arc::new(|| Duration::ZERO), seconds(30));
        assert!(!pace.is_too_slow(seconds(29), 0));
        assert!(!pace.is_too_slow(seconds(1), 240 * KIB));
        assert!(!pace.is_too_slow(seconds(20), 239 * KIB));
        assert!(pace.is_too_slow(seconds(10), 0));
        assert!(!pace.is_too_slow(seconds(30), 240 * KIB));
    }
}
