use super::view::TextX;
use super::{Weeks, dates, dates_and_year, durations, raster, sleep_line, source_name};
use chrono::{DateTime, NaiveDate, TimeDelta};
use domain::id::SleepSessionId;
use domain::sleep::trend::{self, DatedNight, SleepSpan};
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

fn span(start: &str, end: &str, offset_at_end: Option<&str>) -> SleepSpan {
    let millis = |text| DateTime::parse_from_rfc3339(text).unwrap().timestamp_millis();
    SleepSpan {
        id: SleepSessionId::from_uuid(Uuid::nil()),
        source: None,
        start_millis: millis(start),
        end_millis: millis(end),
        offset_at_end: offset_at_end.map(|text| UtcOffset::parse(text).unwrap()),
        is_nap: None,
        asleep_millis: None,
    }
}

fn berlin() -> TimeZone {
    TimeZone::parse("Europe/Berlin").unwrap()
}

#[test]
fn a_night_of_another_zone_has_its_own_times_with_their_offset() {
    let line = |offset| {
        let span = span("2026-11-10T15:30:00-09:00", "2026-11-10T23:30:00-09:00", offset);
        let line = sleep_line(&span, berlin());
        (line.day.text, line.time)
    };
    let there = line(Some("-09:00"));
    assert_eq!(there, ("Tuesday 10 November".into(), "15:30 to 23:30 (UTC-09:00)".into()));
    assert_eq!(line(None), ("Wednesday 11 November".into(), "01:30 to 09:30".into()));
}

#[test]
fn a_night_of_another_zone_is_drawn_on_its_day_by_its_own_clock() {
    let (first, last) = ("2026-11-09".parse().unwrap(), "2026-11-11".parse().unwrap());
    let bars = |offset| {
        let span = span("2026-11-09T23:00:00-09:00", "2026-11-10T07:00:00-09:00", offset);
        let drawn = raster(&trend::days(&[span], berlin()), Weeks { first, last, zone: berlin() });
        let row = |y| drawn.rows[usize::try_from(y / 18).unwrap()].name.clone();
        drawn.bars.iter().map(|bar| (row(bar.y), bar.x, bar.width)).collect::<Vec<_>>()
    };
    let bar = |row: &str, x, width| (row.to_owned(), x, width);
    assert_eq!(bars(Some("-09:00")), [bar("Tue 10 Nov", 11 * 60, 8 * 60)]);
    // By the clocks of Berlin it is from 09:00 to 17:00, across noon.
    let split = [bar("Tue 10 Nov", 21 * 60, 3 * 60), bar("Wed 11 Nov", 0, 5 * 60)];
    assert_eq!(bars(None), split);
    assert_eq!(bars(Some("+01:00")), split);
}

#[test]
fn a_night_of_another_zone_has_no_clock_change_of_the_persons_zone() {
    let change = |offset| {
        let span = span("2026-03-28T22:00:00Z", "2026-03-29T06:00:00Z", offset);
        sleep_line(&span, berlin()).change
    };
    assert_eq!(change(None), Some("clocks went forward"));
    assert_eq!(change(Some("-09:00")), None);
}
