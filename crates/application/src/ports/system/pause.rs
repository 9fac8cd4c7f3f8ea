//! Delays.

use async_trait::async_trait;
#[cfg(feature = "test-support")]
use mockall::automock;
use std::time::Duration;

/// Delays retries of use cases, independently of a clock.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait Pause: Send + Sync {
    /// Returns after this duration, without blocking a thread.
    async fn pause(&self, length: Duration);
}
