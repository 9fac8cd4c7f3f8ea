//! Logging of an outage.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// State of an outage: its first failure is logged as a warning. Later ones, of each request and each health
/// check, are logged at debug level.
#[derive(Debug, Default)]
pub(crate) struct Outage {
    reason: Mutex<Option<String>>,
}

impl Outage {
    /// Logs a failed connection: as a warning if it is the first of an outage or has a new reason.
    pub(crate) fn log_failure(&self, error: &str) {
        if self.is_new(error) {
            tracing::warn!(%error, "no connection to PostgreSQL");
        } else {
            tracing::debug!(%error, "still no connection to PostgreSQL");
        }
    }

    /// Records a successful connection.
    pub(crate) fn end(&self) {
        if self.lock().take().is_some() {
            tracing::info!("connected to PostgreSQL again");
        }
    }

    /// Returns why the last attempt to connect failed; `None` if it succeeded.
    pub(crate) fn reason(&self) -> Option<String> {
        self.lock().clone()
    }

    fn is_new(&self, error: &str) -> bool {
        let mut reason = self.lock();
        let is_new = reason.as_deref() != Some(error);
        if is_new {
            *reason = Some(error.to_owned());
        }
        is_new
    }

    fn lock(&self) -> MutexGuard<'_, Option<String>> {
        self.reason.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
