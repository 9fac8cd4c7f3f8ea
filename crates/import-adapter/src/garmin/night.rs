//! Conversion of a night to a session.

use super::members::{Night, Stretch};
use super::stamp::{Clock, required};
use super::{levels, source};
use crate::session_key::key;
use crate::source::Notes;
use crate::totals::{self, Sums};
use domain::sleep::{SleepMetrics, SleepRecord, SleepRecordHead, SourceTotals, TimeInBed};

/// Converts one night, or returns why it is invalid; dropped parts are noted.
pub(super) fn read(
    night: &Night,
    levels: &[Stretch],
    clock: &Clock,
    notes: &mut Notes,
) -> Result<SleepRecord, String> {
    let start = required("sleepStartTimestampGMT", &night.start)?;
    let end = required("sleepEndTimestampGMT", &night.end)?;
    let offsets = (clock.at_start(start), clock.at_end(end));
    let time_in_bed = TimeInBed::new(start, end, Some(offsets.0), Some(offsets.1))
        .map_err(|error| format!("time in bed: {error}"))?;
    if clock.is_wrong {
        notes.add("a local time that is no offset away from GMT was left out");
    }
    let hypnogram = levels::read(levels, &time_in_bed, notes)?;
    let metrics = metrics(night, &time_in_bed, notes);
    let head = SleepRecordHead {
        key: key("id", &night.id, start)?,
        source: Some(source().map_err(|error| error.to_string())?),
        time_in_bed,
        // Garmin lists naps separately from the night of a day.
        is_nap: Some(false),
    };
    totals::record(head, hypnogram, metrics, notes)
}

fn metrics(night: &Night, time_in_bed: &TimeInBed, notes: &mut Notes) -> SleepMetrics {
    let mut sums = Sums::default();
    let totals = SourceTotals {
        asleep: sums.seconds(&night.sleep_time_seconds),
        awake: sums.seconds(&night.awake_sleep_seconds),
        light: sums.seconds(&night.light_sleep_seconds),
        deep: sums.seconds(&night.deep_sleep_seconds),
        rem: sums.seconds(&night.rem_sleep_seconds),
        wakeups: sums.count(&night.awake_count),
        ..SourceTotals::default()
    };
    sums.metrics(&totals, time_in_bed, notes)
}
