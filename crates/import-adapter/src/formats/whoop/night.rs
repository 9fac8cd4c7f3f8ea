//! Conversion of a row to a session.

use crate::input::Fields;
use crate::local_time::{LocalTime, SKIPPED_TIME_NOTE, named_offset};
use crate::session;
use crate::source::Notes;
use chrono::{DateTime, NaiveDateTime, Utc};
use domain::sleep::{SessionKey, SleepRecord, SleepRecordHead, SourceTotals};
use domain::time::{TimeZone, UtcOffset};
use std::time::Duration;

/// Columns that are read.
pub(super) const COLUMNS: [&str; 9] = [
    "Cycle timezone",
    "Sleep onset",
    "Wake onset",
    "Asleep duration (min)",
    "Awake duration (min)",
    "Light sleep duration (min)",
    "Deep (SWS) duration (min)",
    "REM duration (min)",
    "Nap",
];

/// Converts a row, or returns why it is invalid; `zone` applies to rows without an offset.
pub(super) fn read(row: &Fields<'_>, zone: TimeZone, notes: &mut Notes) -> Result<SleepRecord, String> {
    let offset = offset(row)?;
    let start = time(row, "Sleep onset", offset, zone, notes)?;
    let end = time(row, "Wake onset", offset, zone, notes)?;
    let time_in_bed = session::time_in_bed(start, end)?;
    let metrics = session::metrics(&totals(row, notes), &time_in_bed, notes);
    let head = SleepRecordHead {
        key: SessionKey::derived_from(time_in_bed.start()),
        source: session::source("whoop")?,
        time_in_bed,
        is_nap: is_nap(row)?,
    };
    session::without_stages(head, metrics)
}

/// Returns the offset of the row, which WHOOP keeps even across clock changes.
fn offset(row: &Fields<'_>) -> Result<Option<UtcOffset>, String> {
    let Some(text) = row.get("Cycle timezone").filter(|text| *text != "null") else { return Ok(None) };
    named_offset(text).map(Some).ok_or_else(|| "Cycle timezone is not an offset such as UTC-04:00".to_owned())
}

fn time(
    row: &Fields<'_>,
    name: &str,
    offset: Option<UtcOffset>,
    zone: TimeZone,
    notes: &mut Notes,
) -> Result<(DateTime<Utc>, Option<UtcOffset>), String> {
    let text = row.get(name).ok_or_else(|| format!("{name} is missing"))?;
    let local = ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M"]
        .iter()
        .find_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
    let local = local.ok_or_else(|| format!("{name} is not a date and time"))?;
    let time = LocalTime { local, offset };
    if time.is_skipped(zone) {
        notes.add_once(SKIPPED_TIME_NOTE);
    }
    let (instant, offset) = time.resolve(zone).ok_or_else(|| format!("{name} is out of range"))?;
    Ok((instant, Some(offset)))
}

fn is_nap(row: &Fields<'_>) -> Result<Option<bool>, String> {
    match row.get("Nap").map(str::to_ascii_lowercase).as_deref() {
        None => Ok(None),
        Some("true") => Ok(Some(true)),
        Some("false") => Ok(Some(false)),
        Some(_) => Err("Nap is neither true nor false".to_owned()),
    }
}

fn totals(row: &Fields<'_>, notes: &mut Notes) -> SourceTotals {
    let mut unreadable = 0_usize;
    let mut minutes = |name: &str| {
        let text = row.get(name)?;
        let minutes = text.parse().ok().map(|minutes: f64| minutes * 60.0);
        let length = minutes.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        unreadable = unreadable.saturating_add(usize::from(length.is_none()));
        length
    };
    let totals = SourceTotals {
        asleep: minutes("Asleep duration (min)"),
        awake: minutes("Awake duration (min)"),
        light: minutes("Light sleep duration (min)"),
        deep: minutes("Deep (SWS) duration (min)"),
        rem: minutes("REM duration (min)"),
        ..SourceTotals::default()
    };
    notes.count(unreadable, "totals that are negative or not numbers were left out");
    totals
}
