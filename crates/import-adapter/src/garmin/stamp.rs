//! Garmin's time stamps: milliseconds or texts, in GMT, and the same again as the clock on the wall showed them.

use super::members::Night;
use crate::json::Loose;
use crate::local_time::LocalTime;
use chrono::{DateTime, TimeDelta, Utc};
use domain::time::{TimeZone, UtcOffset};

const MINUTE_MILLIS: i64 = 60_000;

/// Reads a stamp in GMT, which must be there.
pub(super) fn required(name: &str, value: &Loose) -> Result<DateTime<Utc>, String> {
    if value.is_absent() {
        return Err(format!("{name} is missing"));
    }
    instant(value).ok_or_else(|| format!("{name} is not a date and time"))
}

/// Reads a stamp in GMT: milliseconds since 1970, or a text, which is GMT without an offset, too.
pub(super) fn instant(value: &Loose) -> Option<DateTime<Utc>> {
    match value {
        Loose::Text(text) if !text.bytes().all(|byte| byte.is_ascii_digit()) => {
            LocalTime::parse(text)?.resolve(TimeZone::UTC).map(|(instant, _)| instant)
        }
        value => millis(value.number()?),
    }
}

fn millis(number: f64) -> Option<DateTime<Utc>> {
    #[expect(clippy::cast_possible_truncation, reason = "checked: far below the bounds of an i64")]
    (number.abs() < 1e15).then(|| DateTime::from_timestamp_millis(number as i64)).flatten()
}

/// Reads a stamp of the clock on the wall as if it were GMT; an offset that it claims is not believed.
fn wall(value: &Loose) -> Option<DateTime<Utc>> {
    match value {
        Loose::Text(text) if !text.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some(LocalTime::parse(text)?.local.and_utc())
        }
        value => instant(value),
    }
}

/// Knows the offsets of one day: those between its own two kinds of stamps, else those of the zone given.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    zone: TimeZone,
    at_start: Option<UtcOffset>,
    at_end: Option<UtcOffset>,
    /// Whether a stamp of the clock on the wall lies at no possible distance from GMT.
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

    /// Gives the offset at the end of the night, and for what follows on the same day.
    pub(super) fn at_end(&self, end: DateTime<Utc>) -> UtcOffset {
        self.at_end.or(self.at_start).unwrap_or_else(|| self.zone.offset_at(end))
    }
}

/// Says that two stamps are not whole minutes, or more than any zone, apart.
#[derive(Debug, Clone, Copy)]
struct NoOffset;

fn distance(gmt: &Loose, local: &Loose) -> Result<Option<UtcOffset>, NoOffset> {
    let (Some(gmt), false) = (instant(gmt), local.is_absent()) else { return Ok(None) };
    let apart = wall(local).ok_or(NoOffset)?.signed_duration_since(gmt);
    let whole = apart.num_milliseconds().checked_rem(MINUTE_MILLIS) == Some(0);
    let minutes = whole.then(|| TimeDelta::num_minutes(&apart));
    let minutes = minutes.and_then(|minutes| i16::try_from(minutes).ok()).ok_or(NoOffset)?;
    UtcOffset::from_minutes(minutes).map(Some).ok_or(NoOffset)
}
