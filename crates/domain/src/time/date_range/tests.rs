use super::*;
use chrono::TimeDelta;
use proptest::prelude::*;

fn utc(text: &str) -> DateTime<Utc> {
    text.parse().expect("an instant")
}

fn range(start: &str, end: &str, zone: &str) -> Result<DateRange, StartAfterEnd> {
    let date = |text| Some(DateParameter::parse(text).expect("a date"));
    DateRange::of_parameters(date(start), date(end), TimeZone::parse(zone).expect("a zone"))
}

#[test]
fn both_ends_are_included() {
    let (start, end) = (utc("2026-03-08T00:00:00Z"), utc("2026-03-09T00:00:00Z"));
    let range = DateRange::new(Some(start), Some(end)).expect("in order");
    assert!(range.contains(start) && range.contains(end));
    assert!(!range.contains(start - TimeDelta::microseconds(1)));
    assert!(!range.contains(end + TimeDelta::microseconds(1)));
    assert_eq!((range.start(), range.end()), (Some(start), Some(end)));
}

#[test]
fn an_open_end_has_no_limit() {
    let middle = utc("2026-03-08T00:00:00Z");
    assert!(DateRange::default().contains(DateTime::<Utc>::MIN_UTC));
    assert!(DateRange::new(Some(middle), None).expect("in order").contains(DateTime::<Utc>::MAX_UTC));
    assert!(!DateRange::new(None, Some(middle)).expect("in order").contains(DateTime::<Utc>::MAX_UTC));
}

#[test]
fn a_start_after_the_end_is_rejected() {
    let (start, end) = (utc("2026-03-08T00:00:00.000001Z"), utc("2026-03-08T00:00:00Z"));
    assert_eq!(DateRange::new(Some(start), Some(end)), Err(StartAfterEnd));
    assert!(DateRange::new(Some(end), Some(end)).is_ok());
    assert_eq!(range("2026-03-09", "2026-03-08", "UTC"), Err(StartAfterEnd));
    assert_eq!(range("2026-03-09T00:00", "2026-03-08", "UTC"), Err(StartAfterEnd));
    assert_eq!(range("2026-03-08T10:00:00.2Z", "2026-03-08T10:00:00.1Z", "UTC"), Err(StartAfterEnd));
}

#[test]
fn a_single_day_is_a_range() {
    let day = range("2026-03-08", "2026-03-08", "America/New_York").expect("in order");
    assert!(day.contains(utc("2026-03-08T05:00:00Z")));
    assert!(day.contains(utc("2026-03-09T03:59:59.999999Z")));
    assert!(!day.contains(utc("2026-03-09T04:00:00Z")));
}

#[test]
fn a_local_time_that_exists_twice_is_a_range_of_an_hour() {
    let hour = range("2026-11-01T01:30", "2026-11-01T01:30", "America/New_York").expect("in order");
    assert!(hour.contains(utc("2026-11-01T05:30:00Z")) && hour.contains(utc("2026-11-01T06:30:00Z")));
}

#[test]
fn a_day_that_does_not_exist_is_an_empty_range() {
    let missing = range("2011-12-30", "2011-12-30", "Pacific/Apia").expect("in order");
    for text in ["2011-12-30T09:59:59.999999Z", "2011-12-30T10:00:00Z"] {
        assert!(!missing.contains(utc(text)), "{text}");
    }
    let around = range("2011-12-29", "2011-12-30", "Pacific/Apia").expect("in order");
    assert_eq!(around.end(), Some(utc("2011-12-30T09:59:59.999999Z")));
}

#[test]
fn two_fractions_within_one_microsecond_are_in_order_and_empty() {
    let none =
        range("2026-03-08T10:00:00.0000001Z", "2026-03-08T10:00:00.0000009Z", "UTC").expect("in order");
    assert!(!none.contains(utc("2026-03-08T10:00:00Z")));
    assert!(!none.contains(utc("2026-03-08T10:00:00.000001Z")));
}

proptest! {
    #[test]
    fn a_range_contains_exactly_what_lies_between_its_ends(a in -10_i64..10, b in -10_i64..10, at in -10_i64..10) {
        let instant = |micros| DateTime::from_timestamp_micros(micros).expect("in range");
        match DateRange::new(Some(instant(a)), Some(instant(b))) {
            Ok(range) => prop_assert_eq!(range.contains(instant(at)), (a..=b).contains(&at)),
            Err(StartAfterEnd) => prop_assert!(a > b),
        }
    }
}
