//! Nights that Fitbit's JSON of the same import contains.

use domain::sleep::{Detail, SleepRecord, TimeInBed};
use domain::time::UtcOffset;
use std::collections::HashMap;

/// Maximum number of nights; more than 500 years of them.
const LOG_LIMIT: usize = 200_000;
/// Maximum number of nights that are compared with one session: those that start last before its end.
const COMPARED: usize = 200;

/// A night and how detailed it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownLog {
    pub(super) time_in_bed: TimeInBed,
    pub(super) detail: Detail,
}

impl KnownLog {
    /// Returns whether a session has the same local times.
    pub(super) fn has_clock_of(&self, time_in_bed: &TimeInBed) -> bool {
        clock(&self.time_in_bed) == clock(time_in_bed)
    }

    /// Returns whether a session has the same local times but starts at another instant.
    pub(super) fn is_elsewhere(&self, time_in_bed: &TimeInBed) -> bool {
        self.has_clock_of(time_in_bed) && self.time_in_bed.minutes().0 != time_in_bed.minutes().0
    }
}

/// Local start and end in minutes.
type Clock = (i64, i64);

/// The nights, sorted by start once all are known.
#[derive(Debug, Default)]
pub(super) struct KnownLogs {
    all: Vec<KnownLog>,
    by_clock: HashMap<Clock, KnownLog>,
}

impl KnownLogs {
    pub(super) fn add(&mut self, record: &SleepRecord) {
        if self.all.len() < LOG_LIMIT {
            self.all.push(KnownLog { time_in_bed: *record.time_in_bed(), detail: record.detail() });
        }
    }

    /// Sorts the nights; of equal ones the most detailed stays.
    pub(super) fn sort(&mut self) {
        let order = |log: &KnownLog| (log.time_in_bed.start_millis(), log.time_in_bed.end_millis());
        self.all.sort_by_key(|log| (order(log), std::cmp::Reverse(log.detail)));
        self.all.dedup_by_key(|log| order(log));
        for log in &self.all {
            self.by_clock.entry(clock(&log.time_in_bed)).or_insert(*log);
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Finds the night that is the same as a session: by its local times, because the JSON has no zone and is
    /// wrong about a night in another one, else by the time that they share.
    pub(super) fn find(&self, time_in_bed: &TimeInBed) -> Option<&KnownLog> {
        self.by_clock.get(&clock(time_in_bed)).or_else(|| self.find_overlapping(time_in_bed))
    }

    /// Finds the night that shares most with a session, and at least half of the longer one.
    fn find_overlapping(&self, time_in_bed: &TimeInBed) -> Option<&KnownLog> {
        let begun = self.all.partition_point(|log| log.time_in_bed.start() < time_in_bed.end());
        let candidates = self.all.get(..begun).unwrap_or_default().iter().rev().take(COMPARED);
        let shared = |log: &&KnownLog| {
            let end = log.time_in_bed.end_millis().min(time_in_bed.end_millis());
            end.saturating_sub(log.time_in_bed.start_millis().max(time_in_bed.start_millis()))
        };
        candidates.filter(|log| log.time_in_bed.shares_half_of_longer(time_in_bed)).max_by_key(shared)
    }

    /// Finds a night that contains all of a session, which is then a part of it.
    pub(super) fn find_around(&self, part: &TimeInBed) -> Option<&KnownLog> {
        let begun = self.all.partition_point(|log| log.time_in_bed.start() <= part.start());
        let mut candidates = self.all.get(..begun).unwrap_or_default().iter().rev().take(COMPARED);
        candidates.find(|log| part.end() <= log.time_in_bed.end())
    }

    /// Returns whether one of the nights starts in the same minute as a session and is the same night.
    pub(super) fn starts_with(&self, time_in_bed: &TimeInBed) -> bool {
        self.find_overlapping(time_in_bed)
            .is_some_and(|log| log.time_in_bed.minutes().0 == time_in_bed.minutes().0)
    }
}

/// Returns the local times of a night, whatever their offsets.
fn clock(time_in_bed: &TimeInBed) -> Clock {
    let (start, end) = time_in_bed.minutes();
    let ahead = |offset: Option<UtcOffset>| i64::from(offset.map_or(0, UtcOffset::minutes));
    (
        start.saturating_add(ahead(time_in_bed.offset_at_start())),
        end.saturating_add(ahead(time_in_bed.offset_at_end())),
    )
}
