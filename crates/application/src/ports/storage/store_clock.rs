//! The database's clock.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
#[cfg(feature = "test-support")]
use mockall::automock;

/// The database's clock. Each process uses its own clock, and compares it with this one.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait StoreClock: Send + Sync {
    /// Returns the store's time at a point between call and return, in microseconds.
    ///
    /// MUST be the primary's time, never a replica's, and MUST advance within a transaction. An embedded
    /// store has no clock and returns the process's time.
    async fn store_now(&self) -> Result<DateTime<Utc>, StorageError>;
}
