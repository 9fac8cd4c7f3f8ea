mod clock;
mod stage;
mod total;
mod web_export;

use crate::Format;
use crate::testing::{accepted_session, items, rejections, sessions};
use application::ports::import_source::ImportItem;
use domain::sleep::SleepRecord;

fn fitbit(text: &str, zone: &str) -> Vec<ImportItem> {
    items(text, Format::Fitbit, zone)
}

fn only(text: &str, zone: &str) -> SleepRecord {
    accepted_session(&fitbit(text, zone))
}

fn rejection(log: &str) -> String {
    let items = fitbit(&format!("[{log}]"), "Europe/Berlin");
    assert!(sessions(&items).is_empty());
    rejections(&items).concat()
}

const STAGES: &str = r#"{
  "logId": 41000000007, "dateOfSleep": "2026-01-11", "startTime": "2026-01-10T23:00:00.000",
  "endTime": "2026-01-11T00:00:00.000", "duration": 3600000, "type": "stages", "infoCode": 0,
  "isMainSleep": true, "minutesAsleep": 50, "minutesAwake": 10,
  "levels": {
    "summary": {"deep": {"count": 1, "minutes": 20}},
    "data": [
      {"dateTime": "2026-01-10T23:00:00.000", "level": "wake", "seconds": 600},
      {"dateTime": "2026-01-10T23:10:00.000", "level": "light", "seconds": 1200},
      {"dateTime": "2026-01-10T23:30:00.000", "level": "deep", "seconds": 1200},
      {"dateTime": "2026-01-10T23:50:00.000", "level": "rem", "seconds": 600}
    ],
    "shortData": [{"dateTime": "2026-01-10T23:35:00.000", "level": "wake", "seconds": 120}]
  }}"#;

#[test]
fn every_shape_of_the_document_yields_the_same_session() {
    let alone = only(STAGES, "Europe/Berlin");
    for text in [
        format!("[{STAGES}]"),
        format!("\u{feff} [{STAGES}]\n"),
        format!(r#"{{"sleep":[{STAGES}],"summary":{{"totalMinutesAsleep":50}}}}"#),
        format!(r#"{{"pagination":{{"next":""}},"sleep":[{STAGES}]}}"#),
    ] {
        assert_eq!(only(&text, "Europe/Berlin"), alone);
    }
    for text in ["[]", r#"{"sleep":[]}"#, "{\"sleep\": [ ]}\n"] {
        assert_eq!(fitbit(text, "UTC"), [], "{text}");
    }
}

#[test]
fn other_spellings_of_members_are_the_same_session() {
    let alone = only(STAGES, "Europe/Berlin");
    let text = STAGES.replace("dateTime", "datetime").replace("isMainSleep", "mainSleep");
    assert_eq!(only(&text.replace("41000000007", "\"41000000007\""), "Europe/Berlin"), alone);
    let nap = only(&STAGES.replace("\"isMainSleep\": true", "\"mainSleep\": false"), "Europe/Berlin");
    assert_eq!(nap.is_nap(), Some(true));
    let unsaid = only(&STAGES.replace("\"isMainSleep\": true,", ""), "Europe/Berlin");
    assert_eq!(unsaid.is_nap(), None);
}

#[test]
fn a_log_without_length_is_rejected_with_its_place_and_the_rest_imported() {
    let text = format!(
        r#"[{{"logId":4,"startTime":"2026-01-10T23:00:00.000","duration":0,"timeInBed":0}},
        {{"logId":5,"startTime":"2026-01-10T23:00:00.000","endTime":"2026-01-10T23:00:00.000"}},{STAGES}]"#
    );
    let items = fitbit(&text, "UTC");
    let reason = "time in bed: the end is not after the start";
    assert_eq!(rejections(&items), [format!("record 1: {reason}"), format!("record 2: {reason}")]);
    assert_eq!(sessions(&items).len(), 1);
}

#[test]
fn a_rejection_names_the_member_and_never_its_value() {
    for (log, part) in [
        (r#"{"logId":1,"dateOfSleep":"4711"}"#, "startTime is missing"),
        (r#"{"startTime":"4711-01","mainSleep":true}"#, "startTime is not a date and time"),
        (r#"{"startTime":4711,"mainSleep":true}"#, "startTime is not a date and time"),
        (r#"{"startTime":"2026-01-10T23:00:00","endTime":"4711","mainSleep":true}"#, "endTime is not a date"),
        (r#"{"startTime":"2026-01-10T23:00:00","mainSleep":true}"#, "endTime and duration are missing"),
        (
            r#"{"startTime":"2026-01-10T23:00:00","duration":60000,"logId":4711.5,"levels":{}}"#,
            "logId is neither",
        ),
        (r#"{"startTime":"2026-01-10T23:00:00","duration":6e11,"levels":{}}"#, "longer than seven days"),
        (r#"{"startTime":"1969-01-10T23:00:00","duration":60000,"levels":{}}"#, "outside the years"),
        (r#"{"startTime":"2026-01-10T23:00:00","levels":{"data":4711}}"#, "the wrong type"),
        (r#"{"mainSleep":true,"startTime":"a","startTime":"4711"}"#, "duplicate member: `startTime`"),
    ] {
        let found = rejection(log);
        assert!(found.starts_with("record 1: ") && found.contains(part), "{found}");
        assert!(!found.contains("4711"), "{found}");
    }
    assert!(rejections(&fitbit(&format!("[{STAGES},4711]"), "UTC"))[0].starts_with("record 2: "));
}

#[test]
fn a_log_without_an_id_is_known_by_its_start() {
    let text = STAGES.replace("\"logId\": 41000000007,", "");
    assert_eq!(only(&text, "UTC").key().to_stored(), "derived:2026-01-10T23:00:00.000Z");
}
