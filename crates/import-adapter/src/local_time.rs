//! Dates and times of day as records write them, with or without an offset.

use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use domain::time::{Fold, TimeZone, UtcOffset};

/// A date and time of day, with the offset where the record has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LocalTime {
    pub(crate) local: NaiveDateTime,
    pub(crate) offset: Option<UtcOffset>,
}

impl LocalTime {
    /// Parses `2019-04-27T23:09:00.000`, with or without fraction, seconds and offset (`+02:00`, `+0200`, `Z`).
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

    /// Gives the instant and the offset in force then: the time's own offset wins over the zone; of a time
    /// that exists twice in the zone, the first. Absent beyond the years that can be counted.
    pub(crate) fn resolve(self, zone: TimeZone) -> Option<(DateTime<Utc>, UtcOffset)> {
        if let Some(offset) = self.offset {
            let shift = TimeDelta::seconds(i64::from(offset.seconds()));
            return Some((self.local.and_utc().checked_sub_signed(shift)?, offset));
        }
        let instant = zone.resolve(self.local, Fold::First);
        Some((instant, zone.offset_at(instant)))
    }
}

#[cfg(test)]
mod tests {
    use super::LocalTime;
    use domain::time::TimeZone;

    fn resolved(text: &str) -> Option<String> {
        let zone = TimeZone::parse("Europe/Berlin").unwrap();
        let (instant, offset) = LocalTime::parse(text)?.resolve(zone)?;
        Some(domain::time::format::millis(instant.timestamp_millis(), Some(offset)))
    }

    #[test]
    fn an_offset_of_the_time_wins_over_the_zone() {
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
