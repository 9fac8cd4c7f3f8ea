use super::{InvalidTimeInBed, TimeInBed};
use crate::time::UtcOffset;
use chrono::{DateTime, Duration, Utc};

fn at(millis: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(millis).unwrap()
}

fn between(start: DateTime<Utc>, end: DateTime<Utc>) -> Result<TimeInBed, InvalidTimeInBed> {
    TimeInBed::new(start, end, None, None)
}

#[test]
fn instants_are_cut_to_milliseconds() {
    let frame = between(at(1_000) + Duration::microseconds(999), at(2_000) + Duration::nanoseconds(7));
    let frame = frame.unwrap();
    assert_eq!((frame.start(), frame.end(), frame.millis()), (at(1_000), at(2_000), 1_000));
}

#[test]
fn an_end_that_is_not_after_the_start_is_rejected() {
    assert_eq!(between(at(5), at(5)), Err(InvalidTimeInBed::NotAfterStart));
    assert_eq!(between(at(5), at(4)), Err(InvalidTimeInBed::NotAfterStart));
    let same_millisecond = between(at(5), at(5) + Duration::microseconds(900));
    assert_eq!(same_millisecond, Err(InvalidTimeInBed::NotAfterStart));
}

#[test]
fn seven_days_are_the_longest_time_in_bed() {
    assert!(between(at(0), at(TimeInBed::MAX_MILLIS)).is_ok());
    assert_eq!(between(at(0), at(TimeInBed::MAX_MILLIS + 1)), Err(InvalidTimeInBed::TooLong));
}

#[test]
fn years_before_1970_and_after_9999_are_refused_in_utc_and_in_local_time() {
    let last = "9999-12-31T23:59:59.999Z".parse::<DateTime<Utc>>().unwrap();
    let hour_before = last - Duration::hours(1);
    assert!(between(hour_before, last).is_ok());
    assert_eq!(between(last, last + Duration::milliseconds(1)), Err(InvalidTimeInBed::YearOutOfRange));
    assert_eq!(between(at(-1), at(5)), Err(InvalidTimeInBed::YearOutOfRange));
    let ahead = UtcOffset::from_seconds(3_600);
    for (first, second) in [(ahead, None), (None, ahead)] {
        let frame = TimeInBed::new(hour_before, last, first, second);
        assert_eq!(frame, Err(InvalidTimeInBed::YearOutOfRange));
    }
    assert!(TimeInBed::new(hour_before, last, UtcOffset::from_seconds(-3_600), None).is_ok());
}

#[test]
fn touching_is_not_overlapping() {
    let first = between(at(0), at(100)).unwrap();
    let touching = between(at(100), at(200)).unwrap();
    let overlapping = between(at(99), at(200)).unwrap();
    assert!(!first.overlaps(&touching) && !touching.overlaps(&first));
    assert!(first.overlaps(&overlapping) && overlapping.overlaps(&first));
    assert!(first.overlaps(&first));
}

#[test]
fn the_same_minute_is_the_minute_of_the_clock() {
    let minute = 60_000;
    let plain = between(at(10 * minute), at(70 * minute)).unwrap();
    let later_in_it = between(at(10 * minute + 59_999), at(70 * minute + 30_000)).unwrap();
    let next = between(at(11 * minute), at(70 * minute)).unwrap();
    assert!(plain.same_to_the_minute(&later_in_it));
    assert!(!plain.same_to_the_minute(&next));
}

#[test]
fn a_night_that_ends_more_than_a_day_ahead_is_in_the_future() {
    let (end, day) = (1_800_000_000_000, Duration::days(1));
    let frame = between(at(end) - day * 2, at(end)).unwrap();
    assert!(!frame.is_in_the_future(at(end)));
    assert!(!frame.is_in_the_future(at(end) - day));
    assert!(frame.is_in_the_future(at(end) - day - Duration::milliseconds(1)));
}
