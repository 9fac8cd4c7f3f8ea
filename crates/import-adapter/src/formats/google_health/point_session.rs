//! Conversion of a data point to a session.

use super::point::{Interval, Point, RawStage, Sleep};
use super::{SOURCE, stage};
use crate::json::LooseScalar;
use crate::session::{self, Sums};
use crate::source::Notes;
use crate::timestamp::Timestamp;
use chrono::{DateTime, Utc};
use domain::sleep::{
    Hypnogram, SessionKey, SleepRecord, SleepRecordHead, SourceTotals, Stage, StageEntry, TimeInBed,
};
use domain::time::{TimeZone, UtcOffset};

/// Converts the sleep of a data point, or returns why it is invalid; dropped parts are noted.
pub(super) fn read(
    point: &Point,
    sleep: &Sleep,
    zone: TimeZone,
    notes: &mut Notes,
) -> Result<SleepRecord, String> {
    let interval = sleep.interval.as_ref().ok_or("interval is missing")?;
    let time_in_bed = time_in_bed(interval, zone)?;
    let hypnogram = hypnogram(&sleep.stages.0, &time_in_bed, notes)?;
    let mut sums = Sums::default();
    let totals = totals(sleep, &mut sums);
    let metrics = sums.metrics(&totals, &time_in_bed, notes);
    let writer = point.other_writer();
    let key = match &writer {
        Some(_) => session::key("name", &point.id(), time_in_bed.start())?,
        // The id is not that of the same night in Fitbit's JSON, which therefore is found by its time.
        None => SessionKey::derived_from(time_in_bed.start()),
    };
    let source = session::source(writer.as_deref().unwrap_or(SOURCE))?;
    let head = SleepRecordHead { key, source, time_in_bed, is_nap: sleep.is_nap() };
    session::with_stages(head, hypnogram, metrics, notes)
}

fn time_in_bed(interval: &Interval, zone: TimeZone) -> Result<TimeInBed, String> {
    if !interval.start_time.is_absent() && interval.end_time.is_absent() {
        return Err("endTime is missing; the sleep was not over".to_owned());
    }
    let end_of = |name: &str, time: &LooseScalar, offset_name: &str, offset: &LooseScalar| {
        let instant = instant(name, time)?;
        let offset = self::offset(offset_name, offset)?.unwrap_or_else(|| zone.offset_at(instant));
        Ok::<_, String>((instant, Some(offset)))
    };
    let start = end_of("startTime", &interval.start_time, "startUtcOffset", &interval.start_utc_offset)?;
    let end = end_of("endTime", &interval.end_time, "endUtcOffset", &interval.end_utc_offset)?;
    session::time_in_bed(start, end)
}

fn instant(name: &str, time: &LooseScalar) -> Result<DateTime<Utc>, String> {
    if time.is_blank() {
        return Err(format!("{name} is missing"));
    }
    let time = time.as_str().and_then(|text| Timestamp::parse(name, text).ok());
    time.map(|time| time.instant).ok_or_else(|| format!("{name} is not a time in UTC"))
}

/// Parses a length such as `7200s` or `-14400s`; `None` if it is absent.
fn offset(name: &str, value: &LooseScalar) -> Result<Option<UtcOffset>, String> {
    if value.is_blank() {
        return Ok(None);
    }
    let seconds = value.as_str().and_then(|text| text.trim().strip_suffix('s')?.parse().ok());
    let whole = seconds.filter(|seconds: &f64| seconds.abs() <= f64::from(UtcOffset::MAX_SECONDS));
    #[expect(clippy::cast_possible_truncation, reason = "at most 18 hours, checked above")]
    let offset = whole.and_then(|seconds| UtcOffset::from_seconds(seconds as i32));
    offset.map(Some).ok_or_else(|| format!("{name} is not an offset such as 7200s"))
}

/// Arranges the stages; `shortAwakenings` are not part of the totals that the maker shows.
fn hypnogram(stages: &[RawStage], bed: &TimeInBed, notes: &mut Notes) -> Result<Hypnogram, String> {
    let (mut entries, mut unreadable, mut unknown) = (Vec::new(), 0_usize, 0_usize);
    for raw in stages {
        let Some(entry) = entry(raw) else {
            unreadable = unreadable.saturating_add(1);
            continue;
        };
        if raw.kind.as_str().and_then(stage).is_none() {
            unknown = unknown.saturating_add(1);
        }
        entries.push(entry);
    }
    notes.count(unreadable, "stages whose times are unreadable or not in order were omitted");
    notes.count(unknown, "stages with an unknown type were stored as UNKNOWN");
    session::hypnogram(entries, bed, notes)
}

fn entry(raw: &RawStage) -> Option<StageEntry> {
    let stage = raw.kind.as_str().and_then(stage).unwrap_or(Stage::Unknown);
    let at = |time| instant("", time).ok();
    StageEntry::new(stage, at(&raw.start_time)?, at(&raw.end_time)?).ok()
}

/// Reads the totals of the summary. Its minutes per stage are twice in some answers, so they are not read.
fn totals(sleep: &Sleep, sums: &mut Sums) -> SourceTotals {
    let Some(summary) = &sleep.summary else { return SourceTotals::default() };
    SourceTotals {
        asleep: sums.minutes(&summary.asleep),
        awake: sums.minutes(&summary.awake),
        // The API writes 0 where the latency was not measured.
        latency: sums.minutes(&summary.to_fall_asleep).filter(|latency| !latency.is_zero()),
        ..SourceTotals::default()
    }
}
