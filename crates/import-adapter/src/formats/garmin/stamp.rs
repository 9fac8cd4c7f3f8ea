//! Garmin's timestamps: milliseconds or texts, in GMT and again in local time.

use super::members::Night;
use crate::json::LooseScalar;
use crate::local_time::LocalTime;
use chrono::{DateTime, TimeDelta, Utc};
use domain::time::{TimeZone, UtcOffset};

const MINUTE_MILLIS: i64 = 60_000;

/// Parses a required GMT timestamp.
pub(super) fn required(name: &str, value: &LooseScalar) -> Result<DateTime<Utc>, String> {
    if value.is_absent() {
        return Err(format!("{name} is missing"));
    }
    instant(value).ok_or_else(|| format!("{name} is not a date and time"))
}

/// Parses a GMT timestamp: milliseconds since 1970, or a text that is GMT unless it has an offset.
pub(super) fn instant(value: &LooseScalar) -> Option<DateTime<Utc>> {
    match value {
        LooseScalar::Text(text) if !text.bytes().all(|byte| byte.is_ascii_digit()) => {
            LocalTime::parse(text)?.resolve(TimeZone::UTC).map(|(instant, _)| instant)
        }
        value => millis(value.number()?),
    }
}

fn millis(number: f64) -> Option<DateTime<Utc>> {
    #[expect(clippy::cast_possible_truncation, reason = "checked: far below the bounds of an i64")]
    (number.abs() < 1e15).then(|| DateTime::from_timestamp_millis(number as i64)).flatten()
}

/// Parses a local timestamp as if it were GMT; its offset, if any, is ignored.
fn parse_wall_time(value: &LooseScalar) -> Option<DateTime<Utc>> {
    match value {
        LooseScalar::Text(text) if !text.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some(LocalTime::parse(text)?.local.and_utc())
        }
        value => instant(value),
    }
}

/// Offsets of one day: the difference of its two kinds of timestamps, else those of the given zone.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    zone: TimeZone,
    at_start: Option<UtcOffset>,
    at_end: Option<UtcOffset>,
    /// Whether a local timestamp differs from GMT by an impossible offset.
    pub(super) is_wrong: bool,
}

impl Clock {
    pub(super) fn new(night: &Night, zone: TimeZone) -> Self {
        let (start, end) =
            (distance(&night.start, &night.start_local), distance(&night.end, &night.end_local));
        Self {
            zone,
            at_start: start.ok().flatten(),
            at_end: end.ok().flatten(),
            is_wrong: start.is_err() || end.is_err(),
        }
    }

    pub(super) fn at_start(&self, start: DateTime<Utc>) -> UtcOffset {
        self.at_start.or(self.at_end).unwrap_or_else(|| self.zone.offset_at(start))
    }

    /// Returns the offset at the end of the night and for the rest of the day.
    pub(super) fn at_end(&self, end: DateTime<Utc>) -> UtcOffset {
        self.at_end.or(self.at_start).unwrap_or_else(|| self.zone.offset_at(end))
    }
}

/// Rejects two timestamps whose difference is not in whole minutes or exceeds every zone.
#[derive(Debug, Clone, Copy)]
struct NoOffset;

fn distance(gmt: &LooseScalar, local: &LooseScalar) -> Result<Option<UtcOffset>, NoOffset> {
    let (Some(gmt), false) = (instant(gmt), local.is_absent()) else { return Ok(None) };
    let apart = parse_wall_time(local).ok_or(NoOffset)?.signed_duration_since(gmt);
    let whole = apart.num_milliseconds().checked_rem(MINUTE_MILLIS) == Some(0);
    let minutes = whole.then(|| TimeDelta::num_minutes(&apart));
    let minutes = minutes.and_then(|minutes| i16::try_from(minutes).ok()).ok_or(NoOffset)?;
    UtcOffset::from_minutes(minutes).map(Some).ok_or(NoOffset)
}
