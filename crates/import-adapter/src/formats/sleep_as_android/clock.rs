//! Local times without an offset; other members of the record resolve those that exist twice.

use crate::local_time;
use chrono::{DateTime, NaiveDate, NaiveDateTime, TimeDelta, Utc};
use domain::time::{Fold, TimeZone, UtcOffset};

/// Zone of a record's local times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Zone {
    /// Zone with clock changes.
    Named(TimeZone),
    /// One offset for the whole record.
    Fixed(UtcOffset),
}

impl Zone {
    /// Parses an IANA name, or one of Java such as `GMT+03:00`.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let offset = || local_time::named_offset(name).map(Self::Fixed);
        TimeZone::parse(name).ok().map(Self::Named).or_else(offset)
    }

    /// Returns the offset in force at an instant.
    pub(super) fn offset_at(self, instant: DateTime<Utc>) -> UtcOffset {
        match self {
            Self::Named(zone) => zone.offset_at(instant),
            Self::Fixed(offset) => offset,
        }
    }

    /// Returns whether a clock change skipped a local time.
    pub(super) fn is_skipped(self, local: NaiveDateTime) -> bool {
        matches!(self, Self::Named(zone) if local_time::is_skipped(local, zone))
    }

    fn resolve(self, local: NaiveDateTime, fold: Fold) -> DateTime<Utc> {
        match self {
            Self::Named(zone) => zone.resolve(local, fold),
            Self::Fixed(offset) => {
                let shift = TimeDelta::seconds(i64::from(offset.seconds()));
                // Years have four digits, so this is never out of range.
                local.and_utc().checked_sub_signed(shift).unwrap_or(local.and_utc())
            }
        }
    }
}

/// Parses `09. 12. 2020 8:16`.
pub(super) fn parse(text: &str) -> Option<NaiveDateTime> {
    let mut parts = text.split_whitespace();
    let (day, month) = (parts.next()?.strip_suffix('.')?, parts.next()?.strip_suffix('.')?);
    let (year, clock) = (parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let (hour, minute) = clock.split_once(':')?;
    let date =
        NaiveDate::from_ymd_opt(i32::try_from(number(year, 4)?).ok()?, number(month, 2)?, number(day, 2)?);
    date?.and_hms_opt(number(hour, 2)?, number(minute, 2)?, 0)
}

fn number(text: &str, digits: usize) -> Option<u32> {
    let plain = (1..=digits).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok())?
}

/// Returns the instant of a local time; of two, the one closer to `about`, else the first.
pub(super) fn resolve(zone: Zone, local: NaiveDateTime, about: Option<DateTime<Utc>>) -> DateTime<Utc> {
    let first = zone.resolve(local, Fold::First);
    let Some(about) = about else { return first };
    let second = zone.resolve(local, Fold::Second);
    let distance = |instant: DateTime<Utc>| instant.signed_duration_since(about).abs();
    if distance(second) < distance(first) { second } else { first }
}

#[cfg(test)]
mod tests {
    use super::{Zone, parse, resolve};
    use chrono::DateTime;

    #[test]
    fn a_date_is_day_month_and_year_with_points() {
        for (text, expected) in [
            ("09. 12. 2020 8:16", "2020-12-09 08:16:00"),
            ("1. 2. 2026 00:05", "2026-02-01 00:05:00"),
            ("31. 12. 2025 23:59", "2025-12-31 23:59:00"),
        ] {
            assert_eq!(parse(text).map(|time| time.to_string()).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "",
            "09. 12. 2020",
            "09.12.2020 8:16",
            "09. 13. 2020 8:16",
            "09. 12. 2020 24:00",
            "09. 12. 2020 8:16 x",
            "+9. 12. 2020 8:16",
            "2020-12-09 8:16",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_closer_one_of_a_repeated_time_is_used() {
        let zone = Zone::parse("Europe/London").unwrap();
        let local = parse("25. 10. 2020 1:30").unwrap();
        let at = |text: &str| DateTime::parse_from_rfc3339(text).unwrap().to_utc();
        let (first, second) = (at("2020-10-25T00:30:00Z"), at("2020-10-25T01:30:00Z"));
        assert_eq!(resolve(zone, local, None), first);
        assert_eq!(resolve(zone, local, Some(at("2020-10-25T00:30:41Z"))), first);
        assert_eq!(resolve(zone, local, Some(at("2020-10-25T01:30:41Z"))), second);
    }
}
