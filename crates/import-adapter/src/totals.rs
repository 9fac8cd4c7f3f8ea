//! Totals stated in seconds.

use crate::json::Loose;
use crate::source::Notes;
use domain::sleep::{Hypnogram, SleepMetrics, SleepRecord, SleepRecordHead, SourceTotals, TimeInBed};
use std::time::Duration;

/// Creates a session from the stages and totals of a log, and adds a note if the stages cover little of it.
pub(crate) fn record(
    head: SleepRecordHead,
    hypnogram: Hypnogram,
    metrics: SleepMetrics,
    notes: &mut Notes,
) -> Result<SleepRecord, String> {
    if !hypnogram.is_empty() && !hypnogram.covers(&metrics) {
        notes.add("the stages cover less than 90 percent of the log; its own totals were kept");
    }
    SleepRecord::from_stages_or_metrics(head, hypnogram, metrics).map_err(|error| error.to_string())
}

/// Parses totals and counts invalid ones: not a number, or negative.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    unreadable: usize,
}

impl Sums {
    /// Returns a length in seconds; `None` if the record does not state it.
    pub(crate) fn seconds(&mut self, value: &Loose) -> Option<Duration> {
        let seconds = value.number().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        self.checked(value, seconds)
    }

    /// Returns a count; `None` if the record does not state it.
    pub(crate) fn count(&mut self, value: &Loose) -> Option<u32> {
        let count = value.identifier().and_then(|count| count.parse().ok());
        self.checked(value, count)
    }

    fn checked<T>(&mut self, value: &Loose, sum: Option<T>) -> Option<T> {
        let unreadable = sum.is_none() && !value.is_absent();
        self.unreadable = self.unreadable.saturating_add(usize::from(unreadable));
        sum
    }

    /// Builds metrics from the totals and notes what was left out.
    pub(crate) fn metrics(
        self,
        totals: &SourceTotals,
        time_in_bed: &TimeInBed,
        notes: &mut Notes,
    ) -> SleepMetrics {
        notes.count(self.unreadable, "totals that are no numbers from 0 on were left out");
        let (metrics, dropped) = SleepMetrics::from_totals(time_in_bed, totals);
        if dropped {
            notes.add("the totals contradict the time in bed and were dropped");
        }
        metrics
    }
}
