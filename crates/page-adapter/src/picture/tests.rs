use super::{Weeks, dates, dates_and_year, durations, sleep_line, source_name};
use crate::view::picture::TextX;
use chrono::{DateTime, NaiveDate, TimeDelta};
use domain::id::SleepSessionId;
use domain::sleep::trend::{DatedNight, SleepSpan};
use domain::time::{TimeZone, UtcOffset};
use uuid::Uuid;

#[test]
fn long_names_of_sources_are_shortened() {
    assert_eq!(source_name(None), "Unknown source");
    assert_eq!(source_name(Some(&"é".repeat(40))), "é".repeat(40));
    assert_eq!(source_name(Some(&"é".repeat(41))), format!("{}…", "é".repeat(40)));
}

#[test]
fn dates_name_the_month_and_the_year_once_if_they_are_the_same() {
    let date = |text: &str| text.parse::<NaiveDate>().unwrap();
    assert_eq!(dates(date("2026-03-23"), date("2026-03-29")), "23 to 29 March");
    assert_eq!(dates(date("2025-12-29"), date("2026-01-04")), "29 December 2025 to 4 January 2026");
    assert_eq!(dates_and_year(date("2026-03-23"), date("2026-04-05")), "23 March to 5 April 2026");
    assert_eq!(dates_and_year(date("2025-12-08"), date("2026-01-04")), "8 December 2025 to 4 January 2026");
}

#[test]
fn the_median_of_a_week_is_drawn_over_its_nights_alone() {
    let monday: NaiveDate = "2026-03-23".parse().unwrap();
    let night = SleepSpan {
        id: SleepSessionId::from_uuid(Uuid::nil()),
        source: None,
        start_millis: 0,
        end_millis: 8 * 3_600_000,
        offset_at_end: None,
        is_nap: None,
        asleep_millis: None,
    };
    let days = [0, 1, 4, 8];
    let nights = days.map(|day| DatedNight { date: monday + TimeDelta::days(day), span: &night });
    let weeks = Weeks { first: monday, last: monday + TimeDelta::days(13), zone: TimeZone::UTC };
    let medians = durations(&nights, weeks).medians;
    let lines: Vec<_> = medians.iter().map(|median| median.line.as_str()).collect();
    assert_eq!(lines, ["M0 36H40M80 36H100", "M160 36H180"]);
    let middles: Vec<_> = medians.iter().map(|median| median.text_x).collect();
    assert_eq!(middles, [50, 170].map(|x| TextX::above(x, 280)));
}

#[test]
fn a_night_of_another_zone_has_its_own_times_with_their_offset() {
    let millis = |text| DateTime::parse_from_rfc3339(text).unwrap().timestamp_millis();
    let berlin = TimeZone::parse("Europe/Berlin").unwrap();
    let line = |offset_at_end| {
        let span = SleepSpan {
            id: SleepSessionId::from_uuid(Uuid::nil()),
            source: None,
            start_millis: millis("2026-11-10T15:30:00-09:00"),
            end_millis: millis("2026-11-10T23:30:00-09:00"),
            offset_at_end,
            is_nap: None,
            asleep_millis: None,
        };
        let line = sleep_line(&span, berlin);
        (line.day.text, line.time)
    };
    let there = UtcOffset::parse("-09:00").unwrap();
    assert_eq!(line(Some(there)), ("Tuesday 10 November".into(), "15:30 to 23:30 (UTC-09:00)".into()));
    assert_eq!(line(None), ("Wednesday 11 November".into(), "01:30 to 09:30".into()));
}
