//! Zepp's times: universal time as text, or seconds since 1970.

use crate::local_time::LocalTime;
use chrono::{DateTime, Utc};
use domain::time::{TimeZone, UtcOffset};

/// Parses a time, with its offset: that of the zone, unless another one than `+0000` is written.
///
/// Zepp writes every time with `+0000`, which says nothing about the place.
pub(super) fn parse(
    name: &str,
    text: Option<&str>,
    zone: TimeZone,
) -> Result<(DateTime<Utc>, Option<UtcOffset>), String> {
    let text = text.ok_or_else(|| format!("{name} is missing"))?;
    let (instant, written) =
        instant(text).ok_or_else(|| format!("{name} is not a date and time with an offset"))?;
    let offset = written.filter(|offset| offset.seconds() != 0);
    Ok((instant, Some(offset.unwrap_or_else(|| zone.offset_at(instant)))))
}

fn instant(text: &str) -> Option<(DateTime<Utc>, Option<UtcOffset>)> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return DateTime::from_timestamp(text.parse().ok()?, 0).map(|instant| (instant, None));
    }
    let time = LocalTime::parse(&text.replacen(' ', "T", 1)).filter(|time| time.offset.is_some())?;
    time.resolve(TimeZone::UTC).map(|(instant, offset)| (instant, Some(offset)))
}
