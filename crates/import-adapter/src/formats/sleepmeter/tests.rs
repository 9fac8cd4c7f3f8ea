use crate::Format;
use crate::testing::{
    accepted_session, frame, items, metric, notes, only_session, read, recognised, rejections, sessions,
    stages,
};
use application::ports::import_source::{ImportItem, ImportRefusal};
use domain::sleep::MetricKind;

const HEADER: &str = "wake,sleep,bedtime,holes,type,dreams,aid,hindrances,tags,quality,notes";
const NIGHT: &str = "\"2026-03-11 06:30+0100\",\"2026-03-10 22:50+0100\",\"2026-03-10 22:30+0100\",\
    60-75|400-410,NIGHT_SLEEP,NONE,NONE,NONE,NONE,5,\"\"";
const NAP: &str = "\"2026-03-11 14:30+0100\",\"2026-03-11 14:00+0100\",\"2026-03-11 14:00+0100\",,NAP,\
    GOOD:5:FLYING,TV|CUSTOM_0002,NONE,COUCH,10,\"\"";

/// Names with quotes, commas and line ends.
const NAMES: &str = "custom_aid_id,class,name\nCUSTOM_0002,EXERTION,\"a \"walk\",\\\"\n\n\
    custom_hindrance_id,class,name\nCUSTOM_0001,NOISE,\"the \"\n,cat\"\n\ncustom_tag_id,name\nCUSTOM_0001,\"\"\n\n";

fn diary(rows: &[&str]) -> Vec<ImportItem> {
    items(&format!("{HEADER}\n{}\n", rows.join("\n")), None, "America/New_York")
}

fn rejection(row: &str) -> String {
    let items = diary(&[row]);
    assert!(sessions(&items).is_empty());
    rejections(&items).concat()
}

fn refusal(text: &str) -> String {
    read(text.as_bytes(), None, "UTC").unwrap_err().to_string()
}

#[test]
fn a_night_lasts_from_bedtime_to_wake_and_is_awake_in_its_holes() {
    let record = only_session(&diary(&[NIGHT]));
    assert_eq!(frame(&record), "2026-03-10T22:30:00+01:00 2026-03-11T06:30:00+01:00");
    assert_eq!(
        stages(&record),
        [
            "AWAKE 22:30-22:50",
            "ASLEEP 22:50-23:50",
            "AWAKE 23:50-00:05",
            "ASLEEP 00:05-05:30",
            "AWAKE 05:30-05:40",
            "ASLEEP 05:40-06:30"
        ]
    );
    assert_eq!((record.source().unwrap().as_str(), record.is_nap()), ("sleepmeter", Some(false)));
    assert_eq!(record.key().to_stored(), "derived:2026-03-10T21:30:00.000Z");
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(60.0 * 435.0));
}

#[test]
fn a_nap_is_one_and_may_begin_with_sleep() {
    let record = only_session(&diary(&[NAP]));
    assert_eq!((record.is_nap(), stages(&record)), (Some(true), vec!["ASLEEP 14:00-14:30".to_owned()]));
}

#[test]
fn a_night_without_sleep_is_awake() {
    let row = NIGHT.replace("2026-03-10 22:50", "2026-03-11 06:30").replace("60-75|400-410", "");
    assert_eq!(stages(&only_session(&diary(&[&row]))), ["AWAKE 22:30-06:30"]);
}

#[test]
fn each_time_has_its_offset_so_that_a_clock_change_is_exact() {
    let row = "\"2026-03-29 07:00+0200\",\"2026-03-28 23:00+0100\",\"2026-03-28 23:00+0100\",,NIGHT_SLEEP,NONE,NONE,NONE,NONE,5,\"\"";
    let record = only_session(&diary(&[row]));
    assert_eq!(frame(&record), "2026-03-28T23:00:00+01:00 2026-03-29T07:00:00+02:00");
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(7.0 * 3600.0));
}

#[test]
fn tables_of_names_before_the_table_of_sleep_are_skipped() {
    let text = format!("{NAMES}{HEADER}\n{NIGHT}\n{NAP}\n");
    assert_eq!(recognised(&text), Ok("sleepmeter"));
    let items = items(&text, None, "UTC");
    assert_eq!((sessions(&items).len(), items.len()), (2, 2));
    assert_eq!(items[0].place(), "line 12");
}

#[test]
fn notes_may_have_quotes_commas_and_line_ends() {
    for notes in [
        "\"a \"loud, long\" night,\n\nthe cat,\nnever, again\n\\\"",
        "\"the cat: \"\nnever, again\n\"",
        "\",\"\n\"",
        "\"\",\\\",\n2026-03-09 07:00+0000\"\"",
        "\"(,)(\n)(\")\"",
    ] {
        let found = diary(&[&NIGHT.replace(",5,\"\"", &format!(",5,{notes}")), NAP]);
        assert_eq!((sessions(&found).len(), found.len()), (2, 2), "{notes}: {:?}", rejections(&found));
    }
    // As many commas as a record has.
    let list = format!(",5,\"the cat: \"\n{}\"", ",".repeat(10));
    assert_eq!(rejections(&diary(&[&NIGHT.replace(",5,\"\"", &list), NAP])).len(), 1);
    let record = diary(&[&NIGHT.replace(",5,\"\"", ",5,a spreadsheet without quotes"), NAP]);
    assert_eq!((sessions(&record).len(), record.len()), (2, 2));
}

#[test]
fn a_record_after_unclosed_notes_is_read() {
    let found = diary(&[&NIGHT.replace(",5,\"\"", ",5,\"open"), NAP]);
    assert_eq!((sessions(&found).len(), found.len()), (2, 2));
}

#[test]
fn a_file_that_ends_within_a_row_or_its_notes_is_refused() {
    for row in [NIGHT.replace(",5,\"\"", ""), NIGHT.replace(",5,\"\"", ",5,\"open\nnotes")] {
        assert!(refusal(&format!("{HEADER}\n{NAP}\n{row}")).contains("the file is truncated"), "{row}");
    }
    let found = items(&format!("{HEADER}\n{NIGHT}"), None, "UTC");
    assert_eq!(sessions(&found).len(), 1);
}

#[test]
fn a_file_that_ends_within_the_first_field_of_a_row_is_refused() {
    let noted = NIGHT.replace(",5,\"\"", ",5,\"a \"word\"");
    assert!(refusal(&format!("{HEADER}\n{NIGHT}\n\"")).contains("the file is truncated"));
    assert_eq!(items(&format!("{HEADER}\n{noted}\n\""), None, "UTC").len(), 1);
    for before in [NIGHT, &noted] {
        for cut in ["2", "\"2026-03-1", "2026-03-12 07:00+01"] {
            let refused = refusal(&format!("{HEADER}\n{before}\n{cut}"));
            assert!(refused.contains("the file is truncated"), "{before} {cut}: {refused}");
        }
        let found = items(&format!("{HEADER}\n{before}\n \n"), None, "UTC");
        assert_eq!((sessions(&found).len(), found.len()), (1, 1));
    }
}

#[test]
fn holes_outside_the_sleep_are_omitted_and_noted() {
    for (holes, count) in [
        ("x", 1),
        ("60-60|75-60", 2),
        ("450-9999999999999999999", 1),
        ("450-461|1-2", 1),
        ("-5-6", 1),
        ("1-2|", 1),
    ] {
        let items = diary(&[&NIGHT.replace("60-75|400-410", holes)]);
        let reason = "line 2: entries of holes that are not two minutes of the sleep in order were omitted";
        assert_eq!(notes(&items), [format!("{reason}: {count}")], "{holes}");
        let record = accepted_session(&items);
        assert_eq!(stages(&record).len(), if holes.contains("1-2") { 4 } else { 2 }, "{holes}");
    }
    let reason = rejection(&NIGHT.replace("60-75", &"1-2|".repeat(20_200)));
    assert_eq!(reason, "line 2: holes has more than 20158 entries");
}

#[test]
fn overlapping_holes_are_awake_once() {
    let record = only_session(&diary(&[&NIGHT.replace("60-75|400-410", "60-90|70-100")]));
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(60.0 * 420.0));
}

#[test]
fn an_unknown_type_is_noted() {
    let items = diary(&[&NIGHT.replace("NIGHT_SLEEP", "SIESTA")]);
    assert_eq!(notes(&items), ["line 2: type is neither NIGHT_SLEEP nor NAP"]);
    assert_eq!(accepted_session(&items).is_nap(), None);
    assert_eq!(only_session(&diary(&[&NIGHT.replace("NIGHT_SLEEP", "")])).is_nap(), None);
}

#[test]
fn invalid_rows_are_rejected_with_their_reason() {
    let form = "is not a date and time with an offset, such as 2026-03-08 23:10+0100";
    for (from, to, reason) in [
        ("2026-03-11 06:30", "2026-03-10 06:30", "time in bed: "),
        ("2026-03-10 22:50", "2026-03-10 22:20", "sleep is not between bedtime and wake"),
        ("2026-03-10 22:50", "2026-03-11 06:31", "sleep is not between bedtime and wake"),
        ("\"2026-03-10 22:50+0100\"", "never", &format!("sleep {form}")),
        ("22:30+0100", "22:30", &format!("bedtime {form}")),
        ("06:30+0100", "06:30+9900", &format!("wake {form}")),
        ("\"2026-03-10 22:30+0100\"", "", "bedtime is missing"),
        ("2026-03-10 22:30", "1900-01-01 22:30", "time in bed: "),
        (",5,\"\"", "", "the number of fields differs from the header"),
        ("\"2026-03-11 06:30+0100\"", "never", "wake is not a date and time with an offset"),
    ] {
        let found = rejection(&NIGHT.replace(from, to));
        assert!(found.starts_with(&format!("line 2: {reason}")), "{to}: {found}");
    }
}

#[test]
fn an_invalid_row_does_not_affect_the_others() {
    let items = diary(&[NAP, &NIGHT.replace("2026-03-10 22:50", "never"), NIGHT]);
    assert_eq!((sessions(&items).len(), rejections(&items).len()), (2, 1));
}

#[test]
fn repeated_rows_have_the_same_key() {
    let found = sessions(&diary(&[NIGHT, &NIGHT.replace("NONE,5", "COUCH,4")]));
    assert_eq!(found[0].key(), found[1].key());
}

#[test]
fn a_table_without_rows_is_empty_and_names_alone_are_refused() {
    assert!(items(&format!("{HEADER}\n"), None, "UTC").is_empty());
    let refused = read(NAMES.as_bytes(), None, "UTC").unwrap_err();
    assert!(matches!(refused, ImportRefusal::HoldsNoSleep(_)), "{refused}");
}

#[test]
fn a_header_is_recognised_by_its_english_columns() {
    assert_eq!(recognised(&format!("\u{feff}{HEADER}\r\n{NIGHT}\r\n")), Ok("sleepmeter"));
    assert!(recognised(&format!("{}\n{NIGHT}\n", HEADER.replace("bedtime", "Bettzeit"))).is_err());
    let twice = HEADER.replace("notes", "wake");
    let reason = "damaged at line 1, column 1: the header has the column wake more than once";
    assert_eq!(refusal(&format!("{twice}\n{NIGHT}\n")), reason);
}

#[test]
fn bytes_that_are_not_text_damage_the_file() {
    let mut bytes = format!("{HEADER}\n{NIGHT}\n{NIGHT}\n{NIGHT}\n{NIGHT}\n").into_bytes();
    bytes.extend_from_slice(b"\xff\n");
    let refused = read(&bytes, Format::Sleepmeter, "UTC").unwrap_err();
    assert_eq!(refused.to_string(), "damaged at line 6, column 1: not valid UTF-8");
}
