//! What an [`super::AnchoredClock`] reads: a moment of the store, and what has passed since. All in
//! microseconds.

use std::sync::atomic::{AtomicI64, Ordering};

/// The longest that the dial stands still rather than being put back.
pub(super) const LONGEST_STILL: i64 = 1_000_000;

/// Cheap to read by many threads: one load and one compare-and-swap.
#[derive(Debug)]
pub(super) struct Dial {
    /// The time when nothing had passed.
    anchor: AtomicI64,
    /// The latest time that was told.
    latest: AtomicI64,
}

impl Dial {
    /// Sets the time of the moment at which nothing has passed.
    pub(super) const fn new(now: i64) -> Self {
        Self { anchor: AtomicI64::new(now), latest: AtomicI64::new(i64::MIN) }
    }

    /// Tells the time when so much has passed; not less than what it told before, but for a dial that was put
    /// back by more than [`LONGEST_STILL`].
    pub(super) fn read(&self, elapsed: i64) -> i64 {
        let now = self.anchor.load(Ordering::Relaxed).saturating_add(elapsed);
        let latest = self.latest.fetch_max(now, Ordering::Relaxed);
        if latest.saturating_sub(now) > LONGEST_STILL { now } else { latest.max(now) }
    }

    /// Says that it is this time when so much has passed, give or take `tolerance`: within it the dial stays
    /// as it is, for a measurement that agrees is no reason to move.
    pub(super) fn set(&self, now: i64, elapsed: i64, tolerance: Option<i64>) {
        let shown = self.anchor.load(Ordering::Relaxed).saturating_add(elapsed);
        let apart = now.abs_diff(shown);
        if apart > tolerance.map_or(0, i64::unsigned_abs) {
            self.anchor.store(now.saturating_sub(elapsed), Ordering::Relaxed);
        }
        // A reader that came between may have told the time before; then it ends with the next measurement.
        if self.latest.load(Ordering::Relaxed).saturating_sub(now) > LONGEST_STILL {
            self.latest.store(now, Ordering::Relaxed);
        }
    }
}
