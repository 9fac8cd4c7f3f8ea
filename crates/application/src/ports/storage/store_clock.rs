//! The clock that all replicas share: that of the store.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
#[cfg(feature = "test-support")]
use mockall::automock;

/// Tells the time of the store, by which every replica judges codes, sessions, windows and tokens.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait StoreClock: Send + Sync {
    /// Returns the store's time at some moment between the call and its answer, in microseconds.
    ///
    /// MUST be that of the machine that takes the writes, never a copy's, and MUST move within a transaction too.
    /// An embedded store has no clock of its own: it answers with that of the process.
    async fn store_now(&self) -> Result<DateTime<Utc>, StorageError>;
}
