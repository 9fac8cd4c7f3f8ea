//! Sleep Cycle's local times, which have no zone.

use crate::local_time::{LocalTime, SKIPPED_TIME_NOTE};
use crate::source::Notes;
use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use domain::time::{Fold, TimeZone};

/// Greatest difference between a stated length, which may be cut to minutes, and that of the times.
const TOLERANCE: TimeDelta = TimeDelta::minutes(1);

/// Parses `2026-03-10 23:00:00`.
pub(super) fn parse(name: &str, text: Option<&str>) -> Result<NaiveDateTime, String> {
    let text = text.ok_or_else(|| format!("{name} is missing"))?;
    let forms = ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M"];
    let time = forms.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
    time.ok_or_else(|| format!("{name} is not a date and time"))
}

/// Parses a length in hours and minutes, such as `6:50`.
pub(super) fn hours_and_minutes(text: &str) -> Option<TimeDelta> {
    let (hours, minutes) = text.split_once(':')?;
    let (hours, minutes): (u8, u8) = (hours.parse().ok()?, minutes.parse().ok()?);
    let minutes = i64::from(hours).saturating_mul(60).saturating_add(i64::from(minutes));
    Some(TimeDelta::minutes(minutes))
}

/// Returns the instants of a start and an end in the zone. Of times that occur twice, those are taken whose
/// distance is the stated length.
pub(super) fn resolve(
    (start, end): (NaiveDateTime, NaiveDateTime),
    stated: Option<TimeDelta>,
    zone: TimeZone,
    notes: &mut Notes,
) -> (DateTime<Utc>, DateTime<Utc>) {
    if [start, end].iter().any(|time| LocalTime::without_offset(*time).is_skipped(zone)) {
        notes.add_once(SKIPPED_TIME_NOTE);
    }
    let [starts, ends] =
        [start, end].map(|time| [Fold::First, Fold::Second].map(|fold| zone.resolve(time, fold)));
    let first = (zone.resolve(start, Fold::First), zone.resolve(end, Fold::First));
    let pairs = starts.into_iter().flat_map(|start| ends.map(|end| (start, end)));
    let length = |(start, end): &(DateTime<Utc>, DateTime<Utc>)| end.signed_duration_since(*start);
    let Some(stated) = stated else {
        return pairs.clone().find(|pair| length(pair) > TimeDelta::zero()).unwrap_or(first);
    };
    let distance = |pair: &_| (length(pair) - stated).abs();
    let nearest = pairs.min_by_key(distance).unwrap_or(first);
    if distance(&nearest) <= TOLERANCE {
        return nearest;
    }
    notes.add("the time in bed is not the time from start to end; the offsets of the time zone were used");
    first
}
