//! Rows with the offset +00:00, which the export also writes where it does not know the offset.
//!
//! The times of such a row are instants in UTC or, in nights of earlier years, local times. Only the JSON of
//! the same export shows which: it has the local times of the same nights.

use super::known_logs::KnownLogs;
use chrono::DateTime;
use domain::sleep::{Hypnogram, SleepMetrics, SleepRecord, SleepRecordHead, StageEntry, TimeInBed};
use domain::time::{Fold, TimeZone, UtcOffset};

/// How the times of rows without a known offset are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// As they are written: in UTC, with the offset +00:00.
    Written,
    /// As instants whose offset is that of the zone.
    InstantInZone,
    /// As local times of the zone.
    LocalInZone,
}

/// What the nights of the JSON say about such rows.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Evidence {
    instants: usize,
    local_times: usize,
}

impl Evidence {
    /// Adds what is known about one time in bed.
    pub(super) fn add(&mut self, time_in_bed: &TimeInBed, zone: TimeZone, logs: &KnownLogs) {
        match reading(time_in_bed, zone, logs) {
            Some(Reading::InstantInZone) => self.instants = self.instants.saturating_add(1),
            Some(Reading::LocalInZone) => self.local_times = self.local_times.saturating_add(1),
            Some(Reading::Written) | None => {}
        }
    }

    /// Returns how the rows are read that the JSON does not have; contradicting evidence is none.
    const fn of_others(self) -> Reading {
        match (self.instants, self.local_times) {
            (0, 1..) => Reading::LocalInZone,
            (1.., 0) => Reading::InstantInZone,
            _ => Reading::Written,
        }
    }
}

/// Returns whether the offset of a row may stand for an unknown one.
pub(super) fn may_be_placeholder(time_in_bed: &TimeInBed, zone: TimeZone) -> bool {
    let offsets = [time_in_bed.offset_at_start(), time_in_bed.offset_at_end()];
    offsets == [Some(UtcOffset::UTC); 2]
        && [time_in_bed.start(), time_in_bed.end()].map(|at| zone.offset_at(at)) != [UtcOffset::UTC; 2]
}

/// Returns how a row is read according to the night of the JSON that starts in its minute.
fn reading(time_in_bed: &TimeInBed, zone: TimeZone, logs: &KnownLogs) -> Option<Reading> {
    let readings = [Reading::LocalInZone, Reading::InstantInZone];
    readings.into_iter().find(|reading| {
        read_as(time_in_bed, *reading, zone).is_some_and(|time_in_bed| logs.starts_with(&time_in_bed))
    })
}

/// Returns the record with its times read as the import shows they are meant, and that reading; `None` if
/// the record cannot be read so or stays as it is written.
pub(super) fn corrected(
    record: &SleepRecord,
    evidence: Evidence,
    zone: TimeZone,
    logs: &KnownLogs,
) -> Option<(SleepRecord, Reading)> {
    let bed = record.time_in_bed();
    let reading = reading(bed, zone, logs).unwrap_or_else(|| evidence.of_others());
    if reading == Reading::Written {
        return None;
    }
    let time_in_bed = read_as(bed, reading, zone)?;
    let entries = moved_stages(record, &time_in_bed)?;
    let hypnogram = Hypnogram::new(entries, &time_in_bed).ok()?;
    let head = SleepRecordHead { time_in_bed, ..record.head().clone() };
    let metrics: SleepMetrics = record.metrics().clone();
    let moved = SleepRecord::from_stages_or_metrics(head, hypnogram, metrics).ok()?;
    Some((moved.with_derived_key(), reading))
}

/// Returns the stages of a record as if it started at another time.
fn moved_stages(record: &SleepRecord, to: &TimeInBed) -> Option<Vec<StageEntry>> {
    let shift = to.start_millis().saturating_sub(record.time_in_bed().start_millis());
    let at = |millis: i64| DateTime::from_timestamp_millis(millis.saturating_add(shift));
    let moved =
        record.hypnogram().entries().iter().map(|entry| {
            StageEntry::new(entry.stage(), at(entry.start_millis())?, at(entry.end_millis())?).ok()
        });
    moved.collect()
}

/// Reads a time in bed; one of local times takes the offset in force at its start, as Fitbit's logs do.
fn read_as(time_in_bed: &TimeInBed, reading: Reading, zone: TimeZone) -> Option<TimeInBed> {
    let (start, end) = match reading {
        Reading::LocalInZone => {
            let start = zone.resolve(time_in_bed.start().naive_utc(), Fold::First);
            let shift = start.signed_duration_since(time_in_bed.start());
            (start, time_in_bed.end().checked_add_signed(shift)?)
        }
        Reading::Written | Reading::InstantInZone => (time_in_bed.start(), time_in_bed.end()),
    };
    TimeInBed::new(start, end, Some(zone.offset_at(start)), Some(zone.offset_at(end))).ok()
}
