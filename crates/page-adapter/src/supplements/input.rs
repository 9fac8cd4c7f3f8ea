//! Parsing of the values that people type into the forms.

use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, Utc};
use domain::supplement::Servings;
use domain::time::{Fold, TimeZone};

/// Maximum length of a number.
const MAX_NUMBER: usize = 12;

/// Why a time is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InvalidTime {
    /// The date is not one.
    Date,
    /// The time of day is not one.
    Time,
    /// Clocks were set forward over this time.
    Skipped,
    /// Clocks were set back, so that the time occurred twice, at these instants.
    Repeated(DateTime<Utc>, DateTime<Utc>),
}

/// Parses a number of plain digits with a point or a comma, such as `0.5` or `0,5`.
pub(super) fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','));
    if text.is_empty() || text.len() > MAX_NUMBER || !is_plain {
        return None;
    }
    text.replace(',', ".").parse().ok()
}

/// Parses servings: more than 0, at most 10,000.
pub(super) fn servings(text: &str) -> Option<Servings> {
    number(text).and_then(|number| Servings::new(number).ok())
}

/// Parses a date as browsers send it: `2026-11-23`, in the years 1900 to 2200.
pub(super) fn date(text: &str) -> Option<NaiveDate> {
    let text = text.trim();
    let date = if text.len() == 10 { NaiveDate::parse_from_str(text, "%Y-%m-%d").ok() } else { None };
    date.filter(|date| (1900..=2200).contains(&date.year()) && date.to_string() == text)
}

/// Parses the time of day: `07:05`, with or without seconds.
fn time(text: &str) -> Option<NaiveTime> {
    let text = text.trim();
    match text.len() {
        5 => NaiveTime::parse_from_str(text, "%H:%M").ok(),
        8 => NaiveTime::parse_from_str(text, "%H:%M:%S").ok(),
        _ => None,
    }
}

/// Converts a local time to an instant. `fold` decides about a time that occurred twice.
pub(super) fn instant(
    zone: TimeZone,
    day: &str,
    clock: &str,
    fold: Option<Fold>,
) -> Result<DateTime<Utc>, InvalidTime> {
    let day = date(day).ok_or(InvalidTime::Date)?;
    let local = day.and_time(time(clock).ok_or(InvalidTime::Time)?);
    match (zone.instants_at(local), fold) {
        (None, _) => Err(InvalidTime::Skipped),
        (Some((first, second)), None) if first != second => Err(InvalidTime::Repeated(first, second)),
        (Some((_, second)), Some(Fold::Second)) => Ok(second),
        (Some((first, _)), _) => Ok(first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn berlin() -> TimeZone {
        TimeZone::parse("Europe/Berlin").unwrap()
    }

    #[test]
    fn servings_are_plain_numbers_above_zero() {
        for (text, expected) in [("1", 1.0), ("0.5", 0.5), (" 0,25 ", 0.25), ("10000", 10_000.0), (".5", 0.5)]
        {
            assert_eq!(servings(text).map(Servings::get), Some(expected), "{text}");
        }
        let refused = [
            "",
            " ",
            "0",
            "0.0",
            "-1",
            "NaN",
            "inf",
            "infinity",
            "1e3",
            "10001",
            "1.2.3",
            "1,2,3",
            ".",
            "1 2",
            "\u{661}",
            "0x1",
            "+1",
            "1000000000000",
            "99999999999999999999",
        ];
        for text in refused {
            assert_eq!(servings(text), None, "{text}");
        }
    }

    #[test]
    fn a_date_that_does_not_exist_is_refused() {
        assert!(date("2024-02-29").is_some());
        for text in [
            "",
            "2026-02-29",
            "2026-13-01",
            "2026-1-1",
            "1899-12-31",
            "2201-01-01",
            "23.11.2026",
            "2026-11-23T",
            "+002026-11",
        ] {
            assert_eq!(date(text), None, "{text}");
        }
    }

    #[test]
    fn a_time_is_in_the_zone_of_the_person() {
        let at = instant(berlin(), "2026-11-23", "07:30", None).unwrap();
        assert_eq!(at.to_rfc3339(), "2026-11-23T06:30:00+00:00");
        for clock in ["", "7:30", "24:00", "07:60", "morning", "07:30:99"] {
            assert_eq!(instant(berlin(), "2026-11-23", clock, None), Err(InvalidTime::Time), "{clock}");
        }
        assert_eq!(instant(berlin(), "2026-11-31", "07:30", None), Err(InvalidTime::Date));
    }

    #[test]
    fn a_time_that_clocks_skip_is_refused_and_one_that_occurs_twice_needs_a_choice() {
        assert_eq!(instant(berlin(), "2026-03-29", "02:30", None), Err(InvalidTime::Skipped));
        assert_eq!(instant(berlin(), "2026-03-29", "02:30", Some(Fold::First)), Err(InvalidTime::Skipped));
        let Err(InvalidTime::Repeated(first, second)) = instant(berlin(), "2026-10-25", "02:30", None) else {
            panic!("a time that occurs once");
        };
        assert_eq!(instant(berlin(), "2026-10-25", "02:30", Some(Fold::First)), Ok(first));
        assert_eq!(instant(berlin(), "2026-10-25", "02:30", Some(Fold::Second)), Ok(second));
        assert_eq!((second - first).num_minutes(), 60);
    }
}
