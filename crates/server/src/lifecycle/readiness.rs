//! Whether the process can serve.

use async_trait::async_trait;
use http_adapter::HealthCheck;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How old the store's last sign of life may be. It is asked every second.
const STALE_AFTER: Duration = Duration::from_secs(3);

/// What `/readyz` answers: the store gave its keys a moment ago, on a schema that fits, and nobody stops us.
///
/// Asks nobody itself, so that a load balancer gets its answer at once whatever the store does.
#[derive(Debug, Default)]
pub(crate) struct Readiness {
    store_answered_at: Mutex<Option<Instant>>,
    is_draining: AtomicBool,
}

impl Readiness {
    /// Notes that the store gave at least one key that signs.
    pub(crate) fn store_answered(&self) {
        *self.answered_at() = Some(Instant::now());
    }

    /// Notes that the store failed, or has no key.
    pub(crate) fn store_failed(&self) {
        *self.answered_at() = None;
    }

    /// Notes that the process is about to stop.
    pub(crate) fn drain(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
    }

    fn is_ready_at(&self, now: Instant) -> bool {
        let is_fresh = |answered_at: Instant| now.saturating_duration_since(answered_at) < STALE_AFTER;
        !self.is_draining.load(Ordering::Relaxed) && self.answered_at().is_some_and(is_fresh)
    }

    fn answered_at(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.store_answered_at.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl HealthCheck for Readiness {
    async fn is_ready(&self) -> bool {
        self.is_ready_at(Instant::now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_ready_while_its_store_answers_and_it_does_not_drain() {
        let readiness = Readiness::default();
        assert!(!readiness.is_ready_at(Instant::now()));
        readiness.store_answered();
        assert!(readiness.is_ready_at(Instant::now()));
        assert!(!readiness.is_ready_at(Instant::now() + STALE_AFTER));
        readiness.store_failed();
        assert!(!readiness.is_ready_at(Instant::now()));
        readiness.store_answered();
        readiness.drain();
        assert!(!readiness.is_ready_at(Instant::now()));
    }
}
