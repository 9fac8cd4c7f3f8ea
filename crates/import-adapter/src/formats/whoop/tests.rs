mod responses;

use crate::Format;
use crate::testing::{accepted_session, frame, metric, notes, only_session, read, rejections, sessions};
use application::ports::import_source::ImportRefusal;
use domain::sleep::{MetricKind, SleepRecord};
use proptest::prelude::{any, prop_assert_eq, proptest};

const HEADER: &str = "Cycle start time,Cycle end time,Cycle timezone,Sleep onset,Wake onset,\
    Sleep performance %,Asleep duration (min),In bed duration (min),Light sleep duration (min),\
    Deep (SWS) duration (min),REM duration (min),Awake duration (min),Nap";

fn table(rows: &[&str]) -> String {
    format!("{HEADER}\n{}\n", rows.join("\n"))
}

fn whoop(rows: &[&str]) -> Vec<application::ports::import_source::ImportItem> {
    read(table(rows).as_bytes(), None, "America/New_York").unwrap()
}

fn only(row: &str) -> SleepRecord {
    only_session(&whoop(&[row]))
}

fn rejection(row: &str) -> String {
    let items = whoop(&[row]);
    assert!(sessions(&items).is_empty());
    rejections(&items).concat()
}

#[test]
fn a_night_has_the_offset_of_its_row_and_the_totals_of_its_columns() {
    let record = only(
        "2026-05-01 23:00:30,,UTC+05:30,2026-05-01 23:00:30,2026-05-02 07:00:30,80,430,480,220,100,110,50,false",
    );
    assert_eq!(frame(&record), "2026-05-01T23:00:30+05:30 2026-05-02T07:00:30+05:30");
    assert_eq!((record.source().unwrap().as_str(), record.is_nap()), ("whoop", Some(false)));
    assert_eq!(record.key().to_stored(), "derived:2026-05-01T17:30:30.000Z");
    assert!(record.hypnogram().is_empty());
    for (kind, minutes) in [
        (MetricKind::TimeNightInBed, 480.0),
        (MetricKind::TimeNightAsleep, 430.0),
        (MetricKind::TimeNightAwake, 50.0),
        (MetricKind::TimeNightLight, 220.0),
        (MetricKind::TimeNightDeep, 100.0),
        (MetricKind::TimeNightRem, 110.0),
    ] {
        assert_eq!(metric(&record, kind), Some(minutes * 60.0), "{kind:?}");
    }
}

#[test]
fn one_offset_applies_to_the_row_even_if_clocks_change() {
    let record = only("x,,UTC-05:00,2026-03-07 23:00:00,2026-03-08 07:00:00,,,,,,,,false");
    assert_eq!(frame(&record), "2026-03-07T23:00:00-05:00 2026-03-08T07:00:00-05:00");
    let record = only("x,,UTC,2026-03-07 23:00,2026-03-08 07:00:00.500,,,,,,,,False");
    assert_eq!(frame(&record), "2026-03-07T23:00:00+00:00 2026-03-08T07:00:00.500+00:00");
}

#[test]
fn a_row_that_names_no_zone_is_read_in_the_one_that_was_given() {
    let record = only("x,,,2026-03-07 23:00:00,2026-03-08 07:00:00,,,,,,,,true");
    assert_eq!(frame(&record), "2026-03-07T23:00:00-05:00 2026-03-08T07:00:00-04:00");
    assert_eq!(record.is_nap(), Some(true));
}

#[test]
fn a_night_that_was_not_scored_has_its_time_in_bed_alone() {
    for sums in [",,,,,,", "0,0,480,0,0,0,0"] {
        let row = format!("x,,UTC+01:00,2026-01-10 23:00:00,2026-01-11 07:00:00,{sums},");
        let record = accepted_session(&whoop(&[&row]));
        assert_eq!(metric(&record, MetricKind::TimeNightInBed), Some(28_800.0));
        assert_eq!(metric(&record, MetricKind::TimeNightAsleep), None);
        assert_eq!(record.is_nap(), None);
    }
}

#[test]
fn impossible_totals_are_left_out_and_noted() {
    let items = whoop(&["x,,UTC,2026-01-10 23:00:00,2026-01-11 07:00:00,,many,,-1,,,,false"]);
    assert_eq!(notes(&items), ["line 2: totals that are negative or not numbers were left out: 2"]);
    let items = whoop(&["x,,UTC,2026-01-10 23:00:00,2026-01-11 07:00:00,,900,,,,,,false"]);
    assert_eq!(notes(&items), ["line 2: the totals contradict the time in bed and were dropped"]);
    assert_eq!(sessions(&items).len(), 1);
}

#[test]
fn an_invalid_row_is_rejected() {
    for (row, reason) in [
        ("x,,UTC,,,,,,,,,,false", "Sleep onset is missing"),
        ("x,,UTC,2026-01-10 23:00:00,,,,,,,,,false", "Wake onset is missing"),
        ("x,,UTC,10/01/2026 23:00,2026-01-11 07:00:00,,,,,,,,", "Sleep onset is not a date and time"),
        (
            "x,,UTC,2026-01-10 23:00:00,2026-01-10 23:00:00,,,,,,,,",
            "time in bed: the end is not after the start",
        ),
        (
            "x,,PST,2026-01-10 23:00:00,2026-01-11 07:00:00,,,,,,,,",
            "Cycle timezone is not an offset such as UTC-04:00",
        ),
        ("x,,UTC,2026-01-10 23:00:00,2026-01-11 07:00:00,,,,,,,,maybe", "Nap is neither true nor false"),
        ("x,,UTC", "the number of fields differs from the header"),
    ] {
        assert_eq!(rejection(row), format!("line 2: {reason}"));
    }
}

#[test]
fn a_table_truncated_in_a_row_is_rejected() {
    let text = format!("{HEADER}\nx,,UTC,2026-01-10 23:00:00");
    let refused = read(text.as_bytes(), Format::Whoop, "UTC").unwrap_err();
    assert!(matches!(refused, ImportRefusal::Damaged { .. }), "{refused}");
}

#[test]
fn the_table_of_cycles_is_another() {
    let cycles = "Cycle start time,Cycle end time,Cycle timezone,Recovery score %,Sleep onset,Wake onset\n";
    let message = "this is WHOOP's table of cycles (physiological_cycles.csv), which contains no sleep \
        sessions; import sleeps.csv from the same export";
    for format in [None, Some(Format::Whoop), Some(Format::Fitbit)] {
        let refused = read(cycles.as_bytes(), format, "UTC").unwrap_err();
        assert_eq!(refused, ImportRefusal::HoldsNoSleep(message.to_owned()));
    }
    assert_eq!(read(table(&[]).as_bytes(), None, "UTC"), Ok(vec![]));
}

/// The header of a made-up language, in which the columns have the same order and units.
const TRANSLATED: &str = "Cyklusstart,Cyklusslut,Cyklustidszon,Insomning,Uppvaknande,Betyg (%),Andning (rpm),\
    Sömn (min),I säng (min),Lätt (min),Djup (SWS) (min),REM (min),Vaken (min),Behov (min),Skuld (min),\
    Effektivitet %,Regelbundenhet %,Tupplur";
const ROW: &str = "2026-05-01 23:00:00,,UTC+02:00,2026-05-01 23:10:00,2026-05-02 07:00:00,80,14.2,430,470,220,\
    100,110,40,480,30,91,61,false";

#[test]
fn a_header_in_another_language_is_read_by_the_order_of_its_columns() {
    let items = read(format!("{TRANSLATED}\n{ROW}\n").as_bytes(), None, "UTC").unwrap();
    assert_eq!(
        notes(&items),
        ["line 1: the column names are not English; the columns were read by their order"]
    );
    let [record] = <[SleepRecord; 1]>::try_from(sessions(&items)).unwrap();
    assert_eq!(frame(&record), "2026-05-01T23:10:00+02:00 2026-05-02T07:00:00+02:00");
    for (kind, minutes) in [
        (MetricKind::TimeNightAsleep, 430.0),
        (MetricKind::TimeNightAwake, 40.0),
        (MetricKind::TimeNightLight, 220.0),
        (MetricKind::TimeNightDeep, 100.0),
        (MetricKind::TimeNightRem, 110.0),
    ] {
        assert_eq!(metric(&record, kind), Some(minutes * 60.0), "{kind:?}");
    }
    assert_eq!(record.is_nap(), Some(false));
}

#[test]
fn a_header_with_other_columns_is_not_mistaken_for_a_translation() {
    for (part, other) in [
        (",Tupplur", ""),
        ("Tupplur", "Tupplur,Mer"),
        ("Vaken (min)", "Vaken (h)"),
        ("Vaken (min)", "Vaken"),
        ("Effektivitet %", "Effektivitet"),
        ("Insomning", "Insomning (min)"),
        ("Betyg (%)", "Betyg (min)"),
    ] {
        let text = format!("{}\n{ROW}\n", TRANSLATED.replacen(part, other, 1));
        let refused = read(text.as_bytes(), None, "UTC").unwrap_err();
        assert!(matches!(refused, ImportRefusal::NotThisFormat(_)), "{other}: {refused}");
    }
}

#[test]
fn a_table_with_returns_or_a_header_in_capitals_is_read() {
    let row = "x,,UTC,2026-01-10 23:00:00,2026-01-11 07:00:00,,430,,,,,,true";
    for text in [format!("{HEADER}\r{row}\r"), format!("{}\n{row}\n", HEADER.to_uppercase())] {
        let record = only_session(&read(text.as_bytes(), None, "UTC").unwrap());
        assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(25_800.0), "{text}");
        assert_eq!(record.is_nap(), Some(true));
    }
}

#[test]
fn a_row_that_ends_in_a_lone_return_hides_no_other() {
    let row = |day: u8| format!("x,,UTC,2026-01-{day} 23:00:00,2026-01-{} 07:00:00,,430,,,,,,true", day + 1);
    let text = format!("{HEADER}\n{}\r{}\n{}\n", row(10), row(11), row(12));
    assert_eq!(sessions(&read(text.as_bytes(), None, "UTC").unwrap()).len(), 3);
}

#[test]
fn a_row_may_name_its_offset_in_other_ways() {
    for (zone, expected) in
        [("GMT+03:00", "+03:00"), ("GMT-3", "-03:00"), ("Z", "+00:00"), ("null", "-05:00")]
    {
        let items = whoop(&[&format!("x,,{zone},2026-01-10 23:00:00,2026-01-11 07:00:00,,,,,,,,false")]);
        let expected = format!("2026-01-10T23:00:00{expected} 2026-01-11T07:00:00{expected}");
        assert_eq!(frame(&only_session(&items)), expected, "{zone}");
    }
}

proptest! {
    #[test]
    fn any_night_reads_back_as_it_was_written(
        start in 1_500_000_000_i64..1_900_000_000,
        minutes in 1_u32..1440,
        quarters in -48_i32..=56,
        asleep in 0.0..1.0_f64,
        nap in any::<bool>(),
    ) {
        let offset = chrono::FixedOffset::east_opt(quarters * 900).unwrap();
        let at = |second| chrono::DateTime::from_timestamp(second, 0).unwrap().with_timezone(&offset);
        let (from, to) = (at(start), at(start + i64::from(minutes) * 60));
        let asleep = (asleep * f64::from(minutes)).floor();
        let clock = "%Y-%m-%d %H:%M:%S";
        let (from, zone, to) = (from.format(clock), from.format("%:z"), to.format(clock));
        let record = only(&format!("x,,UTC{zone},{from},{to},,{asleep},{minutes},,,,{},{nap}", f64::from(minutes) - asleep));
        prop_assert_eq!(record.time_in_bed().start_millis(), start * 1000);
        prop_assert_eq!(record.time_in_bed().millis(), i64::from(minutes) * 60_000);
        prop_assert_eq!(record.time_in_bed().offset_at_start().unwrap().seconds(), quarters * 900);
        prop_assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(asleep * 60.0));
        prop_assert_eq!(record.is_nap(), Some(nap));
    }
}
