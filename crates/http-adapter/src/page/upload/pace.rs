//! Whoever uploads must keep a pace: places are few, and an upload that trickles in would keep its own for an hour.

use crate::middleware::Admission;
use crate::state::ElapsedTimeSource;
use std::time::Duration;

/// The least pace, in bytes a second: a quarter of what the slowest mobile networks give.
const LEAST: u64 = 8 * 1024;
/// The least pace while half of the places are taken: an ordinary line of a home.
const LEAST_IN_A_CROWD: u64 = 64 * 1024;

/// How fast an upload comes. Only the time counts in which the server waits for it, not that in which it is stored.
pub(super) struct Pace {
    admission: Admission,
    elapsed_time: ElapsedTimeSource,
    look: Duration,
    waited: Duration,
    came: u64,
}

impl Pace {
    /// Judges the pace each time so much was waited.
    pub(super) const fn new(admission: Admission, elapsed_time: ElapsedTimeSource, look: Duration) -> Self {
        Self { admission, elapsed_time, look, waited: Duration::ZERO, came: 0 }
    }

    /// Tells the time; only differences count.
    pub(super) fn time(&self) -> Duration {
        (self.elapsed_time)()
    }

    /// Tells, after so many bytes came for which so long was waited, whether the upload is too slow to keep its place.
    pub(super) fn is_lost(&mut self, waited: Duration, came: usize) -> bool {
        self.waited = self.waited.saturating_add(waited);
        self.came = self.came.saturating_add(u64::try_from(came).unwrap_or(u64::MAX));
        if self.waited < self.look {
            return false;
        }
        let least = if self.admission.is_crowded_by_uploads() { LEAST_IN_A_CROWD } else { LEAST };
        let expected = u128::from(least).saturating_mul(self.waited.as_millis()) / 1000;
        let is_lost = u128::from(self.came) < expected;
        (self.waited, self.came) = (Duration::ZERO, 0);
        is_lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::id::UserId;
    use std::sync::Arc;
    use uuid::Uuid;

    const KIB: usize = 1024;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn an_upload_is_lost_that_comes_slower_than_the_least_pace_and_more_is_asked_of_it_in_a_crowd() {
        let admission = Admission::default();
        let mut pace = Pace::new(admission.clone(), Arc::new(|| Duration::ZERO), seconds(30));
        assert!(!pace.is_lost(seconds(29), 0));
        assert!(!pace.is_lost(seconds(1), 240 * KIB));
        // Judged anew each time: what came before does not count.
        assert!(!pace.is_lost(seconds(20), 239 * KIB));
        assert!(pace.is_lost(seconds(10), 0));
        let crowd: Vec<_> =
            (0..16).map(|of| admission.begin_upload(UserId::from_uuid(Uuid::from_u128(of)), 3)).collect();
        assert!(crowd.iter().all(Result::is_ok));
        assert!(pace.is_lost(seconds(30), 1919 * KIB));
        assert!(!pace.is_lost(seconds(30), 1920 * KIB));
        drop(crowd);
        assert!(!pace.is_lost(seconds(30), 240 * KIB));
    }
}
