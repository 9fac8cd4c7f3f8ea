//! Conversion of a night to a session.

use super::members::{Night, Stretch};
use super::stamp::{Clock, required};
use super::{SOURCE, levels};
use crate::session::{self, Sums};
use crate::source::Notes;
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
    let time_in_bed =
        session::time_in_bed((start, Some(clock.at_start(start))), (end, Some(clock.at_end(end))))?;
    if clock.is_wrong {
        notes.add("a local time with an impossible offset from GMT was left out");
    }
    let hypnogram = levels::read(levels, &time_in_bed, notes)?;
    let metrics = metrics(night, &time_in_bed, notes);
    let head = SleepRecordHead {
        key: session::key("id", &night.id, start)?,
        source: session::source(SOURCE)?,
        time_in_bed,
        // Garmin lists naps separately from the night of a day.
        is_nap: Some(false),
    };
    session::with_stages(head, hypnogram, metrics, notes)
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
