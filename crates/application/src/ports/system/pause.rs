//! Waiting.

use async_trait::async_trait;
#[cfg(feature = "test-support")]
use mockall::automock;
use std::time::Duration;

/// Waits, so that a use case can try again later without knowing a clock.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait Pause: Send + Sync {
    /// Returns after this long, and keeps no thread meanwhile.
    async fn pause(&self, length: Duration);
}
