//! Limits against guessing: how often something may be tried, counted in the shared store (decisions 2;
//! security.md T81, T82).

use crate::ports::storage::{FailureCount, FailureCounter, FailureKey, StorageError};
use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};

/// How many attempts are let through in a window, which begins with the first of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptLimit {
    /// How many.
    pub attempts: u32,
    /// How long the window lasts, in seconds.
    pub window_seconds: u32,
}

impl AttemptLimit {
    /// Returns how long the window lasts.
    pub fn window(self) -> TimeDelta {
        TimeDelta::seconds(i64::from(self.window_seconds))
    }
}

/// Why an attempt is not let through.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AttemptRefused {
    /// There were as many as may be.
    #[error("too many attempts")]
    TooMany {
        /// Seconds until the window ends.
        retry_after_seconds: u32,
        /// Whether it is the first of the window that is refused: the one to be written down.
        is_first: bool,
    },
    /// It could not be counted, so it is not let through.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Counts one attempt before it is made. Of many racing attempts, over many replicas, no more than the limit
/// are let through, because each gets a number of its own.
pub(crate) async fn count_attempt(
    failures: &dyn FailureCounter,
    key: FailureKey,
    limit: AttemptLimit,
    now: DateTime<Utc>,
) -> Result<(), AttemptRefused> {
    let counts = failures.record_failure(&[key], now, limit.window()).await?;
    // A counter that answers nothing did not count.
    let count = counts.first().ok_or(StorageError::Unavailable)?;
    if count.count <= limit.attempts {
        return Ok(());
    }
    let is_first = count.count == limit.attempts.saturating_add(1);
    Err(AttemptRefused::TooMany { retry_after_seconds: seconds_until_end(*count, now), is_first })
}

/// Hashes what failures are counted for, so that nothing a caller sent is stored. The first part names the kind
/// of counter; the lengths keep two lists of parts from running into one.
pub(crate) fn failure_key(parts: &[&str]) -> FailureKey {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.len().to_be_bytes());
        hasher.update(part.as_bytes());
    }
    FailureKey(hasher.finalize().into())
}

/// Returns the whole seconds until a window is over, rounded up, at least 1.
pub(crate) fn seconds_until_end(count: FailureCount, now: DateTime<Utc>) -> u32 {
    let seconds = (count.window_ends_at - now).num_milliseconds().saturating_add(999) / 1000;
    u32::try_from(seconds).unwrap_or(1).max(1)
}
