//! Sessions whose records are in several files.

use super::{archive, deflated, places, read};
use crate::Format;
use crate::test_support::{GeneratedRecord, RecordForm, RecordKind, layouts};
use crate::testing::{frame, metric, notes, only_session, read_path, rejections, sessions, stages};
use application::ports::import_source::{ImportItem, ImportRefusal};
use domain::sleep::MetricKind;
use std::fs;

/// Reads files from a folder and from an archive, which have the same items.
fn outcome(files: &[(&str, String)]) -> Result<Vec<ImportItem>, ImportRefusal> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let found = read_path(folder.path(), None, "Europe/Berlin").map(|(_, items)| items);
    let files: Vec<_> = files.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    let packed = read(&archive(&files, deflated())).map(|(_, items)| items);
    assert_eq!(found, packed);
    found
}

fn items(files: &[(&str, String)]) -> Vec<ImportItem> {
    outcome(files).unwrap()
}

/// Returns the number of the file of each session.
fn file_numbers(items: &[ImportItem]) -> Vec<u32> {
    let number = |item: &ImportItem| match item {
        ImportItem::Session(session) => Some(session.position.file),
        _ => None,
    };
    items.iter().filter_map(number).collect()
}

fn sample(start: i64) -> GeneratedRecord {
    GeneratedRecord { start, length: 180, form: RecordForm::Plain }
}

/// A FHIR Observation from one hour to another.
fn observation(code: &str, from: u32, to: u32, more: &str) -> String {
    format!(
        r#"{{"resourceType":"Observation","code":{{"coding":[{code}]}},"effectivePeriod":{{
        "start":"2026-01-11T{from:02}:00:00Z","end":"2026-01-11T{to:02}:00:00Z"}},{more}}}"#
    )
}

fn fhir_stage(code: &str, from: u32, to: u32, more: &str) -> String {
    let coding = |code| format!(r#"{{"system":"http://snomed.info/sct","code":"{code}"}}"#);
    let value = format!(r#""valueCodeableConcept":{{"coding":[{}]}}{more}"#, coding(code));
    observation(&coding("258158006"), from, to, &value)
}

fn fhir_minutes(code: &str, minutes: u32) -> String {
    let value = format!(r#""valueQuantity":{{"value":{minutes},"code":"min"}}"#);
    observation(&format!(r#"{{"system":"http://loinc.org","code":"{code}"}}"#), 1, 7, &value)
}

/// A data point of Open mHealth from 23:00 to 07:00.
fn point(schema: &str, header: &str, body: &str) -> String {
    format!(
        r#"{{"header":{{"schema_id":{{"namespace":"omh","name":"{schema}","version":"1.1"}}{header}}},
        "body":{{{body},"effective_time_frame":{{"time_interval":{{"start_date_time":"2026-01-10T23:00:00Z",
        "end_date_time":"2026-01-11T07:00:00Z"}}}}}}}}"#
    )
}

#[test]
fn samples_of_a_night_in_two_files_are_one_session_with_the_place_of_the_first() {
    for (format, layout) in layouts(RecordKind::Sample) {
        let [evening, morning] = [0, 180].map(|start| layout.file(0, &[sample(start)]).text);
        for files in [
            [("a", evening.clone()), ("b", morning.clone())],
            [("a", morning.clone()), ("b", evening.clone())],
        ] {
            let found = items(&files);
            assert_eq!(only_session(&found).time_in_bed().millis(), 6 * 3_600_000);
            assert_eq!(only_session(&found).hypnogram().len(), 2);
            let place = if format == Format::AppleHealth { "a: line 2" } else { "a: record 1" };
            assert_eq!((places(&found), file_numbers(&found)), (vec![place], vec![1]));
        }
    }
}

#[test]
fn a_session_has_the_file_of_its_first_record() {
    for (_, layout) in layouts(RecordKind::Sample) {
        let days = [0, 1, 2].map(|day| layout.file(0, &[sample(day * 1440), sample(day * 1440 + 1000)]).text);
        let [first, second, third] = days;
        let found = items(&[("a", third), ("b", first), ("c", second)]);
        assert_eq!(file_numbers(&found), [2, 2, 3, 3, 1, 1]);
    }
}

#[test]
fn a_sample_of_an_earlier_file_is_read_once_and_counted() {
    for (format, layout) in layouts(RecordKind::Sample) {
        let text = layout.file(0, &[sample(0)]).text;
        let found = items(&[("a", text.clone()), ("b", text.clone()), ("c", text)]);
        assert_eq!(sessions(&found).len(), 1);
        let place = if format == Format::AppleHealth { "b: line 2" } else { "b: record 1" };
        let note = format!("{place}: records that the import contains more than once were read once: 2");
        assert_eq!((notes(&found), file_numbers(&found)), (vec![note], vec![1]));
    }
}

#[test]
fn formats_are_not_joined_and_sessions_precede_the_note_on_skipped_files() {
    let layouts = layouts(RecordKind::Sample);
    let mut files: Vec<_> = ('a'..)
        .zip(&layouts)
        .map(|(name, (_, layout))| (name.to_string(), layout.file(0, &[sample(0)]).bytes()))
        .collect();
    files.push(("z".to_owned(), b"words".to_vec()));
    let packed: Vec<_> = files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let (_, found) = read(&archive(&packed, deflated())).unwrap();
    let names: Vec<_> = places(&found).iter().map(|place| place.split(':').next().unwrap()).collect();
    let mut expected: Vec<_> = files.iter().map(|(name, _)| name.as_str()).collect();
    expected.pop();
    expected.push("the archive");
    assert_eq!(names, expected);
    let numbers: Vec<_> = (1..).take(layouts.len()).collect();
    assert_eq!(file_numbers(&found), numbers);
}

#[test]
fn limits_hold_for_all_files_of_a_format() {
    let series = |from: u32| {
        let record =
            |model| format!(r#"{{"startdate":1768086000,"enddate":1768089600,"state":1,"model":"{model}"}}"#);
        format!("[{}]", (from..from + 600).map(record).collect::<Vec<_>>().join(","))
    };
    assert_eq!(sessions(&items(&[("a", series(0)), ("b", series(0))])).len(), 600);
    let refused = outcome(&[("a", series(0)), ("b", series(600))]).unwrap_err();
    let expected = "cannot be read: b: the import contains more than 1000 sources: split it by time";
    assert_eq!(refused.to_string(), expected);
}

#[test]
fn stages_and_totals_of_fhir_in_several_files_are_of_one_night() {
    let found = items(&[("a", fhir_stage("248220008", 1, 3, "")), ("b", fhir_stage("89129007", 3, 6, ""))]);
    assert_eq!(stages(&only_session(&found)), ["ASLEEP 01:00-03:00", "REM 03:00-06:00"]);
    let found = items(&[
        ("a", fhir_minutes("93832-4", 330)),
        ("b", fhir_minutes("93831-6", 60)),
        ("c", fhir_minutes("93829-0", 70)),
    ]);
    let record = only_session(&found);
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(19_800.0));
    assert_eq!(metric(&record, MetricKind::TimeNightDeep), Some(3600.0));
    assert_eq!(metric(&record, MetricKind::TimeNightRem), Some(4200.0));
}

#[test]
fn files_of_fhir_are_about_one_subject_and_each_notes_what_it_skips() {
    let of = |person: &str| format!(r#","subject":{{"reference":"Patient/{person}"}}"#);
    let pulse = r#"{"resourceType":"Observation","code":{"coding":[]}}"#;
    let found = items(&[
        ("a", format!("[{},{pulse}]", fhir_stage("248220008", 1, 3, &of("7")))),
        ("b", format!("[{pulse},{}]", fhir_stage("248220008", 3, 6, &of("8")))),
        ("c", fhir_stage("248220008", 3, 5, "")),
    ]);
    assert_eq!(stages(&sessions(&found)[0]), ["ASLEEP 01:00-03:00", "ASLEEP 03:00-05:00"]);
    assert_eq!(rejections(&found), ["b: record 2: its subject differs from that of earlier records"]);
    let note = "resources that are not sleep Observations were skipped: 1";
    assert_eq!(notes(&found), [format!("a: record 2: {note}"), format!("b: record 1: {note}")]);
}

#[test]
fn records_of_a_night_of_open_mhealth_in_several_files_are_one_session() {
    let total = r#""total_sleep_time":{"value":7,"unit":"h"}"#;
    let bed = r#""time_in_bed":{"value":9,"unit":"h"}"#;
    let bed = point("time-in-bed", "", bed).replace("10T23:00", "10T22:30").replace("11T07:00", "11T07:30");
    let files = [
        ("a", point("sleep-episode", "", r#""number_of_awakenings":2"#)),
        ("b", point("total-sleep-time", "", total)),
        ("c", bed),
    ];
    let found = items(&files);
    let record = only_session(&found);
    assert_eq!(frame(&record), "2026-01-10T22:30:00Z 2026-01-11T07:30:00Z");
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(25_200.0));
    assert_eq!(metric(&record, MetricKind::SleepWakeups), Some(2.0));
    assert_eq!((places(&found), file_numbers(&found)), (vec!["a: record 1"], vec![1]));
    let [episode, total, _] = &files;
    let other = point("total-sleep-time", "", r#""total_sleep_time":{"value":6,"unit":"h"}"#);
    let found = items(&[episode.clone(), total.clone(), ("c", other), ("d", total.1.clone())]);
    assert_eq!(metric(&sessions(&found)[0], MetricKind::TimeNightAsleep), Some(25_200.0));
    let expected = [
        "a: record 1: records that the import contains more than once were read once: 1",
        "a: record 1: another record of the same night has different values, which were skipped",
    ];
    assert_eq!(notes(&found), expected);
}

#[test]
fn files_of_open_mhealth_are_about_one_person() {
    let of = |person: &str, awakenings: u32| {
        let body = format!(r#""number_of_awakenings":{awakenings}"#);
        point("sleep-episode", &format!(r#","user_id":"{person}""#), &body)
    };
    let found = items(&[("a", of("ada", 2)), ("b", of("sam", 3))]);
    assert_eq!(rejections(&found), ["b: record 1: user_id differs from that of earlier records"]);
    assert_eq!(metric(&sessions(&found)[0], MetricKind::SleepWakeups), Some(2.0));
}

#[test]
fn a_summary_of_withings_is_a_session_of_its_own_file() {
    let text = |series: &str| format!(r#"{{"status":0,"body":{{"series":[{series}]}}}}"#);
    let found = items(&[
        ("a", text(r#"{"startdate":1768086000,"enddate":1768089600,"state":1,"model":"Mat"}"#)),
        ("b", text(r#"{"id":1,"startdate":1768086000,"enddate":1768093200,"data":{}}"#)),
        ("c", text(r#"{"startdate":1768089600,"enddate":1768093200,"state":3,"model":"Mat"}"#)),
    ]);
    assert_eq!(places(&found), ["b: record 1", "a: record 1"]);
    assert_eq!(file_numbers(&found), [2, 1]);
    assert_eq!(stages(&sessions(&found)[1]), ["LIGHT 00:00-01:00", "REM 01:00-02:00"]);
}
