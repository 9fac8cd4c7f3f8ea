//! Counters of requests, and reads and requests that are not stored yet.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::client_usage::ClientUsage;
use domain::rate_limit::{RateKey, RateStatus};
use domain::read_tally::ReadTally;
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

/// Sums up reads in the process, so that no read waits for its audit (a crash loses at most one second).
#[cfg_attr(feature = "test-support", automock)]
pub trait ReadLedger: Send + Sync {
    /// Adds a tally; never blocks on the store.
    fn add(&self, tally: ReadTally);
    /// Removes and returns all tallies, each key once (MUST), unordered. A concurrently added read MUST be in
    /// this list or in the next one, never in both or neither.
    fn take(&self) -> Vec<ReadTally>;
}

/// Sums up requests in the process, so that none waits for the store (a crash loses at most one second).
#[cfg_attr(feature = "test-support", automock)]
pub trait UsageLedger: Send + Sync {
    /// Adds a sum; never blocks on the store.
    fn add(&self, usage: ClientUsage);
    /// Removes and returns all sums, each key once (MUST), unordered. A concurrently added request MUST be in
    /// this list or in the next one, never in both or neither.
    fn take(&self) -> Vec<ClientUsage>;
}
