//! The daily counters of the data endpoints.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::rate_limit::{RateKey, RateStatus};
#[cfg(feature = "test-support")]
use mockall::automock;

/// Counts requests (decisions 7).
///
/// Does not fail: an implementation that shares its counters MUST count in the process while the shared store
/// is down, because the availability of reads beats exact counting.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait RateLimiter: Send + Sync {
    /// Counts one request in the window of this moment, unless the limit is reached already; says where the
    /// counter stands.
    async fn count(&self, key: RateKey, limit: u32, now: DateTime<Utc>) -> RateStatus;
}
