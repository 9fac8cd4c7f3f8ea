use crate::Format;
use crate::testing::{
    accepted_session, frame, items, metric, notes, only_session, read, rejections, sessions,
};
use application::ports::import_source::{ImportItem, ImportRefusal};
use domain::sleep::{MetricKind, SleepRecord};

const HEADER: &str = "Start;End;Sleep Quality;Regularity;Awake (seconds);Dream (seconds);Light (seconds);\
    Deep (seconds);Mood;Heart rate (bpm);Steps;Alarm mode;Air Pressure (Pa);City;Movements per hour;\
    Time in bed (seconds);Time asleep (seconds);Time before sleep (seconds);Window start;Window stop;\
    Snore time (seconds);Weather temperature (°F);Weather type;Notes;Body temperature deviation (degrees Celsius)";
const NIGHT: &str = "2026-03-10 23:00:00;2026-03-11 07:00:00;81%;—;1800.0;5400.0;14400.0;7200.0;Not set;0;0;\
    Normal;;;42.5;28800.0;27000.0;600.0;2026-03-11 06:30:00;2026-03-11 07:00:00;0.0;;No weather;;0.0";
const PHONE_HEADER: &str = "Went to bed;Woke up;Sleep Quality;Time in bed (seconds);Time asleep (seconds);\
    Asleep after (seconds);Regularity;Did snore;Snore time (seconds);Steps;City;Movements per hour;Notes;Mood";

fn table(header: &str, rows: &[&str]) -> Vec<ImportItem> {
    items(&format!("{header}\n{}\n", rows.join("\n")), None, "Europe/Berlin")
}

fn seconds(record: &SleepRecord) -> [Option<f64>; 6] {
    [
        MetricKind::TimeNightAsleep,
        MetricKind::TimeNightAwake,
        MetricKind::TimeNightLight,
        MetricKind::TimeNightDeep,
        MetricKind::TimeNightRem,
        MetricKind::SleepLatency,
    ]
    .map(|kind| metric(record, kind))
}

/// Returns a row with these times and this time in bed in seconds.
fn night(start: &str, end: &str, in_bed: &str) -> String {
    let latency = if in_bed.is_empty() { "" } else { "0" };
    format!("{start};{end};81%;{in_bed};{in_bed};{latency};—;false;0;0;;3.0;;")
}

#[test]
fn a_night_has_the_offsets_of_the_zone_and_the_totals_of_its_columns() {
    let record = only_session(&table(HEADER, &[NIGHT]));
    assert_eq!(frame(&record), "2026-03-10T23:00:00+01:00 2026-03-11T07:00:00+01:00");
    assert_eq!(seconds(&record), [27_000.0, 1800.0, 14_400.0, 7200.0, 5400.0, 600.0].map(Some));
    assert_eq!((record.source().unwrap().as_str(), record.is_nap()), ("sleep cycle", None));
    assert_eq!(record.key().to_stored(), "derived:2026-03-10T22:00:00.000Z");
    assert!(record.hypnogram().is_empty());
}

#[test]
fn the_table_of_the_other_phone_has_no_stages() {
    let row = "2026-08-24 23:10:00;2026-08-25 07:50:00;93%;31200;26000;3700;77%;false;0;0;;3.09;;Good";
    let record = only_session(&table(&format!("\u{feff}{PHONE_HEADER}"), &[row]));
    assert_eq!(frame(&record), "2026-08-24T23:10:00+02:00 2026-08-25T07:50:00+02:00");
    assert_eq!(seconds(&record), [Some(26_000.0), None, None, None, None, Some(3700.0)]);
    let text = format!("{PHONE_HEADER}\n{row}\n").replace(';', ",");
    assert_eq!(only_session(&items(&text, None, "Europe/Berlin")), record);
}

#[test]
fn the_oldest_table_has_only_the_time_in_bed() {
    let header = "Start;End;Sleep quality;Time in bed;Wake up;Sleep Notes;Heart rate;Activity (steps)";
    let rows = [
        "2013-09-30 01:11:10;2013-09-30 08:02:05;75%;6:50;:|;;61;0",
        "",
        "2013-09-30 13:00:00;2013-09-30 13:30:59;9%;0:30;;a:b;0;0",
    ];
    let items = table(header, &rows);
    assert_eq!((notes(&items).len(), rejections(&items).len()), (0, 0));
    let [night, nap] = <[SleepRecord; 2]>::try_from(sessions(&items)).unwrap();
    assert_eq!(frame(&night), "2013-09-30T01:11:10+02:00 2013-09-30T08:02:05+02:00");
    assert_eq!((seconds(&night), seconds(&nap)), ([None; 6], [None; 6]));
    assert_eq!(metric(&nap, MetricKind::TimeNightInBed), Some(1859.0));
    let items = table(header, &[&rows[0].replace("6:50", "long")]);
    assert_eq!(notes(&items), ["line 2: Time in bed is not a length such as 6:50"]);
    assert_eq!(sessions(&items), [night]);
}

#[test]
fn a_unit_may_follow_its_column_without_a_blank() {
    let header = "Start;End;Sleep Quality;Time in bed(seconds);Notes";
    let row = "2021-10-31 00:30:00;2021-10-31 02:30:00;67%;10800.2;Slept late";
    // The second 02:30 is three hours after the start.
    let record = only_session(&table(header, &[row]));
    assert_eq!(frame(&record), "2021-10-31T00:30:00+02:00 2021-10-31T02:30:00+01:00");
}

#[test]
fn the_time_in_bed_decides_where_a_time_occurs_twice() {
    for (start, end, in_bed, expected) in [
        ("2026-10-25 02:30:00", "2026-10-25 07:00:00", "16200", "02:30:00+01:00 2026-10-25T07:00:00+01:00"),
        ("2026-10-25 02:30:00", "2026-10-25 07:00:00", "19800", "02:30:00+02:00 2026-10-25T07:00:00+01:00"),
        ("2026-10-25 00:30:00", "2026-10-25 02:15:00", "6300", "00:30:00+02:00 2026-10-25T02:15:00+02:00"),
        ("2026-10-25 02:45:00", "2026-10-25 02:15:00", "", "02:45:00+02:00 2026-10-25T02:15:00+01:00"),
    ] {
        let record = only_session(&table(PHONE_HEADER, &[&night(start, end, in_bed)]));
        assert_eq!(frame(&record), format!("2026-10-25T{expected}"));
    }
}

#[test]
fn a_night_with_a_clock_change_is_as_long_as_its_time_in_bed() {
    let row = night("2026-03-28 23:30:00", "2026-03-29 07:30:00", "25200");
    let record = only_session(&table(PHONE_HEADER, &[&row]));
    assert_eq!(frame(&record), "2026-03-28T23:30:00+01:00 2026-03-29T07:30:00+02:00");
    let row = night("2026-03-29 02:30:00", "2026-03-29 07:30:00", "14400");
    let items = table(PHONE_HEADER, &[&row]);
    assert!(matches!(&notes(&items)[..], [note] if note.contains("skipped")), "{:?}", notes(&items));
    assert_eq!(frame(&accepted_session(&items)), "2026-03-29T03:30:00+02:00 2026-03-29T07:30:00+02:00");
}

#[test]
fn a_time_in_bed_that_differs_from_start_and_end_is_noted() {
    let row = night("2026-03-10 23:00:00", "2026-03-11 07:00:00", "25200");
    let items = table(PHONE_HEADER, &[&row]);
    assert_eq!(
        notes(&items),
        ["line 2: the time in bed is not the time from start to end; the offsets of the time zone were used"]
    );
    assert_eq!(frame(&accepted_session(&items)), "2026-03-10T23:00:00+01:00 2026-03-11T07:00:00+01:00");
}

#[test]
fn zero_means_unknown() {
    let row =
        NIGHT.replace("1800.0;5400.0;14400.0;7200.0", "0.0;0.0;0.0;0.0").replace("27000.0;600.0", "0.0;0.0");
    let items = table(HEADER, &[&row]);
    assert_eq!(seconds(&accepted_session(&items)), [None; 6]);
    assert!(matches!(&notes(&items)[..], [note] if note.contains("all totals are 0")));
    let torn = "2026-08-23 22:58:00;2026-08-23 23:43:00;8%;2700;0;2700;58%;false;0;0;;1.0;;";
    let items = table(PHONE_HEADER, &[torn]);
    assert_eq!(seconds(&accepted_session(&items)), [None; 6]);
    assert!(matches!(&notes(&items)[..], [note] if note.contains("the time asleep is 0")));
}

#[test]
fn totals_may_have_commas_or_dashes_and_impossible_ones_are_noted() {
    let row = NIGHT.replace("1800.0", "—").replace("600.0;", "600,0;");
    assert_eq!(
        seconds(&only_session(&table(HEADER, &[&row]))),
        [Some(27_000.0), None, Some(14_400.0), Some(7200.0), Some(5400.0), Some(600.0)]
    );
    let items = table(HEADER, &[&NIGHT.replace("1800.0", "many")]);
    assert_eq!(notes(&items), ["line 2: totals that are negative or not numbers were left out: 1"]);
    let items = table(HEADER, &[&NIGHT.replace("14400.0", "44400.0")]);
    assert_eq!(notes(&items), ["line 2: the totals contradict the time in bed and were dropped"]);
    assert_eq!(sessions(&items).len(), 1);
}

#[test]
fn a_row_may_lack_its_last_columns() {
    let row = "2026-08-24 23:10:00;2026-08-25 07:50:00;93%;31200;26000";
    let full = night("2026-08-25 23:10:00", "2026-08-26 07:50:00", "31200");
    let items = table(PHONE_HEADER, &[row, &full]);
    assert_eq!((notes(&items).len(), rejections(&items).len()), (0, 0));
    assert_eq!(seconds(&sessions(&items)[0])[0], Some(26_000.0));
    let refused = read(format!("{PHONE_HEADER}\n{row}").as_bytes(), None, "UTC").unwrap_err();
    assert!(matches!(refused, ImportRefusal::Damaged { .. }), "{refused}");
}

#[test]
fn a_row_may_have_the_separator_in_its_note() {
    let row = NIGHT.replace("No weather;", "No weather;late; then tea");
    let items = table(HEADER, &[&row]);
    assert!(matches!(&notes(&items)[..], [note] if note.contains("more fields than the header")));
    assert_eq!(seconds(&accepted_session(&items))[0], Some(27_000.0));
    let without = PHONE_HEADER.replace(";Notes;Mood", "");
    let row = night("2026-08-25 23:10:00", "2026-08-26 07:50:00", "31200");
    let items = table(&without, &[&row]);
    assert_eq!(rejections(&items), ["line 2: the number of fields differs from the header"]);
}

#[test]
fn an_invalid_row_is_rejected() {
    let (start, end) = ("2026-03-10 23:00:00", "2026-03-11 07:00:00;81");
    for (from, to, reason) in [
        (start, "", "Start is missing"),
        (start, "10.03.2026 23:00", "Start is not a date and time"),
        (end, ";81", "End is missing"),
        (end, "1970-01-01 00:00:00;81", "time in bed: the end is not after the start"),
        (end, "2026-03-10 23:00:00;81", "time in bed: the end is not after the start"),
    ] {
        let items = table(HEADER, &[&NIGHT.replacen(from, to, 1), NIGHT]);
        assert_eq!(rejections(&items), [format!("line 2: {reason}")]);
        assert_eq!(sessions(&items).len(), 1);
    }
    let items = table(PHONE_HEADER, &["2026-03-10 23:00:00", &night("x", "y", "")]);
    assert_eq!(
        rejections(&items),
        [
            "line 2: the number of fields differs from the header",
            "line 3: Went to bed is not a date and time"
        ]
    );
}

#[test]
fn rows_may_have_any_order() {
    let (one, two) = (NIGHT.to_owned(), NIGHT.replace("03-11", "03-12").replace("03-10", "03-11"));
    let [forth, back] = [[&*one, &two], [&*two, &one]].map(|rows| sessions(&table(HEADER, &rows)));
    assert_eq!((forth.len(), forth[0] == back[1], forth[1] == back[0]), (2, true, true));
}

#[test]
fn a_table_without_rows_is_empty_and_other_headers_are_not_recognised() {
    assert_eq!(read(HEADER.as_bytes(), None, "UTC"), Ok(vec![]));
    for header in [
        HEADER.replace("Sleep Quality", "Schlafqualität"),
        HEADER.replace("Start", "Inicio"),
        HEADER.replace("Time in bed", "Time"),
        "Start,End,SleepQuality,TimeInBed".to_owned(),
    ] {
        let refused = read(format!("{header}\n").as_bytes(), None, "UTC").unwrap_err();
        assert!(matches!(refused, ImportRefusal::NotThisFormat(_)), "{refused}");
    }
    let refused = read(format!("{HEADER};start\n").as_bytes(), Format::SleepCycle, "UTC").unwrap_err();
    assert!(refused.to_string().contains("the column Start more than once"), "{refused}");
}
