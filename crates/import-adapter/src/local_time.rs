//! Local dates and times of records, with or without an offset.

use crate::json::LooseScalar;
use crate::source::Notes;
use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use domain::time::{Fold, TimeZone, UtcOffset};

/// A local date and time, with its offset if the record has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LocalTime {
    pub(crate) local: NaiveDateTime,
    pub(crate) offset: Option<UtcOffset>,
}

impl LocalTime {
    /// Parses `2019-04-27T23:09:00.000`, with or without fraction, seconds and offset (`+02:00`, `+0200`,
    /// `Z`).
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let with_colon = DateTime::parse_from_rfc3339(text);
        if let Ok(time) = with_colon.or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f%z")) {
            let offset = UtcOffset::from_seconds(time.offset().local_minus_utc())?;
            return Some(Self { local: time.naive_local(), offset: Some(offset) });
        }
        let local = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M"]
            .iter()
            .find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())?;
        Some(Self { local, offset: None })
    }

    pub(crate) const fn without_offset(local: NaiveDateTime) -> Self {
        Self { local, offset: None }
    }

    /// Parses a member that must be a date and time. Its offset takes precedence over the zone's; `Z` gives
    /// the instant but no local offset. A time that the zone skipped is noted.
    pub(crate) fn read(
        name: &str,
        value: &LooseScalar,
        zone: TimeZone,
        notes: &mut Notes,
    ) -> Result<(DateTime<Utc>, UtcOffset), String> {
        if value.is_blank() {
            return Err(format!("{name} is missing"));
        }
        let text = value.as_str().map(str::trim);
        let time = text.and_then(Self::parse).ok_or_else(|| format!("{name} is not a date and time"))?;
        if time.is_skipped(zone) {
            notes.add_once(SKIPPED_TIME_NOTE);
        }
        let (instant, offset) = time.resolve(zone).ok_or_else(|| format!("{name} is out of range"))?;
        let is_utc = text.is_some_and(|text| text.ends_with(['Z', 'z']));
        Ok((instant, if is_utc { zone.offset_at(instant) } else { offset }))
    }

    /// Returns whether the zone skipped this time because clocks went forward.
    pub(crate) fn is_skipped(self, zone: TimeZone) -> bool {
        self.offset.is_none() && is_skipped(self.local, zone)
    }

    /// Returns the instant and its offset: the record's own offset if there is one, otherwise the zone's. A
    /// time that occurs twice in the zone is taken as the first. `None` outside the supported years.
    pub(crate) fn resolve(self, zone: TimeZone) -> Option<(DateTime<Utc>, UtcOffset)> {
        if let Some(offset) = self.offset {
            let shift = TimeDelta::seconds(i64::from(offset.seconds()));
            return Some((self.local.and_utc().checked_sub_signed(shift)?, offset));
        }
        let instant = zone.resolve(self.local, Fold::First);
        Some((instant, zone.offset_at(instant)))
    }
}

/// Parses an offset that may follow a name of universal time: `UTC-04:00`, `GMT+3`, `GMT`.
pub(crate) fn named_offset(text: &str) -> Option<UtcOffset> {
    let named = ["UTC", "GMT"].into_iter().find_map(|name| {
        let (start, rest) = text.split_at_checked(name.len())?;
        start.eq_ignore_ascii_case(name).then_some(rest)
    });
    let offset = named.unwrap_or(text);
    if offset.is_empty() {
        return named.map(|_| UtcOffset::UTC);
    }
    UtcOffset::parse(offset).ok().or_else(|| {
        // One digit of hours, as Java also writes.
        let (sign, clock) = offset.split_at_checked(1)?;
        UtcOffset::parse(&format!("{sign}0{clock}"))
            .ok()
            .filter(|_| clock.find(':').unwrap_or(clock.len()) == 1)
    })
}

/// Note on a record whose local time was skipped in its zone.
pub(crate) const SKIPPED_TIME_NOTE: &str =
    "this local time was skipped when the clocks went forward; the offset before the change was used";

/// Returns whether a zone skipped a local time.
pub(crate) fn is_skipped(local: NaiveDateTime, zone: TimeZone) -> bool {
    let instant = zone.resolve(local, Fold::First);
    let shift = TimeDelta::seconds(i64::from(zone.offset_at(instant).seconds()));
    instant.naive_utc().checked_add_signed(shift) != Some(local)
}

#[cfg(test)]
mod tests {
    use super::{LocalTime, named_offset};
    use domain::time::TimeZone;

    fn resolved(text: &str) -> Option<String> {
        let zone = TimeZone::parse("Europe/Berlin").unwrap();
        let (instant, offset) = LocalTime::parse(text)?.resolve(zone)?;
        Some(domain::time::format::millis(instant.timestamp_millis(), Some(offset)))
    }

    #[test]
    fn only_times_without_an_offset_are_skipped_when_the_clocks_go_forward() {
        let zone = TimeZone::parse("Europe/Berlin").unwrap();
        for (text, expected) in [
            ("2026-03-29T01:59:59", false),
            ("2026-03-29T02:00:00", true),
            ("2026-03-29T02:59:59", true),
            ("2026-03-29T03:00:00", false),
            ("2026-03-29T02:30:00+01:00", false),
            ("2026-10-25T02:30:00", false),
        ] {
            assert_eq!(LocalTime::parse(text).unwrap().is_skipped(zone), expected, "{text}");
        }
        // The offset before the change applies.
        assert_eq!(resolved("2026-03-29T02:30:00").unwrap(), "2026-03-29T03:30:00+02:00");
    }

    #[test]
    fn an_offset_can_follow_a_name_of_universal_time() {
        for (text, minutes) in [
            ("UTC-04:00", -240),
            ("GMT+03:00", 180),
            ("gmt+0530", 330),
            ("GMT+3", 180),
            ("UTC-3:30", -210),
            ("+02:00", 120),
            ("GMT", 0),
            ("UTC", 0),
            ("Z", 0),
        ] {
            assert_eq!(named_offset(text).map(domain::time::UtcOffset::minutes), Some(minutes), "{text}");
        }
        for text in ["", "null", "PST", "GMT+", "GMT+123", "GMT 3", "3", "UTC+19:00", "Europe/Berlin", "é"] {
            assert_eq!(named_offset(text), None, "{text}");
        }
    }

    #[test]
    fn an_explicit_offset_takes_precedence_over_the_zone() {
        for (text, expected) in [
            ("2026-01-10T23:00:00.250-05:00", "2026-01-10T23:00:00.250-05:00"),
            ("2026-01-10T23:00:00-0500", "2026-01-10T23:00:00-05:00"),
            ("2026-01-10T23:00:00Z", "2026-01-10T23:00:00Z"),
            ("2026-01-10T23:00:00.0", "2026-01-10T23:00:00+01:00"),
            ("2026-07-10T23:00", "2026-07-10T23:00:00+02:00"),
        ] {
            let expected = expected.replace('Z', "+00:00");
            let found = resolved(text).map(|found| found.replace('Z', "+00:00"));
            assert_eq!(found, Some(expected), "{text}");
        }
        for text in ["", "2026-01-10", "23:00", "2026-01-10T23:00:00+25:00", "1768086000"] {
            assert_eq!(resolved(text), None, "{text}");
        }
    }
}
