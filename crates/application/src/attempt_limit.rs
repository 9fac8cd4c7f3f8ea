//! Attempt limits, counted in the shared store (decisions 2; security.md T81, T82).

use crate::ports::storage::{FailureCount, FailureCounter, FailureKey, StorageError};
use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};

/// Maximum number of attempts in a window, which starts with the first attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptLimit {
    /// Number of attempts.
    pub attempts: u32,
    /// Length of the window in seconds.
    pub window_seconds: u32,
}

impl AttemptLimit {
    /// Returns the length of the window.
    pub fn window(self) -> TimeDelta {
        TimeDelta::seconds(i64::from(self.window_seconds))
    }
}

/// Why an attempt is rejected.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AttemptRejected {
    /// The limit is reached.
    #[error("too many attempts")]
    TooMany {
        /// Seconds until the window ends.
        retry_after_seconds: u32,
        /// Whether this is the first rejection in the window, which is recorded in the audit trail.
        is_first: bool,
    },
    /// Counting failed, so the attempt is rejected.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Converts into an error with a variant for too many attempts and one for storage errors.
macro_rules! from_attempt_rejected {
    ($error:ident, $too_many:ident) => {
        impl From<$crate::attempt_limit::AttemptRejected> for $error {
            fn from(error: $crate::attempt_limit::AttemptRejected) -> Self {
                match error {
                    $crate::attempt_limit::AttemptRejected::TooMany { retry_after_seconds, is_first: _ } => {
                        Self::$too_many { retry_after_seconds }
                    }
                    $crate::attempt_limit::AttemptRejected::Storage(error) => Self::Storage(error),
                }
            }
        }
    };
}
pub(crate) use from_attempt_rejected;

/// Counts an attempt before it is made. Even if attempts are concurrent on several replicas, no more than the
/// limit pass, because each gets a distinct count.
pub(crate) async fn count_attempt(
    failures: &dyn FailureCounter,
    key: FailureKey,
    limit: AttemptLimit,
    now: DateTime<Utc>,
) -> Result<(), AttemptRejected> {
    let counts = failures.record_failure(&[key], now, limit.window()).await?;
    // A counter that did not respond has not counted.
    let count = counts.first().ok_or(StorageError::Unavailable)?;
    if count.count <= limit.attempts {
        return Ok(());
    }
    let is_first = count.count == limit.attempts.saturating_add(1);
    Err(AttemptRejected::TooMany { retry_after_seconds: seconds_until_end(*count, now), is_first })
}

/// Hashes a counter's parts, so that no input of a caller is stored. The first part names the kind of
/// counter; length prefixes make the encoding unambiguous.
pub(crate) fn failure_key(parts: &[&str]) -> FailureKey {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.len().to_be_bytes());
        hasher.update(part.as_bytes());
    }
    FailureKey(hasher.finalize().into())
}

/// Returns the seconds until the window ends, rounded up, at least 1.
pub(crate) fn seconds_until_end(count: FailureCount, now: DateTime<Utc>) -> u32 {
    let seconds = (count.window_ends_at - now).num_milliseconds().saturating_add(999) / 1000;
    u32::try_from(seconds).unwrap_or(1).max(1)
}
