//! Daily rate limit of the data endpoints: a fixed window of one UTC day (decisions 7).

use crate::data_endpoint::PersonEndpoint;
use crate::id::UserId;
use crate::read_tally::Reader;
use chrono::{DateTime, Utc};

const SECONDS_A_DAY: i64 = 86_400;

/// A window of one UTC day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RateWindow {
    day: i64,
}

impl RateWindow {
    /// Returns the window of this time.
    pub const fn at(now: DateTime<Utc>) -> Self {
        Self { day: now.timestamp().div_euclid(SECONDS_A_DAY) }
    }

    /// Returns the number of days since 1970-01-01.
    pub const fn day(self) -> i64 {
        self.day
    }

    /// Returns the end of the window in Unix seconds, which is the next 00:00 UTC: `X-RateLimit-Reset`.
    pub const fn reset(self) -> i64 {
        (self.day + 1) * SECONDS_A_DAY
    }

    /// Returns the seconds until the end of the window, at least 1: the `Retry-After` of a 429.
    pub const fn seconds_left(self, now: DateTime<Utc>) -> i64 {
        let left = self.reset() - now.timestamp();
        if left < 1 { 1 } else { left }
    }
}

/// Key of a rate limit counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RateKey {
    /// The reader; a personal access token is treated like a separate client.
    pub reader: Reader,
    /// The person whose data is requested; absent for shared data such as the catalogue.
    pub user: Option<UserId>,
    /// The endpoint, regardless of the path used.
    pub endpoint: PersonEndpoint,
}

/// State of a counter after a request; the source of both body and headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateStatus {
    /// Limit of the window: `X-RateLimit-Limit`.
    pub limit: u32,
    /// Remaining requests, never below 0: `X-RateLimit-Remaining`.
    pub remaining: u32,
    /// End of the window in Unix seconds: `X-RateLimit-Reset`.
    pub reset: i64,
    /// Whether this request is within the limit.
    pub allowed: bool,
}

impl RateStatus {
    /// Returns the status of a request after `used` earlier requests in the window.
    pub const fn after(used: u32, limit: u32, window: RateWindow) -> Self {
        let allowed = used < limit;
        let remaining = if allowed { limit - used - 1 } else { 0 };
        Self { limit, remaining, reset: window.reset(), allowed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone;

    #[test]
    fn a_window_ends_at_the_next_midnight_utc() {
        let now = Utc.with_ymd_and_hms(2026, 3, 8, 23, 59, 59).unwrap();
        let midnight = Utc.with_ymd_and_hms(2026, 3, 9, 0, 0, 0).unwrap();
        assert_eq!(RateWindow::at(now).reset(), midnight.timestamp());
        assert_eq!(RateWindow::at(now).seconds_left(now), 1);
        assert_ne!(RateWindow::at(now), RateWindow::at(midnight));
        assert_eq!(RateWindow::at(midnight).seconds_left(midnight), 86_400);
    }

    #[test]
    fn a_moment_before_1970_has_a_window_too() {
        let now = Utc.with_ymd_and_hms(1969, 12, 31, 12, 0, 0).unwrap();
        assert_eq!(RateWindow::at(now).reset(), 0);
    }

    #[test]
    fn the_last_allowed_request_leaves_nothing_and_the_next_is_rejected() {
        let window = RateWindow { day: 0 };
        assert_eq!(RateStatus::after(0, 2, window).remaining, 1);
        let last = RateStatus::after(1, 2, window);
        assert!(last.allowed && last.remaining == 0);
        let rejected = RateStatus::after(2, 2, window);
        assert!(!rejected.allowed && rejected.remaining == 0);
        assert!(!RateStatus::after(0, 0, window).allowed);
    }
}
