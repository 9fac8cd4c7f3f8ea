//! Counters of failed attempts, shared by all replicas (decisions 2, guessing).

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
#[cfg(feature = "test-support")]
use mockall::automock;

/// What failures are counted for; made of hashed parts, so that nothing a caller sent is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FailureKey(pub [u8; 32]);

/// Counts failures; never fails open: when it cannot count, the caller must not go on.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait FailureCounter: Send + Sync {
    /// Adds a failure to each key and returns, in the order of the keys, how many each has now.
    ///
    /// A key's window begins with the earliest of its failures and lasts `window`; after it, the count begins again
    /// at 1. Racing failures may come in another order than that of their moments, and each MUST be one that can be
    /// taken back.
    /// MUST be atomic a key over many processes, and stored before it returns.
    async fn record_failure(
        &self,
        keys: &[FailureKey],
        at: DateTime<Utc>,
        window: TimeDelta,
    ) -> Result<Vec<FailureCount>, StorageError>;
    /// Takes one failure that was counted at `at` back from each key: what was counted was none after all, and the
    /// counter is shared with others, so that it cannot be forgotten. Never below zero; a window that began after
    /// `at` stays as it is. MUST be atomic a key over many processes.
    async fn take_back(&self, keys: &[FailureKey], at: DateTime<Utc>) -> Result<(), StorageError>;
    /// Deletes these counters: what was counted against them was no failure after all.
    async fn forget(&self, keys: &[FailureKey]) -> Result<(), StorageError>;
    /// Deletes counters whose window began before this moment, at most `limit`; returns how many.
    async fn delete_stale(&self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
}

/// Where one counter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailureCount {
    /// Failures in the window, this one included.
    pub count: u32,
    /// When the window ends.
    pub window_ends_at: DateTime<Utc>,
}
