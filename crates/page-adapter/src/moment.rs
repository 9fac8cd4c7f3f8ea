//! Times on pages: in the person's zone, and machine-readable.

use super::view::Moment;
use chrono::{DateTime, Datelike, NaiveDateTime, TimeDelta, Utc};
use domain::time::{TimeZone, format};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Formats a time to the minute: `3 November 2026, 07:12`.
pub(super) fn to_the_minute(at: DateTime<Utc>, zone: TimeZone) -> Moment {
    let local = local(at, zone);
    Moment { text: format!("{}, {}", date(local), local.format("%H:%M")), machine: format::utc(at) }
}

/// Formats the time of day: `07:12`.
pub(super) fn time_of_day(at: DateTime<Utc>, zone: TimeZone) -> Moment {
    Moment { text: local(at, zone).format("%H:%M").to_string(), machine: format::utc(at) }
}

/// Formats the date: `3 November 2026`.
pub(super) fn day(at: DateTime<Utc>, zone: TimeZone) -> Moment {
    let local = local(at, zone);
    Moment { text: date(local), machine: local.date().to_string() }
}

/// Formats the date with its weekday: `Tuesday, 3 November 2026`.
pub(super) fn named_day(at: DateTime<Utc>, zone: TimeZone) -> Moment {
    let local = local(at, zone);
    Moment { text: format!("{}, {}", local.format("%A"), date(local)), machine: local.date().to_string() }
}

fn date(local: NaiveDateTime) -> String {
    let month = usize::try_from(local.month0()).ok().and_then(|month| MONTHS.get(month));
    format!("{} {} {}", local.day(), month.unwrap_or(&""), local.year())
}

/// Returns the local time.
fn local(at: DateTime<Utc>, zone: TimeZone) -> NaiveDateTime {
    at.naive_utc() + TimeDelta::seconds(i64::from(zone.offset_at(at).seconds()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_in_the_persons_zone() {
        let at = DateTime::parse_from_rfc3339("2026-11-02T23:30:00Z").unwrap().to_utc();
        let berlin = TimeZone::parse("Europe/Berlin").unwrap();
        assert_eq!(to_the_minute(at, berlin).text, "3 November 2026, 00:30");
        assert_eq!(to_the_minute(at, TimeZone::UTC).text, "2 November 2026, 23:30");
        assert_eq!(named_day(at, berlin).text, "Tuesday, 3 November 2026");
        assert_eq!(day(at, berlin).machine, "2026-11-03");
        assert_eq!(time_of_day(at, berlin).text, "00:30");
    }
}
