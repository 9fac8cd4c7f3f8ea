use super::*;
use proptest::prelude::*;

const HOUR: i64 = 60 * MILLIS_PER_MINUTE;

fn day(year: i32, month: u32, day: u32, zone: &str) -> NoonDay {
    NoonDay::new(NaiveDate::from_ymd_opt(year, month, day).unwrap(), TimeZone::parse(zone).unwrap())
}

#[test]
fn a_day_has_23_hours_when_clocks_go_forward_and_25_when_they_go_back() {
    let spring = day(2026, 3, 29, "Europe/Berlin");
    assert_eq!(spring.end_millis() - spring.start_millis(), 23 * HOUR);
    assert_eq!(spring.change(), Some(ClockChange { minute: 14 * 60, forward: 60 }));
    let autumn = day(2026, 10, 25, "Europe/Berlin");
    assert_eq!(autumn.end_millis() - autumn.start_millis(), 25 * HOUR);
    assert_eq!(autumn.change(), Some(ClockChange { minute: 15 * 60, forward: -60 }));
    let usual = day(2026, 3, 28, "Europe/Berlin");
    assert_eq!((usual.end_millis() - usual.start_millis(), usual.change()), (24 * HOUR, None));
}

#[test]
fn a_skipped_minute_has_no_instant_and_a_repeated_one_its_first() {
    let spring: Vec<_> = day(2026, 3, 29, "Europe/Berlin").minutes().map(|(minute, _)| minute).collect();
    assert_eq!(spring.len(), 23 * 60);
    assert!(!spring.contains(&(14 * 60)) && !spring.contains(&(15 * 60 - 1)) && spring.contains(&(15 * 60)));
    let day = day(2026, 10, 25, "Europe/Berlin");
    let autumn: Vec<_> = day.minutes().collect();
    assert_eq!(autumn.len(), 24 * 60);
    assert_eq!(autumn[14 * 60], (14 * 60, day.start_millis() + 14 * HOUR));
    assert_eq!(autumn[15 * 60], (15 * 60, day.start_millis() + 16 * HOUR));
}

#[test]
fn changes_are_found_within_their_night_alone() {
    let berlin = TimeZone::parse("Europe/Berlin").unwrap();
    let spring = day(2026, 3, 29, "Europe/Berlin");
    let at = spring.start_millis() + 14 * HOUR;
    let change = ClockChange { minute: 14 * 60, forward: 60 };
    assert_eq!(NoonDay::changes_between(at - 1, at + 1, berlin), [(change, at)]);
    assert_eq!(NoonDay::changes_between(at, at + HOUR, berlin), []);
    let week = 7 * 24 * HOUR;
    assert_eq!(NoonDay::changes_between(at - week, at + week, berlin).len(), 1);
}

#[test]
fn a_change_by_half_an_hour_is_handled() {
    let day = day(2026, 10, 4, "Australia/Lord_Howe");
    assert_eq!(day.change(), Some(ClockChange { minute: 14 * 60, forward: 30 }));
    assert_eq!(day.minutes().count(), 24 * 60 - 30);
}

#[test]
fn a_date_that_a_zone_skipped_is_handled() {
    assert!(day(2011, 12, 30, "Pacific/Apia").minutes().count() <= 24 * 60);
    assert!(day(2011, 12, 31, "Pacific/Apia").minutes().count() <= 24 * 60);
}

fn zones() -> impl Strategy<Value = TimeZone> {
    const NAMES: [&str; 5] =
        ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"];
    proptest::sample::select(&NAMES[..]).prop_map(|name| TimeZone::parse(name).unwrap())
}

proptest! {
    #[test]
    fn an_instant_lies_within_its_day_and_shows_its_minute(
        seconds in 315_532_800_i64..2_524_608_000, zone in zones(),
    ) {
        let millis = seconds * 1_000;
        let day = NoonDay::containing(millis, zone);
        prop_assert!(day.start_millis() <= millis && millis < day.end_millis());
        let clock = day.clock_millis(millis);
        prop_assert!((0..CLOCK_MINUTES * MILLIS_PER_MINUTE).contains(&clock));
    }

    #[test]
    fn minutes_ascend_and_show_themselves_on_the_clock(days in 3_652_i64..29_219, zone in zones()) {
        let date = NaiveDate::from_ymd_opt(1970, 1, 1).unwrap() + TimeDelta::days(days);
        let day = NoonDay::new(date, zone);
        let minutes: Vec<_> = day.minutes().collect();
        prop_assert!(minutes.is_sorted_by(|one, next| one.0 < next.0 && one.1 < next.1));
        for (minute, instant) in minutes {
            prop_assert_eq!(day.clock_millis(instant), i64::try_from(minute).unwrap() * MILLIS_PER_MINUTE);
        }
    }
}
