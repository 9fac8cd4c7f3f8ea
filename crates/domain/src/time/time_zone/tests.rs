use super::*;
use proptest::prelude::*;

fn zone(name: &str) -> TimeZone {
    TimeZone::parse(name).expect("a zone")
}

fn utc(text: &str) -> DateTime<Utc> {
    text.parse().expect("an instant")
}

fn local(text: &str) -> NaiveDateTime {
    text.parse().expect("a local time")
}

fn day(text: &str) -> NaiveDate {
    text.parse().expect("a day")
}

#[test]
fn a_zone_is_known_by_its_exact_name() {
    assert_eq!(zone("Europe/Berlin").name(), "Europe/Berlin");
    assert_eq!(zone("US/Eastern").to_string(), "US/Eastern");
    assert_eq!(TimeZone::parse("UTC"), Ok(TimeZone::UTC));
    for name in ["", "europe/berlin", "Europe/Berlin ", "Mars/Olympus", "+02:00", "Europe", "Europe/Berlin\0"]
    {
        assert_eq!(TimeZone::parse(name), Err(UnknownTimeZone), "{name}");
    }
}

#[test]
fn a_skipped_local_time_has_the_offset_before_the_change() {
    for (name, wall, expected) in [
        ("America/New_York", "2026-03-08T02:30:00", "2026-03-08T07:30:00Z"),
        ("America/New_York", "2026-03-08T02:00:00", "2026-03-08T07:00:00Z"),
        ("Europe/Berlin", "2026-03-29T02:59:59.999999", "2026-03-29T01:59:59.999999Z"),
        ("Australia/Lord_Howe", "2025-10-05T02:15:00", "2025-10-04T15:45:00Z"),
        ("Africa/Casablanca", "2025-04-06T02:30:00", "2025-04-06T02:30:00Z"),
        ("Pacific/Apia", "2011-12-30T12:00:00", "2011-12-30T22:00:00Z"),
        ("America/Sao_Paulo", "2018-11-04T00:30:00", "2018-11-04T03:30:00Z"),
        ("America/Toronto", "1919-03-31T00:00:00", "1919-03-31T05:00:00Z"),
    ] {
        for fold in [Fold::First, Fold::Second] {
            assert_eq!(zone(name).resolve(local(wall), fold), utc(expected), "{name} {wall}");
        }
    }
}

#[test]
fn a_local_time_that_exists_twice_is_the_first_or_the_second() {
    for (name, wall, first, second) in [
        ("America/New_York", "2026-11-01T01:30:00", "2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z"),
        ("Europe/Berlin", "2026-10-25T02:00:00", "2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z"),
        ("Australia/Lord_Howe", "2025-04-06T01:45:00", "2025-04-05T14:45:00Z", "2025-04-05T15:15:00Z"),
        ("Africa/Casablanca", "2025-02-23T02:30:00", "2025-02-23T01:30:00Z", "2025-02-23T02:30:00Z"),
        ("America/Havana", "2025-11-02T00:00:00", "2025-11-02T04:00:00Z", "2025-11-02T05:00:00Z"),
    ] {
        assert_eq!(zone(name).resolve(local(wall), Fold::First), utc(first), "{name} {wall}");
        assert_eq!(zone(name).resolve(local(wall), Fold::Second), utc(second), "{name} {wall}");
    }
}

#[test]
fn the_times_next_to_a_change_exist_once() {
    for (name, wall, expected) in [
        ("America/New_York", "2026-03-08T01:59:59.999999", "2026-03-08T06:59:59.999999Z"),
        ("America/New_York", "2026-03-08T03:00:00", "2026-03-08T07:00:00Z"),
        ("America/New_York", "2026-11-01T00:59:59", "2026-11-01T04:59:59Z"),
        ("America/New_York", "2026-11-01T02:00:00", "2026-11-01T07:00:00Z"),
        ("Pacific/Apia", "2011-12-29T23:59:59", "2011-12-30T09:59:59Z"),
        ("Pacific/Apia", "2011-12-31T00:00:00", "2011-12-30T10:00:00Z"),
    ] {
        for fold in [Fold::First, Fold::Second] {
            assert_eq!(zone(name).resolve(local(wall), fold), utc(expected), "{name} {wall}");
        }
    }
}

#[test]
fn a_day_ends_just_before_the_next_one_begins() {
    for (name, date, first, last) in [
        ("UTC", "2026-03-08", "2026-03-08T00:00:00Z", "2026-03-08T23:59:59.999999Z"),
        ("America/New_York", "2026-03-08", "2026-03-08T05:00:00Z", "2026-03-09T03:59:59.999999Z"),
        ("America/New_York", "2026-11-01", "2026-11-01T04:00:00Z", "2026-11-02T04:59:59.999999Z"),
        ("America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z", "2018-11-05T01:59:59.999999Z"),
        ("America/Sao_Paulo", "2018-02-17", "2018-02-17T02:00:00Z", "2018-02-18T02:59:59.999999Z"),
        ("America/Havana", "2025-03-09", "2025-03-09T05:00:00Z", "2025-03-10T03:59:59.999999Z"),
        ("America/Havana", "2025-11-02", "2025-11-02T04:00:00Z", "2025-11-03T04:59:59.999999Z"),
        ("America/Toronto", "1919-03-30", "1919-03-30T05:00:00Z", "1919-03-31T04:29:59.999999Z"),
        ("America/Toronto", "1919-03-31", "1919-03-31T04:30:00Z", "1919-04-01T03:59:59.999999Z"),
        ("America/St_Johns", "2010-11-06", "2010-11-06T02:30:00Z", "2010-11-07T02:29:59.999999Z"),
        ("Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00Z", "2011-12-30T09:59:59.999999Z"),
        ("Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z", "2011-12-31T09:59:59.999999Z"),
    ] {
        assert_eq!(zone(name).first_instant_of(day(date)), utc(first), "{name} {date}");
        assert_eq!(zone(name).last_instant_of(day(date)), utc(last), "{name} {date}");
    }
}

#[test]
fn a_day_that_does_not_exist_holds_no_instant() {
    let apia = zone("Pacific/Apia");
    assert_eq!(apia.first_instant_of(day("2011-12-30")), utc("2011-12-30T10:00:00Z"));
    assert_eq!(apia.last_instant_of(day("2011-12-30")), utc("2011-12-30T09:59:59.999999Z"));
}

#[test]
fn the_offset_follows_the_clock_change() {
    let lord_howe = zone("Australia/Lord_Howe");
    assert_eq!(lord_howe.offset_at(utc("2025-04-05T14:59:59Z")).minutes(), 660);
    assert_eq!(lord_howe.offset_at(utc("2025-04-05T15:00:00Z")).minutes(), 630);
    assert_eq!(zone("Africa/Casablanca").offset_at(utc("2025-03-01T00:00:00Z")).minutes(), 0);
}

#[test]
fn a_local_mean_time_is_resolved_to_the_second_despite_an_offset_in_minutes() {
    let new_york = zone("America/New_York");
    assert_eq!(new_york.resolve(local("1800-01-01T00:00:00"), Fold::First), utc("1800-01-01T04:56:02Z"));
    assert_eq!(new_york.offset_at(utc("1800-01-01T00:00:00Z")).minutes(), -296);
}

#[test]
fn the_ends_of_chronos_calendar_are_kept_within() {
    for name in ["UTC", "Pacific/Apia", "America/New_York", "Asia/Tokyo"] {
        let zone = zone(name);
        for date in [NaiveDate::MIN, NaiveDate::MAX] {
            assert!(zone.first_instant_of(date) <= zone.last_instant_of(date), "{name} {date}");
        }
        for wall in [NaiveDateTime::MIN, NaiveDateTime::MAX] {
            assert!(zone.resolve(wall, Fold::First) <= zone.resolve(wall, Fold::Second), "{name} {wall}");
        }
        zone.offset_at(DateTime::<Utc>::MIN_UTC);
        zone.offset_at(DateTime::<Utc>::MAX_UTC);
    }
}

#[test]
fn a_leap_second_is_read_as_the_last_nanosecond_before_it() {
    let leap = day("2016-12-31").and_hms_nano_opt(23, 59, 59, 1_500_000_000).expect("a leap second");
    assert_eq!(TimeZone::UTC.resolve(leap, Fold::First), utc("2016-12-31T23:59:59.999999999Z"));
}

fn any_zone() -> impl Strategy<Value = TimeZone> {
    (0..chrono_tz::TZ_VARIANTS.len()).prop_map(|at| TimeZone(chrono_tz::TZ_VARIANTS[at]))
}

#[test]
fn every_current_name_is_a_zone_and_no_alias_is_current() {
    let names: Vec<_> = TimeZone::current_names().collect();
    assert!(names.len() > 400);
    for name in names {
        assert_eq!(TimeZone::parse_current(name).map(TimeZone::name), Ok(name));
    }
    for alias in [
        "US/Eastern",
        "Asia/Calcutta",
        "Europe/Kiev",
        "GMT",
        "Etc/GMT+3",
        "CET",
        "europe/berlin",
        "",
        "Mars/Base",
    ] {
        assert_eq!(TimeZone::parse_current(alias), Err(UnknownTimeZone), "{alias}");
    }
    assert!(TimeZone::parse_current("Asia/Kolkata").is_ok());
}

proptest! {
    #[test]
    fn looking_up_any_name_never_panics(name in any::<String>()) {
        let _ = TimeZone::parse(&name);
    }

    #[test]
    fn parse_of_the_name_is_the_identity(zone in any_zone()) {
        prop_assert_eq!(TimeZone::parse(zone.name()), Ok(zone));
    }

    #[test]
    fn the_local_time_of_an_instant_resolves_to_that_instant(
        zone in any_zone(),
        seconds in -3_000_000_000_i64..5_000_000_000,
    ) {
        let at = instant(seconds, 0);
        let wall = instant(seconds + zone.offset_seconds(seconds), 0).naive_utc();
        let both = [zone.resolve(wall, Fold::First), zone.resolve(wall, Fold::Second)];
        prop_assert!(both.contains(&at), "{zone} {at} {both:?}");
        prop_assert!(both[0] <= both[1]);
    }

    #[test]
    fn consecutive_days_have_no_gap(zone in any_zone(), number in 650_000..770_000) {
        let date = NaiveDate::from_num_days_from_ce_opt(number).expect("a day");
        let first = zone.first_instant_of(date);
        let second = first.timestamp();
        prop_assert_eq!(zone.last_instant_of(date.pred_opt().expect("a day")) + TimeDelta::microseconds(1), first);
        prop_assert!(instant(second + zone.offset_seconds(second), 0).date_naive() >= date);
        prop_assert!(instant(second - 1 + zone.offset_seconds(second - 1), 0).date_naive() < date);
    }
}
