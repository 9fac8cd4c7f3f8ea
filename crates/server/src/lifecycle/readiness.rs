//! Readiness of the process.

use application::ports::storage::DiskFault;
use http_adapter::{Check, CheckState, HealthCheck};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Maximum age of the store's last response. It is queried every half second.
const STALE_AFTER: Duration = Duration::from_secs(3);

/// State behind `/readyz`: the store responds, its schema fits, a signing key is loaded, the clocks agree,
/// the rate limit counters were tried, and the server is not stopping.
///
/// Sends no query itself, so load balancers get a response at once. A check without a result counts as
/// failed.
#[derive(Debug, Default)]
pub(crate) struct Readiness {
    store_answered_at: Mutex<Option<Instant>>,
    schema_fits: AtomicBool,
    has_keys: AtomicBool,
    clock_measured: AtomicBool,
    clocks_apart: AtomicBool,
    counters_found: AtomicBool,
    write_refusal: Mutex<Option<DiskFault>>,
    is_draining: AtomicBool,
}

impl Readiness {
    /// Records a response of the store, and whether there is a signing key.
    pub(crate) fn store_answered(&self, has_keys: bool) {
        *self.answered_at() = Some(Instant::now());
        self.has_keys.store(has_keys, Ordering::Relaxed);
    }

    /// Records a failure of the store.
    pub(crate) fn store_failed(&self) {
        *self.answered_at() = None;
    }

    /// Records whether this program may serve on the schema of the store.
    pub(crate) fn schema_fits(&self, fits: bool) {
        self.schema_fits.store(fits, Ordering::Relaxed);
    }

    /// Records whether this machine's clock and the database's are too far apart; returns whether that
    /// changed. Initially they are assumed to agree.
    pub(crate) fn clock_measured(&self, are_apart: bool) -> bool {
        self.clock_measured.store(true, Ordering::Relaxed);
        self.clocks_apart.swap(are_apart, Ordering::Relaxed) != are_apart
    }

    /// Records that the shared counters of the rate limits responded, or are no longer waited for.
    pub(crate) fn counters_found(&self) {
        self.counters_found.store(true, Ordering::Relaxed);
    }

    /// Records why the store refuses writes, `None` if it accepts them; returns whether that changed.
    pub(crate) fn writes_refused(&self, refusal: Option<DiskFault>) -> bool {
        let mut known = self.write_refusal.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *known, refusal) != refusal
    }

    /// Never fails: while the database, which all replicas share, refuses writes, reads still work.
    fn writes(&self) -> CheckState {
        let refusal = *self.write_refusal.lock().unwrap_or_else(PoisonError::into_inner);
        refusal.map_or(CheckState::Ok, |fault| CheckState::ReadOnly(fault.as_str()))
    }

    /// Records that the process is about to stop.
    pub(crate) fn drain(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
    }

    fn checks_at(&self, now: Instant) -> Vec<Check> {
        let is_fresh = |answered_at: Instant| now.saturating_duration_since(answered_at) < STALE_AFTER;
        let noted = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        let check = |name, is_ok| Check { name, state: CheckState::from_bool(is_ok) };
        vec![
            check("database", self.answered_at().is_some_and(is_fresh)),
            check("schema", noted(&self.schema_fits)),
            check("keys", noted(&self.has_keys)),
            check("clock", noted(&self.clock_measured) && !noted(&self.clocks_apart)),
            check("counters", noted(&self.counters_found)),
            Check { name: "writes", state: self.writes() },
            check("drain", !noted(&self.is_draining)),
        ]
    }

    fn answered_at(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.store_answered_at.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HealthCheck for Readiness {
    fn checks(&self) -> Vec<Check> {
        self.checks_at(Instant::now())
    }

    fn is_draining(&self) -> bool {
        self.is_draining.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(readiness: &Readiness, now: Instant) -> Vec<&'static str> {
        let checks = readiness.checks_at(now);
        checks.into_iter().filter(|check| check.state == CheckState::Failed).map(|check| check.name).collect()
    }

    #[test]
    fn unknown_checks_fail() {
        let expected = ["database", "schema", "keys", "clock", "counters"];
        assert_eq!(failed(&Readiness::default(), Instant::now()), expected);
    }

    #[test]
    fn ready_means_that_the_store_answers_clocks_agree_and_nothing_drains() {
        let readiness = Readiness::default();
        readiness.store_answered(true);
        readiness.schema_fits(true);
        assert!(!readiness.clock_measured(false));
        readiness.counters_found();
        let now = Instant::now();
        assert_eq!(failed(&readiness, now), [""; 0]);
        assert_eq!(failed(&readiness, now + STALE_AFTER), ["database"]);
        readiness.store_failed();
        assert_eq!(failed(&readiness, now), ["database"]);
        readiness.store_answered(false);
        assert_eq!(failed(&readiness, Instant::now()), ["keys"]);
        readiness.store_answered(true);
        assert!(readiness.clock_measured(true));
        assert!(!readiness.clock_measured(true));
        assert_eq!(failed(&readiness, Instant::now()), ["clock"]);
        assert!(readiness.clock_measured(false));
        assert!(readiness.writes_refused(Some(DiskFault::Full)));
        assert!(!readiness.writes_refused(Some(DiskFault::Full)));
        assert_eq!(failed(&readiness, Instant::now()), [""; 0]);
        let writes = Check { name: "writes", state: CheckState::ReadOnly("disk_full") };
        assert!(readiness.checks().contains(&writes));
        assert!(readiness.writes_refused(None));
        assert!(readiness.checks().contains(&Check { state: CheckState::Ok, ..writes }));
        readiness.drain();
        assert_eq!(failed(&readiness, Instant::now()), ["drain"]);
        assert!(readiness.is_draining());
    }
}
