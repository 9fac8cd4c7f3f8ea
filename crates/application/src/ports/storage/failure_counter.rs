//! Counters of failed attempts, shared by all replicas (decisions 2, guessing).

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
#[cfg(feature = "test-support")]
use mockall::automock;

/// Key of a failure counter; a hash, so that no input of a caller is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FailureKey(pub [u8; 32]);

/// Counts failures. Fails closed: if counting fails, the caller must reject the request.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait FailureCounter: Send + Sync {
    /// Adds a failure to each key, and returns the new counts in the order of the keys.
    ///
    /// A key's window starts with its earliest failure and lasts `window`; after it, the count restarts at 1.
    /// Concurrent failures may arrive out of order, and each MUST be reversible by `uncount`. MUST be
    /// atomic per key across processes, and stored on return.
    async fn record_failure(
        &self,
        keys: &[FailureKey],
        at: DateTime<Utc>,
        window: TimeDelta,
    ) -> Result<Vec<FailureCount>, StorageError>;
    /// Subtracts one failure counted at `at` from each key: the attempt was not a failure, and other callers
    /// share the counter. Never goes below zero; a window that began after `at` stays unchanged. MUST be
    /// atomic per key across processes.
    async fn uncount(&self, keys: &[FailureKey], at: DateTime<Utc>) -> Result<(), StorageError>;
    /// Deletes these counters.
    async fn forget(&self, keys: &[FailureKey]) -> Result<(), StorageError>;
    /// Deletes at most `limit` counters whose window began before this time; returns their number.
    async fn delete_stale(&self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
}

/// State of a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailureCount {
    /// Failures in the window, including this one.
    pub count: u32,
    /// End of the window.
    pub window_ends_at: DateTime<Utc>,
}
