//! Conversion of a recording to a session.

use super::members::{Completion, Recording};
use super::{SOURCE, clock, stages};
use crate::session::{self, Sums};
use crate::source::Notes;
use chrono::{DateTime, Utc};
use domain::sleep::{SessionKey, SleepMetrics, SleepRecord, SleepRecordHead, SourceTotals, TimeInBed};
use domain::time::TimeZone;

/// What the row of a recording says about it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RowContext {
    /// End of a recording that does not state it.
    pub(super) end: Option<DateTime<Utc>>,
    pub(super) is_nap: Option<bool>,
    /// Whether the older app has written it.
    pub(super) is_old: bool,
}

/// Converts a recording, or returns why it is invalid.
pub(super) fn read(
    recording: &Recording,
    row: RowContext,
    zone: TimeZone,
    notes: &mut Notes,
) -> Result<SleepRecord, String> {
    let (start, end) = times(recording, row.end)?;
    clock::check_set(start)?;
    let offset = clock::offset(recording, row.is_old, (start, zone), notes);
    let with_offset = |instant| (instant, Some(offset.unwrap_or_else(|| zone.offset_at(instant))));
    let time_in_bed = session::time_in_bed(with_offset(start), with_offset(end))?;
    if recording.completion() == Completion::Incomplete {
        notes.add("the band had not completed this recording; a later row of it may be longer");
    }
    let hypnogram = stages::read(&recording.items.0, &time_in_bed, notes)?;
    let metrics = metrics(recording, &time_in_bed, notes);
    let head = SleepRecordHead {
        key: SessionKey::derived_from(start),
        source: session::source(SOURCE)?,
        time_in_bed,
        is_nap: row
            .is_nap
            .or_else(|| recording.is_nap.as_flag())
            .or_else(|| recording.is_nap_in_camel_case.as_flag()),
    };
    session::with_stages(head, hypnogram, metrics, notes)
}

/// Returns start and end: as stated, else those of the stages.
fn times(
    recording: &Recording,
    end_of_row: Option<DateTime<Utc>>,
) -> Result<(DateTime<Utc>, DateTime<Utc>), String> {
    let Recording { bedtime, device_bedtime, bed_timestamp, .. } = recording;
    let Recording { wake_up_time, device_wake_up_time, out_bed_timestamp, .. } = recording;
    let items = &recording.items.0;
    let start = clock::first([bedtime, device_bedtime, bed_timestamp])
        .or_else(|| items.iter().filter_map(|item| clock::instant(&item.start_time)).min());
    let end = clock::first([wake_up_time, device_wake_up_time, out_bed_timestamp])
        .or_else(|| items.iter().filter_map(|item| clock::instant(&item.end_time)).max());
    let start = start.ok_or("bedtime is missing or not a time in seconds")?;
    let end = end.or(end_of_row).ok_or("wake_up_time is missing or not a time in seconds")?;
    Ok((start, end))
}

fn metrics(recording: &Recording, time_in_bed: &TimeInBed, notes: &mut Notes) -> SleepMetrics {
    let mut sums = Sums::default();
    let totals = SourceTotals {
        asleep: sums.minutes(&recording.duration),
        awake: sums.minutes(&recording.sleep_awake_duration),
        light: sums.minutes(&recording.sleep_light_duration),
        deep: sums.minutes(&recording.sleep_deep_duration),
        // A band that does not distinguish REM sleep writes 0.
        rem: sums.minutes(&recording.sleep_rem_duration).filter(|rem| !rem.is_zero()),
        wakeups: sums.count(&recording.awake_count),
        ..SourceTotals::default()
    };
    sums.metrics(&totals, time_in_bed, notes)
}
