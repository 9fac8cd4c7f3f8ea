//! Nights that Fitbit's JSON of the same import contains.

use crate::segments::{SESSION_LIMIT, too_many};
use application::ports::import_source::ImportRefusal;
use domain::sleep::{Detail, SleepRecord, TimeInBed};

/// Maximum number of nights that are compared with one session: those that start last before its end.
const COMPARED: usize = 200;

/// A night and how detailed it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownLog {
    pub(super) time_in_bed: TimeInBed,
    pub(super) detail: Detail,
}

/// The nights, sorted by start once all are known.
#[derive(Debug, Default)]
pub(super) struct KnownLogs {
    all: Vec<KnownLog>,
}

impl KnownLogs {
    /// Adds a night; too many reject the file.
    pub(super) fn add(&mut self, record: &SleepRecord) -> Result<(), ImportRefusal> {
        if self.all.len() >= SESSION_LIMIT {
            return Err(too_many("sessions", SESSION_LIMIT));
        }
        self.all.push(KnownLog { time_in_bed: *record.time_in_bed(), detail: record.detail() });
        Ok(())
    }

    /// Sorts the nights; of equal ones the most detailed stays.
    pub(super) fn sort(&mut self) {
        let order = |log: &KnownLog| (log.time_in_bed.start_millis(), log.time_in_bed.end_millis());
        self.all.sort_by_key(|log| (order(log), std::cmp::Reverse(log.detail)));
        self.all.dedup_by_key(|log| order(log));
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Finds the night that shares most with a session, and at least half of the longer one.
    pub(super) fn find(&self, time_in_bed: &TimeInBed) -> Option<&KnownLog> {
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
        self.find(time_in_bed).is_some_and(|log| log.time_in_bed.minutes().0 == time_in_bed.minutes().0)
    }
}
