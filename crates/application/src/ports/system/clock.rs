//! The clock.

use chrono::{DateTime, Utc};
#[cfg(feature = "test-support")]
use mockall::automock;

/// The clock.
#[cfg_attr(feature = "test-support", automock)]
pub trait Clock: Send + Sync {
    /// Returns the current time, in microseconds.
    fn now(&self) -> DateTime<Utc>;
}
