//! Conversion of a sleep of the API to a session.

use super::members::Sleep;
use crate::json::{LooseScalar, Record, decode};
use crate::local_time::{LocalTime, named_offset};
use crate::session::{self, Sums};
use crate::source::{Items, Notes};
use chrono::{DateTime, Utc};
use domain::sleep::{SleepMetrics, SleepRecord, SleepRecordHead, SourceTotals, TimeInBed};
use domain::time::{TimeZone, UtcOffset};

/// Adds the session of a sleep.
pub(super) fn read(record: &Record<'_>, zone: TimeZone, items: &mut Items) {
    let mut notes = Notes::default();
    let outcome = decode::<Sleep>(record.text).and_then(|sleep| convert(&sleep, zone, &mut notes));
    items.finish_session(&record.place(), notes, outcome);
}

fn convert(sleep: &Sleep, zone: TimeZone, notes: &mut Notes) -> Result<SleepRecord, String> {
    if !sleep.is_sleep() {
        return Err("it has neither nap nor score.stage_summary, so it is not a sleep".to_owned());
    }
    let offset = offset(&sleep.timezone_offset, notes);
    let clock = |(instant, written): (DateTime<Utc>, Option<UtcOffset>)| {
        (instant, Some(offset.or(written).unwrap_or_else(|| zone.offset_at(instant))))
    };
    let start = instant("start", &sleep.start)?;
    if sleep.end.is_absent() {
        return Err("end is missing: the sleep was not finished".to_owned());
    }
    let end = instant("end", &sleep.end)?;
    let time_in_bed = session::time_in_bed(clock(start), clock(end))?;
    let metrics = metrics(sleep, &time_in_bed, notes);
    let head = SleepRecordHead {
        key: session::key("id", &lower_case(&sleep.id), time_in_bed.start())?,
        source: session::source("whoop")?,
        time_in_bed,
        is_nap: is_nap(&sleep.nap)?,
    };
    session::without_stages(head, metrics)
}

/// Returns a uuid as the API writes it: tools differ in its case.
fn lower_case(id: &LooseScalar) -> LooseScalar {
    id.as_str().map_or_else(|| id.clone(), |id| LooseScalar::Text(id.to_ascii_lowercase()))
}

/// Parses an instant with its offset; `Z` gives no local offset.
fn instant(name: &str, value: &LooseScalar) -> Result<(DateTime<Utc>, Option<UtcOffset>), String> {
    if value.is_absent() {
        return Err(format!("{name} is missing"));
    }
    let text = value.as_str();
    let time = text.and_then(LocalTime::parse).filter(|time| time.offset.is_some());
    let resolved = time.and_then(|time| time.resolve(TimeZone::UTC));
    let (instant, offset) =
        resolved.ok_or_else(|| format!("{name} is not a date and time with an offset"))?;
    Ok((instant, Some(offset).filter(|offset| *offset != UtcOffset::UTC)))
}

/// Returns the offset of the sleep, which WHOOP keeps even across clock changes.
fn offset(value: &LooseScalar, notes: &mut Notes) -> Option<UtcOffset> {
    let offset = value.as_str().and_then(named_offset);
    if offset.is_none() && !value.is_blank() {
        notes.add("timezone_offset is not an offset such as -04:00; the given zone was used");
    }
    offset
}

fn is_nap(value: &LooseScalar) -> Result<Option<bool>, String> {
    if value.is_absent() {
        return Ok(None);
    }
    value.as_flag().map(Some).ok_or_else(|| "nap is neither true nor false".to_owned())
}

/// Returns the totals of a scored sleep. WHOOP states no time asleep, which is the sum of the stages.
fn metrics(sleep: &Sleep, time_in_bed: &TimeInBed, notes: &mut Notes) -> SleepMetrics {
    let mut sums = Sums::default();
    let totals = sleep.totals().map(|summary| SourceTotals {
        awake: sums.millis(&summary.awake),
        light: sums.millis(&summary.light),
        deep: sums.millis(&summary.deep),
        rem: sums.millis(&summary.rem),
        ..SourceTotals::default()
    });
    sums.metrics(&totals.unwrap_or_default(), time_in_bed, notes)
}
