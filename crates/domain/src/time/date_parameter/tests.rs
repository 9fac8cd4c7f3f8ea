use super::*;
use proptest::prelude::*;

fn zone(name: &str) -> TimeZone {
    TimeZone::parse(name).expect("a zone")
}

fn utc(text: &str) -> DateTime<Utc> {
    text.parse().expect("an instant")
}

fn bounds(text: &str, zone: TimeZone) -> (DateTime<Utc>, DateTime<Utc>) {
    let date = DateParameter::parse(text).expect(text);
    (date.resolve(zone, Bound::Start), date.resolve(zone, Bound::End))
}

#[test]
fn a_day_is_the_whole_local_day() {
    let new_york = zone("America/New_York");
    assert_eq!(
        bounds("2026-03-08", new_york),
        (utc("2026-03-08T05:00:00Z"), utc("2026-03-09T03:59:59.999999Z"))
    );
    assert_eq!(
        bounds("2026-11-01", new_york),
        (utc("2026-11-01T04:00:00Z"), utc("2026-11-02T04:59:59.999999Z"))
    );
    let havana = zone("America/Havana");
    assert_eq!(bounds("2025-03-09", havana).0, utc("2025-03-09T05:00:00Z"));
}

#[test]
fn every_spelling_of_one_instant_denotes_it() {
    for text in [
        "2026-03-08T23:10:00Z",
        "2026-03-08t23:10:00z",
        "2026-03-08T23:10Z",
        "2026-03-08T23:10:00.0Z",
        "2026-03-08T23:10:00.000000000Z",
        "2026-03-09T01:10:00+02:00",
        "2026-03-09T01:10:00+0200",
        "2026-03-09T01:10:00+02",
        "2026-03-09T01:10+02",
        "2026-03-09T01:10:00 02:00",
        "2026-03-09T01:10:00 0200",
        "2026-03-09T01:10:00.000 02",
        "2026-03-08T18:40:00-04:30",
        "2026-03-08T18:40:00-0430",
        "2026-03-08T23:10:00-00:00",
        "2026-03-08T23:10:00",
        "2026-03-08T23:10",
    ] {
        let instant = utc("2026-03-08T23:10:00Z");
        assert_eq!(bounds(text, TimeZone::UTC), (instant, instant), "{text}");
    }
}

#[test]
fn a_date_time_without_offset_is_in_the_persons_zone() {
    let instant = utc("2026-01-01T22:10:00Z");
    assert_eq!(bounds("2026-01-01T23:10", zone("Europe/Berlin")), (instant, instant));
}

#[test]
fn a_time_that_exists_twice_is_the_first_as_start_and_the_second_as_end() {
    for (name, text, first, second) in [
        ("America/New_York", "2026-11-01T01:30:00", "2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z"),
        ("Europe/Berlin", "2026-10-25T02:30", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"),
        ("Australia/Lord_Howe", "2025-04-06T01:30", "2025-04-05T14:30:00Z", "2025-04-05T15:00:00Z"),
        ("Africa/Casablanca", "2025-02-23T02:00", "2025-02-23T01:00:00Z", "2025-02-23T02:00:00Z"),
    ] {
        assert_eq!(bounds(text, zone(name)), (utc(first), utc(second)), "{name}");
    }
}

#[test]
fn a_skipped_time_has_the_offset_before_the_change() {
    for (name, text, expected) in [
        ("America/New_York", "2026-03-08T02:30:00", "2026-03-08T07:30:00Z"),
        ("Europe/Berlin", "2026-03-29T02:30", "2026-03-29T01:30:00Z"),
        ("Australia/Lord_Howe", "2025-10-05T02:10", "2025-10-04T15:40:00Z"),
        ("Africa/Casablanca", "2025-04-06T02:00", "2025-04-06T02:00:00Z"),
        ("Pacific/Apia", "2011-12-30T00:00", "2011-12-30T10:00:00Z"),
    ] {
        assert_eq!(bounds(text, zone(name)), (utc(expected), utc(expected)), "{name}");
    }
}

#[test]
fn a_finer_fraction_is_rounded_into_the_range() {
    let (start, end) = bounds("2026-03-08T23:10:00.1234561Z", TimeZone::UTC);
    assert_eq!(start, utc("2026-03-08T23:10:00.123457Z"));
    assert_eq!(end, utc("2026-03-08T23:10:00.123456Z"));
    let (start, end) = bounds("2026-03-08T23:59:59.999999999", TimeZone::UTC);
    assert_eq!(start, utc("2026-03-09T00:00:00Z"));
    assert_eq!(end, utc("2026-03-08T23:59:59.999999Z"));
    assert_eq!(bounds("1969-12-31T23:59:59.9999995Z", TimeZone::UTC).1, utc("1969-12-31T23:59:59.999999Z"));
}

#[test]
fn an_invalid_date_is_rejected_with_the_reason() {
    use InvalidDateParameter::{Day, Fraction, Offset, Shape, TimeOfDay};
    for (text, reason) in [
        ("", Shape),
        ("2026-03", Shape),
        ("2026-3-8", Shape),
        ("20260308", Shape),
        ("26-03-0811", Shape),
        ("+2026-03-08", Shape),
        ("-026-03-08", Shape),
        (" 2026-03-08", Shape),
        ("2026-03-08 ", Shape),
        ("2026-03-08Z", Shape),
        ("2026-03-08+02:00", Shape),
        ("2026-03-08 23:10:00", Shape),
        ("2026-03-08_23:10:00", Shape),
        ("２０26-03-08", Shape),
        ("2026-02-29", Day),
        ("2026-13-01", Day),
        ("2026-00-10", Day),
        ("2026-04-31", Day),
        ("0000-01-01", Day),
        ("2026-03-08T", TimeOfDay),
        ("2026-03-08T23", TimeOfDay),
        ("2026-03-08T2310", TimeOfDay),
        ("2026-03-08T23:1", TimeOfDay),
        ("2026-03-08T23:10:", TimeOfDay),
        ("2026-03-08T23:10:0", TimeOfDay),
        ("2026-03-08T24:00", TimeOfDay),
        ("2026-03-08T24:00:00", TimeOfDay),
        ("2026-03-08T23:60", TimeOfDay),
        ("2026-12-31T23:59:60Z", TimeOfDay),
        ("2026-03-08T23:10:00.", Fraction),
        ("2026-03-08T23:10:00.Z", Fraction),
        ("2026-03-08T23:10:00.1234567890Z", Fraction),
        ("2026-03-08T23:10.5", Offset),
        ("2026-03-08T23:10:00,5", Offset),
        ("2026-03-08T23:10:00 ", Offset),
        ("2026-03-08T23:10:00 Z", Offset),
        ("2026-03-08T23:10:00  02:00", Offset),
        ("2026-03-08T23:10:00 -02:00", Offset),
        ("2026-03-08T23:10:00+2", Offset),
        ("2026-03-08T23:10:00+02:00:00", Offset),
        ("2026-03-08T23:10:00+19:00", Offset),
        ("2026-03-08T23:10:00ZZ", Offset),
        ("2026-03-08T23:10:00\0", Offset),
    ] {
        assert_eq!(DateParameter::parse(text), Err(reason), "{text:?}");
    }
}

#[test]
fn the_first_and_the_last_year_resolve_in_every_zone() {
    for tz in chrono_tz::TZ_VARIANTS {
        let zone = zone(tz.name());
        for text in ["0001-01-01", "9999-12-31", "0001-01-01T00:00", "9999-12-31T23:59:59.999999999"] {
            let (start, end) = bounds(text, zone);
            assert!((start - end).num_hours().abs() <= 24, "{tz} {text}");
        }
    }
    assert_eq!(
        bounds("9999-12-31T23:59:59.999999999-18:00", TimeZone::UTC).0.timestamp(),
        utc("9999-12-31T23:59:59Z").timestamp() + 18 * 3600 + 1
    );
    assert_eq!(
        bounds("0001-01-01T00:00+18", TimeZone::UTC).0.timestamp(),
        utc("0001-01-01T00:00:00Z").timestamp() - 18 * 3600
    );
}

proptest! {
    #[test]
    fn whatever_parses_prints_as_itself_and_resolves(
        text in "[0-9]{4}-[01][0-9]-[0-3][0-9]([Tt ][0-2][0-9]:[0-6][0-9](:[0-6][0-9]([.,][0-9]{0,10})?)?([Zz]|[-+ ][012][0-9](:?[0-6][0-9])?)?)?",
        zone in 0..chrono_tz::TZ_VARIANTS.len(),
    ) {
        if let Ok(date) = DateParameter::parse(&text) {
            prop_assert_eq!(DateParameter::parse(&date.to_string()), Ok(date));
            let zone = TimeZone::parse(chrono_tz::TZ_VARIANTS[zone].name()).expect("a zone");
            for bound in [Bound::Start, Bound::End] {
                prop_assert_eq!(date.resolve(zone, bound).timestamp_subsec_nanos() % MICROSECOND, 0);
            }
        }
    }

    #[test]
    fn parse_of_display_is_the_identity(
        seconds in -62_135_596_800_i64..253_402_300_800,
        nanos in prop_oneof![Just(0_u32), 0_u32..1_000_000_000],
        offset in proptest::option::of(-1080_i16..=1080),
    ) {
        let local = DateTime::from_timestamp(seconds, nanos).expect("in range").naive_utc();
        let form = match offset.and_then(UtcOffset::from_minutes) {
            Some(offset) => Form::Offset(local, offset),
            None => Form::Local(local),
        };
        for form in [form, Form::Day(local.date())] {
            let date = DateParameter { form };
            prop_assert_eq!(DateParameter::parse(&date.to_string()), Ok(date));
        }
    }
}
