//! Times on pages: in the person's zone, and machine-readable.

use crate::view::Moment;
use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, TimeDelta, Utc};
use domain::sleep::local_date;
use domain::sleep::trend::SleepSpan;
use domain::time::{TimeZone, UtcOffset, format};

/// Formats a time to the minute: `3 November 2026, 07:12`.
pub(crate) fn to_the_minute(at: DateTime<Utc>, zone: TimeZone) -> Moment {
    let local = local(at, zone);
    Moment { text: format!("{}, {}", date(local.date()), local.format("%H:%M")), machine: format::utc(at) }
}

/// Formats a time to the second: `3 November 2026, 07:12:09`.
pub(crate) fn to_the_second(at: DateTime<Utc>, zone: TimeZone) -> Moment {
    let local = local(at, zone);
    Moment { text: format!("{}, {}", date(local.date()), local.format("%H:%M:%S")), machine: format::utc(at) }
}

/// Formats the time of day: `07:12`.
pub(crate) fn time_of_day(at: DateTime<Utc>, zone: TimeZone) -> Moment {
    Moment { text: clock(at.timestamp_millis(), zone), machine: format::utc(at) }
}

/// Formats the date: `3 November 2026`.
pub(crate) fn day(at: DateTime<Utc>, zone: TimeZone) -> Moment {
    let local = local(at, zone);
    Moment { text: date(local.date()), machine: local.date().to_string() }
}

/// Formats a date with its weekday: `Tuesday 31 March 2026`.
pub(crate) fn weekday_and_date(date: NaiveDate) -> Moment {
    Moment { text: format!("{} {}", weekday_and_day(date), date.year()), machine: date.to_string() }
}

/// Formats a date without its year: `Tuesday 31 March`.
pub(crate) fn weekday_and_day(date: NaiveDate) -> String {
    date.format("%A %-d %B").to_string()
}

/// Formats a date for a narrow column: `Tue 31 Mar`.
pub(crate) fn short_day(date: NaiveDate) -> String {
    date.format("%a %-d %b").to_string()
}

/// Returns the name of a date's month.
pub(crate) fn month(date: NaiveDate) -> String {
    date.format("%B").to_string()
}

/// Formats the time of day of an instant in milliseconds since 1970: `22:53`.
pub(crate) fn clock(unix_millis: i64, zone: TimeZone) -> String {
    let at = DateTime::from_timestamp_millis(unix_millis).unwrap_or_default();
    local(at, zone).format("%H:%M").to_string()
}

/// Formats a session in full: `Monday 30 March, 22:53 to Tuesday 31 March, 06:08`. Within one day, the day
/// appears once: `Tuesday 31 March, 14:00 to 14:25`.
pub(crate) fn night(start_millis: i64, end_millis: i64, zone: TimeZone) -> String {
    let [start, end] = [start_millis, end_millis].map(|at| (local_date(at, zone), clock(at, zone)));
    let wake_day = if start.0 == end.0 { String::new() } else { format!("{}, ", weekday_and_day(end.0)) };
    format!("{}, {} to {wake_day}{}", weekday_and_day(start.0), start.1, end.1)
}

/// Formats two times of day: `22:53 to 06:08`. Adds the number of days if more than one midnight lies
/// between them.
pub(crate) fn from_to(start_millis: i64, end_millis: i64, zone: TimeZone) -> String {
    let days = (local_date(end_millis, zone) - local_date(start_millis, zone)).num_days();
    let later = if days > 1 { format!(" ({days} days later)") } else { String::new() };
    format!("{} to {}{later}", clock(start_millis, zone), clock(end_millis, zone))
}

/// Times of a session on its own clock.
pub(crate) struct OwnTimes {
    pub(crate) start_millis: i64,
    pub(crate) end_millis: i64,
    /// Zone whose clock shows the times: the person's, or UTC if `offset` was added to them.
    pub(crate) zone: TimeZone,
    /// Offset of the recording, if it differs from the person's zone when the session ends.
    pub(crate) offset: Option<UtcOffset>,
}

/// Returns the times of a session by the offset of its recording, else by the clock of the person's zone.
pub(crate) fn own_times(span: &SleepSpan, zone: TimeZone) -> OwnTimes {
    let offset = span.own_offset(zone);
    let shift = offset.map_or(0, |offset| i64::from(offset.seconds()) * 1_000);
    OwnTimes {
        start_millis: span.start_millis + shift,
        end_millis: span.end_millis + shift,
        zone: if offset.is_some() { TimeZone::UTC } else { zone },
        offset,
    }
}

/// Formats the times of a session, with the offset of its recording if that is another zone's:
/// `15:30 to 23:30 (UTC-09:00)`.
pub(crate) fn span(span: &SleepSpan, zone: TimeZone) -> String {
    let OwnTimes { start_millis, end_millis, zone, offset } = own_times(span, zone);
    let times = from_to(start_millis, end_millis, zone);
    match offset {
        Some(offset) => format!("{times} (UTC{offset})"),
        None => times,
    }
}

/// Formats a duration to the minute, rounded half up: `7 h 15 min`.
pub(crate) fn duration(millis: i64) -> String {
    let minutes = millis.saturating_add(30_000).div_euclid(60_000);
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

/// Formats a duration to the minute for a narrow picture: `7h 15m`.
pub(crate) fn short_duration(millis: i64) -> String {
    duration(millis).replace(" h", "h").replace(" min", "m")
}

/// Formats milliseconds after noon as a time of day, rounded half up to the minute: `22:53`.
pub(crate) fn after_noon(millis: i64) -> String {
    let minute = (millis.saturating_add(30_000).div_euclid(60_000) + 12 * 60).rem_euclid(24 * 60);
    format!("{:02}:{:02}", minute / 60, minute % 60)
}

/// Formats a local date: `3 November 2026`.
pub(crate) fn date(date: NaiveDate) -> String {
    date.format("%-d %B %Y").to_string()
}

/// Returns the local time.
pub(crate) fn local(at: DateTime<Utc>, zone: TimeZone) -> NaiveDateTime {
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
        assert_eq!(to_the_second(at, berlin).text, "3 November 2026, 00:30:00");
        assert_eq!(day(at, berlin).machine, "2026-11-03");
        assert_eq!(time_of_day(at, berlin).text, "00:30");
    }

    #[test]
    fn durations_and_clock_times_are_rounded_to_the_minute() {
        let texts = [0, 29_999, 30_000, 3_600_000, 26_100_000, 72_000_000].map(duration);
        assert_eq!(texts, ["0 min", "0 min", "1 min", "1 h", "7 h 15 min", "20 h"]);
        let texts = [60_000, 3_600_000, 26_100_000].map(short_duration);
        assert_eq!(texts, ["1m", "1h", "7h 15m"]);
        let hour = 3_600_000;
        let texts = [0, 12 * hour - 30_000, 18 * hour + 29_999, 25 * hour, -hour].map(after_noon);
        assert_eq!(texts, ["12:00", "00:00", "06:00", "13:00", "11:00"]);
    }

    #[test]
    fn a_night_is_a_date_and_two_times_in_the_persons_zone() {
        let millis = |text| DateTime::parse_from_rfc3339(text).unwrap().timestamp_millis();
        let berlin = TimeZone::parse("Europe/Berlin").unwrap();
        let (start, end) = (millis("2026-03-30T20:53:00Z"), millis("2026-03-31T04:08:00Z"));
        assert_eq!(from_to(start, end, berlin), "22:53 to 06:08");
        assert_eq!(from_to(start, end + 172_800_000, berlin), "22:53 to 06:08 (3 days later)");
        assert_eq!(night(start, end, berlin), "Monday 30 March, 22:53 to Tuesday 31 March, 06:08");
        assert_eq!(night(end, end + 600_000, berlin), "Tuesday 31 March, 06:08 to 06:18");
        let date = local_date(end, berlin);
        assert_eq!(weekday_and_day(date), "Tuesday 31 March");
        assert_eq!(weekday_and_date(date).text, "Tuesday 31 March 2026");
        assert_eq!(short_day(date), "Tue 31 Mar");
    }
}
