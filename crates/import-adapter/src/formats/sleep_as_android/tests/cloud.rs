//! Answers of the app's cloud.

use super::record;
use crate::Format;
use crate::testing::{
    accepted_session, frame, items, notes, only_session, read, rejections, sessions, stages,
};
use application::ports::import_source::{ImportItem, ImportRefusal};
use domain::sleep::SleepRecord;

/// Made-up records: a night with labels, a nap without, and one that ends before its start.
const ANSWER: &str = r#"{"sleeps":[
{"fromTime":1773180000123,"toTime":1773205200000,"timezone":"GMT+02:00","lengthMinutes":400,"rating":3.5,"deepSleep":0.3,
 "noiseLevel":0.02,"cycles":4,"tags":["home"],"actigraph":[0.1,0.2],"labels":[
 {"timestamp":1773180000123,"label":"LIGHT_START"},{"timestamp":1773183600000,"label":"LIGHT_END"},
 {"timestamp":1773183600000,"label":"DEEP_START"},{"timestamp":1773189000000,"label":"DEEP_END"},
 {"timestamp":1773189000000,"label":"AWAKE_START"},{"timestamp":1773190200000,"label":"AWAKE_END"},
 {"timestamp":1773190200000,"label":"REM_START"},{"timestamp":1773195000000,"label":"REM_END"},
 {"timestamp":1773199000000,"label":"DEEP_END"},{"timestamp":1773205000000,"label":"ALARM_STARTED"},
 {"timestamp":"late","label":"LIGHT_START"}]},
{"fromTime":1773234000456,"toTime":1773236400000,"timezone":"GMT+02:00","lengthMinutes":40,"rating":0,"cycles":-1},
{"fromTime":1773266400000,"toTime":1773262800000,"timezone":"GMT+02:00","lengthMinutes":0}],"cursor":"abc"}"#;

fn cloud(text: &str) -> Vec<ImportItem> {
    items(text, None, "America/New_York")
}

fn one(members: &str) -> String {
    format!(r#"{{"sleeps":[{{"fromTime":1773234000456,"toTime":1773237600000{members}}}]}}"#)
}

#[test]
fn the_records_of_an_answer_are_sessions_with_the_stages_of_their_labels() {
    let items = cloud(ANSWER);
    let [night, nap] = <[SleepRecord; 2]>::try_from(sessions(&items)).unwrap();
    assert_eq!(frame(&night), "2026-03-11T00:00:00.123+02:00 2026-03-11T07:00:00+02:00");
    let expected = ["LIGHT 00:00-01:00", "DEEP 01:00-02:30", "AWAKE 02:30-02:50", "REM 02:50-04:10"];
    assert_eq!(stages(&night), expected);
    assert_eq!(night.key().to_stored(), "given:1773180000123");
    assert_eq!((night.source().unwrap().as_str(), night.is_nap()), ("sleep as android", None));
    assert_eq!(nap.key().to_stored(), "derived:2026-03-11T13:00:00.456Z");
    assert!(nap.hypnogram().is_empty() && nap.metrics().are_of_time_in_bed_alone());
    assert_eq!(rejections(&items), ["record 3: time in bed: the end is not after the start"]);
    let expected = [
        "record 1: events without a readable time were left out: 1",
        "record 1: stage ends without a start were left out: 1",
        "cursor: another page follows this one; import it as well",
    ];
    assert_eq!(notes(&items), expected);
}

#[test]
fn a_night_has_the_same_key_in_both_files() {
    let label = |at: i64, label: &str| format!("{label}-{at}");
    let events = [label(1_773_180_060_000, "LIGHT_START"), label(1_773_183_600_000, "LIGHT_END")];
    let head = ["1773180000123", "Europe/Helsinki", "11. 03. 2026 0:00", "11. 03. 2026 7:00", "7.0"];
    let of_export = accepted_session(&read(record(head, &events).as_bytes(), None, "UTC").unwrap());
    let of_cloud = sessions(&cloud(ANSWER)).remove(0);
    assert_eq!((of_export.key(), of_export.source()), (of_cloud.key(), of_cloud.source()));
    assert!(of_export.time_in_bed().same_to_the_minute(of_cloud.time_in_bed()));
}

#[test]
fn the_zone_of_a_record_wins_over_the_given_one() {
    for (zone, expected) in [
        (r#","timezone":"GMT-03:00""#, "2026-03-11T10:00:00.456-03:00 2026-03-11T11:00:00-03:00"),
        (r#","timezone":"GMT""#, "2026-03-11T13:00:00.456+00:00 2026-03-11T14:00:00+00:00"),
        (r#","timezone":"Europe/Paris""#, "2026-03-11T14:00:00.456+01:00 2026-03-11T15:00:00+01:00"),
        (r#","timezone":"""#, "2026-03-11T09:00:00.456-04:00 2026-03-11T10:00:00-04:00"),
        ("", "2026-03-11T09:00:00.456-04:00 2026-03-11T10:00:00-04:00"),
    ] {
        assert_eq!(frame(&only_session(&cloud(&one(zone)))), expected, "{zone}");
    }
    let items = cloud(&one(r#","timezone":"here""#));
    assert_eq!(notes(&items), ["record 1: timezone is not a known time zone; the given zone was used"]);
}

#[test]
fn an_invalid_record_is_rejected_and_the_next_one_is_read() {
    let good = r#"{"fromTime":1773234000456,"toTime":1773237600000}"#;
    for (bad, reason) in [
        (r#"{"toTime":1773237600000}"#, "fromTime is missing"),
        (r#"{"fromTime":1773234000456,"toTime":null}"#, "toTime is missing"),
        (
            r#"{"fromTime":"2026-03-11T13:00:00Z","toTime":1773237600000}"#,
            "fromTime is not a time in milliseconds",
        ),
        (r#"{"fromTime":-1,"toTime":1773237600000}"#, "fromTime is not a time in milliseconds"),
        (r#"{"fromTime":1773234000456,"toTime":1e300}"#, "toTime is not a time in milliseconds"),
        (
            r#"{"fromTime":1773234000456,"toTime":1773234000456}"#,
            "time in bed: the end is not after the start",
        ),
    ] {
        let items = cloud(&format!(r#"{{"sleeps":[{good},{bad},{good}]}}"#));
        assert_eq!(rejections(&items), [format!("record 2: {reason}")]);
        assert_eq!(sessions(&items).len(), 2);
    }
}

#[test]
fn an_answer_without_records_is_read_on_request() {
    assert_eq!(items(r#"{"sleeps":[]}"#, Format::SleepAsAndroid, "UTC"), []);
    for text in [r#"{"sleeps":[]}"#, r#"{"error":"no token"}"#, r#"{"sleeps":[{"fromTime":1}]}"#] {
        let refused = read(text.as_bytes(), None, "UTC").unwrap_err();
        assert!(
            matches!(refused, ImportRefusal::NotThisFormat(_) | ImportRefusal::OtherFormat { .. }),
            "{refused}"
        );
    }
    let refused = read(&ANSWER.as_bytes()[..ANSWER.len() - 20], None, "UTC").unwrap_err();
    assert!(matches!(refused, ImportRefusal::Damaged { .. }), "{refused}");
}
