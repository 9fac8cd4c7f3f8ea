//! Life Dashboard, which sends records of Health Connect and sessions formed from samples of Apple Health.

use super::{read_json, source};
use crate::testing::{accepted_session, frame, notes, only_session, rejections, stages};

const DASHBOARD: &str = r#"{"timestamp":"2026-02-08T07:30:02.481Z","app_version":"1.23.0","source":"health_connect","sequence":1842,
"sleep":[{"session_end_time":"2026-02-07T21:20:10Z","duration_seconds":27450,"stages":[{"stage":"light",
"start_time":"2026-02-07T13:42:40Z","end_time":"2026-02-07T14:10:10Z","duration_seconds":1650}],
"uuid":"5d0c7a1e-0000-4000-8000-0000000000aa","source":"com.example.band"}],"deleted_records":[]}"#;

#[test]
fn id_and_source_may_stand_beside_the_times() {
    let record = only_session(&read_json(DASHBOARD));
    assert_eq!(record.key().to_stored(), "given:5d0c7a1e-0000-4000-8000-0000000000aa");
    assert_eq!(source(&record), "com.example.band");
    assert_eq!(frame(&record), "2026-02-07T14:42:40+01:00 2026-02-07T22:20:10+01:00");
    // Versions before 1.6.0 have neither.
    let (start, _) = DASHBOARD.split_once(",\n\"uuid\"").unwrap();
    let older = only_session(&read_json(&format!("{start}}}]}}")));
    assert_eq!(older.key().to_stored(), "derived:2026-02-07T13:42:40.000Z");
    assert_eq!((source(&older), frame(&older)), ("health connect", frame(&record)));
}

#[test]
fn the_members_of_the_metadata_come_first() {
    let metadata = r#""metadata":{"id":"a","data_origin":"org.example.band"},"uuid""#;
    let record = only_session(&read_json(&DASHBOARD.replace("\"uuid\"", metadata)));
    assert_eq!((record.key().to_stored().as_str(), source(&record)), ("given:a", "org.example.band"));
    let blank = r#""metadata":{"id":"","data_origin":" ","start_zone_offset":""},"uuid""#;
    let record = only_session(&read_json(&DASHBOARD.replace("\"uuid\"", blank)));
    assert_eq!(record, only_session(&read_json(DASHBOARD)));
    let unsuitable = DASHBOARD.replace("\"5d0c7a1e-0000-4000-8000-0000000000aa\"", "true");
    assert_eq!(rejections(&read_json(&unsuitable)), ["record 1: id is neither a whole number nor a string"]);
    let unsuitable = DASHBOARD.replace("com.example.band", "a\\u0000b");
    let reason = "the source: a source has 1 to 100 characters and no control characters";
    assert_eq!(rejections(&read_json(&unsuitable)), [format!("record 1: {reason}")]);
}

#[test]
fn the_metadata_may_state_the_offsets() {
    for (offsets, expected) in [
        (
            r#""start_zone_offset":"+09:30","end_zone_offset":"+10:30""#,
            "2026-02-07T23:12:40+09:30 2026-02-08T07:50:10+10:30",
        ),
        (
            r#""start_zone_offset":"Z","end_zone_offset":"soon""#,
            "2026-02-07T13:42:40+00:00 2026-02-07T22:20:10+01:00",
        ),
    ] {
        let text = DASHBOARD.replace("\"uuid\"", &format!("\"metadata\":{{{offsets}}},\"uuid\""));
        assert_eq!(frame(&only_session(&read_json(&text))).replace("40Z", "40+00:00"), expected);
    }
}

const OF_SAMPLES: &str = r#"{"app_version":"1.6.0","source":"healthkit_ios","sequence":42,"timestamp":"2026-02-08T07:30:02Z",
"sleep":[{"duration_seconds":28650,"session_end_time":"2026-02-07T21:25:10Z","source":"Jo’s Watch",
"uuid":"0b6f1c2d-0000-5000-8000-0000000000cc","stages":[
{"stage":"in_bed","start_time":"2026-02-07T13:27:40Z","end_time":"2026-02-07T21:25:10Z","duration_seconds":28650,
"source":"Jo’s iPhone","uuid":"11110000-0000-4000-8000-000000000001"},
{"stage":"light","start_time":"2026-02-07T13:42:40Z","end_time":"2026-02-07T14:10:10Z","duration_seconds":1650,
"source":"Jo’s Watch","uuid":"22220000-0000-4000-8000-000000000002"}]}]}"#;

#[test]
fn in_bed_is_the_time_in_bed_and_no_stage() {
    let record = only_session(&read_json(OF_SAMPLES));
    assert_eq!(frame(&record), "2026-02-07T14:27:40+01:00 2026-02-07T22:25:10+01:00");
    assert_eq!(stages(&record), ["LIGHT 14:42-15:10"]);
    assert_eq!(source(&record), "Jo’s Watch");
}

#[test]
fn an_id_that_changes_with_the_first_sample_is_no_key() {
    let record = only_session(&read_json(OF_SAMPLES));
    assert_eq!(record.key().to_stored(), "derived:2026-02-07T13:27:40.000Z");
    assert_eq!(only_session(&read_json(&OF_SAMPLES.replace("0b6f1c2d", "0b6f1c2e"))), record);
}

#[test]
fn stages_of_other_devices_than_the_sessions_are_omitted() {
    let watch = r#"{"stage":"light","#;
    let phone = r#"{"stage":"awake","start_time":"2026-02-07T13:50:40Z","end_time":"2026-02-07T14:00:10Z","source":"Jo’s iPhone"},"#;
    let items = read_json(&OF_SAMPLES.replace(watch, &format!("{phone}{watch}")));
    assert_eq!(stages(&accepted_session(&items)), ["LIGHT 14:42-15:10"]);
    assert_eq!(notes(&items), ["record 1: stages of other devices than the session's were omitted: 1"]);
    // Unless all are of other devices.
    let items = read_json(
        &OF_SAMPLES
            .replace(r#""source":"Jo’s Watch","#, r#""source":"Jo’s Ring","#)
            .replace(r#""source":"Jo’s Ring","uuid":"2222"#, r#""source":"Jo’s Watch","uuid":"2222"#),
    );
    assert_eq!(stages(&only_session(&items)), ["LIGHT 14:42-15:10"]);
}
