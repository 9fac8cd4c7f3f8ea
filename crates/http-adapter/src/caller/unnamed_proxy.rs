//! Time of the last warning about a proxy that the settings do not name.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Minimum time between two warnings.
const WARNING_INTERVAL: Duration = Duration::from_hours(1);

/// Time of the last warning; shared by all workers.
#[derive(Debug, Default)]
pub struct UnnamedProxyWarning(Mutex<Option<Duration>>);

impl UnnamedProxyWarning {
    pub(crate) fn is_due(&self, now: Duration) -> bool {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = last.is_none_or(|last| now.saturating_sub(last) >= WARNING_INTERVAL);
        if is_due {
            *last = Some(now);
        }
        is_due
    }
}
