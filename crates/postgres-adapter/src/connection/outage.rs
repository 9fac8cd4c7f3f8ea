//! Telling of an outage.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Remembers what was told of an outage, so that its first failure is a warning and the many after it, one for
/// each request and each look of the server at its store, are there for debugging only.
#[derive(Debug, Default)]
pub(crate) struct Outage {
    told: Mutex<Option<String>>,
}

impl Outage {
    /// Logs that no connection was to be had: as a warning when this is the first time since one was, or for
    /// another reason than the time before.
    pub(crate) fn tell(&self, error: &str) {
        if self.is_news(error) {
            tracing::warn!(%error, "no connection to PostgreSQL");
        } else {
            tracing::debug!(%error, "still no connection to PostgreSQL");
        }
    }

    /// Notes that a connection was to be had.
    pub(crate) fn end(&self) {
        if self.told().take().is_some() {
            tracing::info!("connections to PostgreSQL are to be had again");
        }
    }

    /// Returns why no connection was to be had the last time; nothing when one was.
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
