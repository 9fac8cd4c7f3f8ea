//! Log suppression for repeated errors. An overloaded store fails thousands of requests: the error is logged
//! once, then every few seconds with a count.

use crate::problem::Fault;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Interval in which a repeated error is only counted.
const SUPPRESSION_INTERVAL: Duration = Duration::from_secs(5);
/// Maximum number of distinct errors. Causes are texts of the store, which may differ each time.
const KINDS: usize = 32;

/// Recently logged errors; shared by all workers.
#[derive(Debug, Default)]
pub struct LogSuppression(Mutex<HashMap<(Fault, String), Repetition>>);

/// Time of the last log line of an error, and the number of repetitions since.
#[derive(Debug)]
struct Repetition {
    at: Duration,
    since: u64,
}

impl LogSuppression {
    /// Records an error. Returns the number of suppressed repetitions if it is to be logged; `None` if it is
    /// suppressed.
    pub(crate) fn record(&self, fault: Fault, cause: Option<&str>, now: Duration) -> Option<u64> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kind = (fault, cause.unwrap_or_default().to_owned());
        if let Some(known) = all.get_mut(&kind) {
            return known.again(now);
        }
        if all.len() >= KINDS {
            all.retain(|_, known| !known.is_over(now));
        }
        if all.len() < KINDS {
            all.insert(kind, Repetition { at: now, since: 0 });
            return Some(0);
        }
        // The table is full: further causes of a fault share one entry, so there is at most one more entry
        // per fault.
        let others = (fault, String::new());
        if let Some(known) = all.get_mut(&others) {
            return known.again(now);
        }
        all.insert(others, Repetition { at: now, since: 0 });
        Some(0)
    }
}

impl Repetition {
    fn is_over(&self, now: Duration) -> bool {
        now.saturating_sub(self.at) >= SUPPRESSION_INTERVAL
    }

    fn again(&mut self, now: Duration) -> Option<u64> {
        if self.is_over(now) {
            self.at = now;
            return Some(std::mem::take(&mut self.since));
        }
        self.since = self.since.saturating_add(1);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAULT: Fault = Fault::StorageUnavailable;

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(1_000 + seconds)
    }

    #[test]
    fn the_first_of_a_thousand_is_logged_and_the_next_line_counts_the_others() {
        let log_suppression = LogSuppression::default();
        assert_eq!(log_suppression.record(FAULT, Some("full"), at(0)), Some(0));
        for _ in 1..1_000 {
            assert_eq!(log_suppression.record(FAULT, Some("full"), at(4)), None);
        }
        assert_eq!(log_suppression.record(FAULT, Some("full"), at(5)), Some(999));
        assert_eq!(log_suppression.record(FAULT, Some("full"), at(9)), None);
        assert_eq!(log_suppression.record(FAULT, Some("full"), at(60)), Some(1));
    }

    #[test]
    fn another_fault_or_cause_is_logged_separately() {
        let log_suppression = LogSuppression::default();
        assert_eq!(log_suppression.record(FAULT, Some("full"), at(0)), Some(0));
        assert_eq!(log_suppression.record(FAULT, Some("gone"), at(0)), Some(0));
        assert_eq!(log_suppression.record(Fault::Busy, Some("full"), at(0)), Some(0));
        assert_eq!(log_suppression.record(FAULT, None, at(0)), Some(0));
    }

    #[test]
    fn distinct_causes_fill_neither_the_log_nor_the_memory() {
        let log_suppression = LogSuppression::default();
        let known = (0..10_000).filter(|number| {
            let cause = number.to_string();
            log_suppression.record(FAULT, Some(&cause), at(0)).is_some()
        });
        assert_eq!(known.count(), KINDS + 1);
        assert_eq!(log_suppression.0.lock().unwrap().len(), KINDS + 1);
        // The earlier entries are evicted.
        assert_eq!(log_suppression.record(FAULT, Some("another"), at(5)), Some(0));
        assert_eq!(log_suppression.0.lock().unwrap().len(), 1);
    }
}
