//! Counter of requests.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::rate_limit::{RateKey, RateStatus};
#[cfg(feature = "test-support")]
use mockall::automock;

/// Counts requests (decisions 7).
///
/// Never fails: an implementation with shared counters MUST count in the process while the shared store is
/// down, because availability matters more than exact counts.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait RateLimiter: Send + Sync {
    /// Counts one request in the current window unless the limit is already reached; returns the counter's
    /// state.
    async fn count(&self, key: RateKey, limit: u32, now: DateTime<Utc>) -> RateStatus;
}
