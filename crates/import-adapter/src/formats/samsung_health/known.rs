//! Search for nights that overlap another one.

use super::nights::NightRow;
use chrono::{DateTime, Utc};
use domain::sleep::SleepSource;
use std::collections::HashMap;

/// Start of a night and the latest end so far.
type Times = (DateTime<Utc>, DateTime<Utc>);

/// Times of nights by their source.
#[derive(Debug, Default)]
pub(super) struct Known(HashMap<Option<SleepSource>, Vec<Times>>);

impl Known {
    /// Adds a night.
    pub(super) fn add(&mut self, night: &NightRow) {
        let times = self.0.entry(night.session.source.clone()).or_default();
        times.push((night.bed().start(), night.bed().end()));
    }

    /// Sorts by start; each end becomes the latest so far.
    pub(super) fn sort(&mut self) {
        for times in self.0.values_mut() {
            times.sort_unstable();
            let mut latest = DateTime::UNIX_EPOCH;
            for (_, end) in times {
                latest = latest.max(*end);
                *end = latest;
            }
        }
    }

    /// Returns whether a night of the same source overlaps this one.
    pub(super) fn overlaps(&self, row: &NightRow) -> bool {
        let times = self.0.get(&row.session.source).map(Vec::as_slice).unwrap_or_default();
        let earlier = times.partition_point(|(start, _)| *start < row.bed().end());
        let latest = earlier.checked_sub(1).and_then(|last| times.get(last));
        latest.is_some_and(|(_, end)| row.bed().start() < *end)
    }
}
