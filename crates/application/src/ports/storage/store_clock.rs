//! The database's clock.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
#[cfg(feature = "test-support")]
use mockall::automock;

/// The database's clock. Each process goes by its own, and compares it with this one.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait StoreClock: Send + Sync {
    /// Returns the store's time at some moment between the call and its answer, in microseconds.
    ///
    /// MUST be that of the machine that takes the writes, never a copy's, and MUST move within a transaction too.
    /// An embedded store has no clock of its own and returns the process's.
    async fn store_now(&self) -> Result<DateTime<Utc>, StorageError>;
}
