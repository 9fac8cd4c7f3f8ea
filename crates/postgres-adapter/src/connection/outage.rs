//! Logging of an outage.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// State of an outage: its first failure is logged as a warning. Later ones, of each request and each health
/// check, are logged at debug level.
#[derive(Debug, Default)]
pub(crate) struct Outage {
    told: Mutex<Option<String>>,
}

impl Outage {
    /// Logs a failed connection: as a warning if it is the first of an outage or has a new reason.
    pub(crate) fn tell(&self, error: &str) {
        if self.is_news(error) {
            tracing::warn!(%error, "no connection to PostgreSQL");
        } else {
            tracing::debug!(%error, "still no connection to PostgreSQL");
        }
    }

    /// Records a successful connection.
    pub(crate) fn end(&self) {
        if self.told().take().is_some() {
            tracing::info!("connections to PostgreSQL are to be had again");
        }
    }

    /// Returns why the last attempt to connect failed; `None` if it succeeded.
    pub(crate) fn reason(&self) -> Option<String> {
        self.told().clone()
    }

    fn is_news(&self, error: &str) -> bool {
        let mut told = self.told();
        let is_news = told.as_deref() != Some(error);
        if is_news {
            *told = Some(error.to_owned());
        }
        is_news
    }

    fn told(&self) -> MutexGuard<'_, Option<String>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
