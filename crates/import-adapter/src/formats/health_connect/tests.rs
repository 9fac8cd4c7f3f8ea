mod sender;

use crate::Format;
use crate::test_support::database;
use crate::testing::{
    accepted_session, frame, metric, notes, only_session, read, rejections, sessions, stages,
};
use application::ports::import_source::{ImportItem, ImportRefusal};
use domain::sleep::{MetricKind, SleepRecord, SleepSource};
use std::io::Write as _;

/// The tables as Android creates them.
const TABLES: &str = "CREATE TABLE sleep_session_record_table (
 row_id INTEGER PRIMARY KEY AUTOINCREMENT, uuid BLOB NOT NULL UNIQUE, last_modified_time INTEGER,
 client_record_id TEXT, client_record_version TEXT, device_info_id INTEGER, app_info_id INTEGER,
 recording_method INTEGER, dedupe_hash BLOB UNIQUE,
 start_time INTEGER, start_zone_offset INTEGER, end_time INTEGER, end_zone_offset INTEGER, local_date INTEGER,
 notes TEXT, title TEXT,
 local_date_time_start_time INTEGER AS (start_time + 1000 * start_zone_offset),
 local_date_time_end_time INTEGER AS (end_time + 1000 * end_zone_offset),
 FOREIGN KEY (device_info_id) REFERENCES device_info_table(row_id) ON DELETE CASCADE,
 FOREIGN KEY (app_info_id) REFERENCES application_info_table(row_id) ON DELETE CASCADE);
CREATE TABLE sleep_stages_table (
 parent_key INTEGER NOT NULL, stage_start_time INTEGER NOT NULL, stage_end_time INTEGER NOT NULL, stage_type INTEGER NOT NULL,
 FOREIGN KEY (parent_key) REFERENCES sleep_session_record_table(row_id) ON DELETE CASCADE);
CREATE TABLE application_info_table (
 row_id INTEGER PRIMARY KEY, package_name TEXT NOT NULL UNIQUE, app_name TEXT, app_icon BLOB, record_types_used TEXT);
CREATE TABLE device_info_table (row_id INTEGER PRIMARY KEY, manufacturer TEXT, model TEXT, device_type INTEGER);
CREATE TABLE heart_rate_record_table (row_id INTEGER PRIMARY KEY);
PRAGMA user_version = 23; PRAGMA foreign_keys = OFF;
INSERT INTO application_info_table VALUES (1,'com.example.watch','Watch',NULL,'38'),(2,'org.example.manual',NULL,NULL,'38');";

/// 2026-10-02T21:30:00Z, and a minute.
const START: i64 = 1_790_976_600_000;
const MINUTE: i64 = 60_000;

fn session(id: i64, app: i64, start: i64, end: i64) -> String {
    let (start, end) = (START + start * MINUTE, START + end * MINUTE);
    format!(
        "INSERT INTO sleep_session_record_table (row_id, uuid, last_modified_time, app_info_id, start_time, \
        start_zone_offset, end_time, end_zone_offset) VALUES ({id}, randomblob(16), 1, {app}, {start}, 7200, {end}, 7200);"
    )
}

fn stage(id: i64, start: i64, end: i64, kind: i64) -> String {
    let (start, end) = (START + start * MINUTE, START + end * MINUTE);
    format!("INSERT INTO sleep_stages_table VALUES ({id}, {start}, {end}, {kind});")
}

fn read_sql(rows: &[String]) -> Vec<ImportItem> {
    read(&database(&format!("{TABLES}{}", rows.concat())), None, "America/New_York").unwrap()
}

fn refused(sql: &str) -> ImportRefusal {
    read(&database(sql), None, "UTC").unwrap_err()
}

fn source(record: &SleepRecord) -> &str {
    record.source().map(SleepSource::as_str).unwrap()
}

#[test]
fn a_night_has_its_stages_and_its_app() {
    let rows = [
        stage(5, 300, 390, 6),
        session(5, 1, 0, 420),
        stage(5, 0, 15, 7),
        stage(5, 15, 255, 4),
        stage(5, 255, 300, 5),
        stage(5, 390, 420, 3),
    ];
    let record = only_session(&read_sql(&rows));
    assert_eq!(frame(&record), "2026-10-02T23:30:00+02:00 2026-10-03T06:30:00+02:00");
    assert_eq!(
        stages(&record),
        [
            "AWAKE 23:30-23:45",
            "LIGHT 23:45-03:45",
            "DEEP 03:45-04:30",
            "REM 04:30-06:00",
            "AWAKE 06:00-06:30"
        ]
    );
    assert_eq!((source(&record), record.is_nap()), ("com.example.watch", None));
    assert_eq!(record.key().to_stored(), "derived:2026-10-02T21:30:00.000Z");
}

#[test]
fn each_type_of_stage_has_its_name() {
    let kinds = (0..9).map(|kind| stage(5, kind * 10, kind * 10 + 10, kind));
    let items = read_sql(&[session(5, 1, 0, 90), kinds.collect()]);
    let names: Vec<_> = stages(&accepted_session(&items))
        .into_iter()
        .map(|text| text.chars().take(4).collect::<String>())
        .collect();
    assert_eq!(names, ["UNKN", "AWAK", "ASLE", "AWAK", "LIGH", "DEEP", "REM ", "AWAK", "UNKN"]);
    assert_eq!(notes(&items), ["stage 9: stages with an unknown stage_type were stored as UNKNOWN: 1"]);
}

#[test]
fn stages_that_the_database_repeats_are_read_once() {
    let light = stage(5, 0, 240, 4);
    let items = read_sql(&[session(5, 1, 0, 420), light.repeat(3), stage(5, 240, 420, 5)]);
    assert_eq!(stages(&accepted_session(&items)), ["LIGHT 23:30-03:30", "DEEP 03:30-06:30"]);
    assert_eq!(
        notes(&items),
        ["record 2: records that the import contains more than once were read once: 2"]
    );
}

#[test]
fn overlapping_stages_are_resolved_and_those_beyond_the_session_trimmed() {
    let rows = [session(5, 1, 0, 60), stage(5, 0, 70, 4), stage(5, 10, 20, 1), stage(5, 15, 30, 5)];
    let items = read_sql(&rows);
    assert_eq!(
        stages(&accepted_session(&items)),
        ["LIGHT 23:30-23:40", "AWAKE 23:40-23:50", "DEEP 23:50-00:00", "LIGHT 00:00-00:30"]
    );
    assert_eq!(notes(&items), ["record 1: stages that extend beyond the time in bed were trimmed: 1"]);
}

#[test]
fn the_same_night_of_two_apps_is_two_sources() {
    let rows = [session(1, 1, 0, 420), session(2, 2, 0, 420), session(3, 9, 0, 420)];
    let records = sessions(&read_sql(&rows));
    let sources: Vec<_> = records.iter().map(source).collect();
    assert_eq!(sources, ["com.example.watch", "org.example.manual", "health connect"]);
}

#[test]
fn a_nap_without_stages_has_its_time_in_bed() {
    let records = sessions(&read_sql(&[session(1, 1, 0, 420), session(2, 2, 870, 910), stage(1, 0, 420, 2)]));
    assert_eq!(metric(&records[0], MetricKind::TimeNightAsleep), Some(25_200.0));
    assert!(records[1].metrics().are_of_time_in_bed_alone());
    assert_eq!(frame(&records[1]), "2026-10-03T14:00:00+02:00 2026-10-03T14:40:00+02:00");
}

#[test]
fn both_ends_have_their_offsets_and_missing_ones_are_noted() {
    let offsets = |start: &str, end: &str| {
        let set = "UPDATE sleep_session_record_table SET start_zone_offset =";
        let items = read_sql(&[session(1, 1, 0, 420), format!("{set} {start}, end_zone_offset = {end};")]);
        (frame(&accepted_session(&items)), notes(&items).len())
    };
    for (start, end, expected, noted) in [
        ("7200", "3600", "2026-10-02T23:30:00+02:00 2026-10-03T05:30:00+01:00", 0),
        ("19800", "NULL", "2026-10-03T03:00:00+05:30 2026-10-03T10:00:00+05:30", 1),
        ("7200000", "'x'", "2026-10-02T17:30:00-04:00 2026-10-03T00:30:00-04:00", 1),
    ] {
        assert_eq!(offsets(start, end), (expected.to_owned(), noted));
    }
}

#[test]
fn sessions_of_one_stage_that_follow_each_other_are_one_night() {
    let rows = [
        [session(3, 1, 60, 120), stage(3, 60, 120, 5)].concat(),
        [session(2, 1, 0, 60), stage(2, 0, 60, 4)].concat(),
        [session(4, 1, 121, 180), stage(4, 121, 180, 6), stage(4, 121, 180, 6)].concat(),
        // Another app, a gap, and a night of several stages.
        [session(5, 2, 180, 240), stage(5, 180, 240, 4)].concat(),
        [session(6, 1, 182, 240), stage(6, 182, 240, 4)].concat(),
        [session(7, 1, 240, 300), stage(7, 240, 250, 4), stage(7, 250, 300, 5)].concat(),
    ];
    let items = read_sql(&rows);
    let found: Vec<_> = sessions(&items).iter().map(|record| stages(record).len()).collect();
    assert_eq!(found, [3, 1, 1, 2]);
    assert_eq!(frame(&sessions(&items)[0]), "2026-10-02T23:30:00+02:00 2026-10-03T02:30:00+02:00");
    assert!(notes(&items).iter().any(|note| note.ends_with("that follow each other were joined: 3")));
}

#[test]
fn repeated_sessions_of_one_stage_do_not_divide_a_night() {
    let one = |id, start, end, kind| [session(id, 1, start, end), stage(id, start, end, kind)].concat();
    let rows = [
        [one(1, 0, 60, 4), one(2, 0, 60, 4)].concat(),
        [one(3, 60, 120, 5), one(4, 60, 120, 5), one(5, 70, 80, 5)].concat(),
        one(6, 120, 180, 6),
    ];
    let items = read_sql(&rows);
    assert_eq!(
        stages(&accepted_session(&items)),
        ["LIGHT 23:30-00:30", "DEEP 00:30-01:30", "REM 01:30-02:30"]
    );
    assert!(notes(&items).iter().any(|note| note.ends_with("that follow each other were joined: 6")));
}

#[test]
fn stages_without_a_session_are_counted() {
    let invalid = "UPDATE sleep_session_record_table SET end_time = start_time WHERE row_id = 6;".to_owned();
    let rows =
        [session(5, 1, 0, 60), session(6, 1, 100, 160), stage(77, 0, 60, 4), stage(6, 100, 160, 4), invalid];
    let items = read_sql(&rows);
    assert_eq!(sessions(&items).len(), 1);
    assert_eq!(rejections(&items), ["record 2: time in bed: the end is not after the start"]);
    assert_eq!(notes(&items), ["stage 1: stages whose session is missing or was rejected were omitted: 2"]);
}

#[test]
fn an_invalid_row_is_rejected_and_the_others_are_read() {
    for (change, reason) in [
        ("start_time = 'never'", "start_time is not a time in milliseconds"),
        ("start_time = start_time / 1000", "start_time is not a time in milliseconds"),
        ("end_time = NULL", "end_time is not a time in milliseconds"),
        ("end_time = 9223372036854775807", "end_time is not a time in milliseconds"),
        ("start_time = end_time + 1", "time in bed: the end is not after the start"),
    ] {
        let change = format!("UPDATE sleep_session_record_table SET {change} WHERE row_id = 1;");
        let items = read_sql(&[session(1, 1, 0, 60), session(2, 1, 100, 160), change]);
        assert_eq!(rejections(&items), [format!("record 1: {reason}")]);
        assert_eq!(sessions(&items).len(), 1);
    }
    let change = "UPDATE sleep_stages_table SET stage_end_time = 'x' WHERE stage_type = 4;".to_owned();
    let items = read_sql(&[
        session(1, 1, 0, 60),
        stage(1, 0, 30, 4),
        stage(1, 30, 60, 5),
        stage(1, 60, 30, 5),
        change,
    ]);
    assert_eq!(
        rejections(&items),
        ["stage 1: stage_end_time is not a time in milliseconds", "stage 3: the end is not after the start"]
    );
    assert_eq!(stages(&sessions(&items)[0]), ["DEEP 00:00-00:30"]);
}

#[test]
fn a_database_without_sleep_is_read_as_empty() {
    assert_eq!(read(&database(TABLES), None, "UTC"), Ok(vec![]));
}

#[test]
fn a_database_is_read_in_its_zip() {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("health_connect_export.db", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(&database(&format!("{TABLES}{}", session(1, 1, 0, 420)))).unwrap();
    let bytes = zip.finish().unwrap().into_inner();
    assert_eq!(source(&only_session(&read(&bytes, None, "UTC").unwrap())), "com.example.watch");
}

#[test]
fn a_database_without_a_table_or_column_is_rejected() {
    for (name, expected) in [
        ("sleep_stages_table", "the database has no table sleep_stages_table"),
        ("application_info_table", "the database has no table application_info_table"),
    ] {
        let refused = refused(
            &TABLES.replace(&format!("TABLE {name} "), "TABLE x ").replace(&format!("INTO {name}"), "INTO x"),
        );
        assert!(refused.to_string().ends_with(expected), "{refused}");
    }
    let refused_column = refused(&TABLES.replace("stage_type", "kind"));
    assert!(refused_column.to_string().ends_with("has no column stage_type"), "{refused_column}");
    let other = refused("CREATE TABLE heart_rate_record_table (row_id INTEGER);");
    assert!(matches!(other, ImportRefusal::NotThisFormat(_)), "{other}");
}

#[test]
fn a_view_or_virtual_table_in_place_of_a_table_is_rejected() {
    for made in [
        "CREATE VIEW sleep_stages_table AS SELECT 1 AS parent_key, 2 AS stage_start_time, 3 AS stage_end_time, 4 AS stage_type;",
        "CREATE VIRTUAL TABLE sleep_stages_table USING fts5(parent_key, stage_start_time, stage_end_time, stage_type);",
    ] {
        let refused = refused(&format!("{TABLES} DROP TABLE sleep_stages_table; {made}"));
        assert!(refused.to_string().ends_with("sleep_stages_table is not an ordinary table"), "{refused}");
    }
}

#[test]
fn a_damaged_database_is_rejected_as_a_whole() {
    let rows: String = (0..200).map(|id| session(id + 1, 1, id * 500, id * 500 + 420)).collect();
    let whole = database(&format!("{TABLES}{rows}"));
    let mut corrupt = whole.clone();
    let middle = corrupt.len() / 2;
    corrupt[middle..middle + 4000].fill(0xff);
    for damage in [&whole[..whole.len() / 2], &corrupt, b"SQLite format 3\0 and no more"] {
        let refused = read(damage, Format::HealthConnect, "UTC").unwrap_err();
        assert!(matches!(refused, ImportRefusal::Damaged { .. }), "{refused}");
    }
}

const WEBHOOK: &str = r#"{"timestamp":"2026-10-05T05:02:11.123Z","app_version":"1.9.13","steps":[{"count":4711}],
"sleep":[{"session_end_time":"2026-10-05T04:30:00Z","duration_seconds":25200,
"stages":[{"stage":"4","start_time":"2026-10-04T21:30:00Z","end_time":"2026-10-04T22:10:00Z","duration_seconds":2400}],
"metadata":{"data_origin":"com.example.watch","recording_method":"automatically_recorded",
"device":{"manufacturer":"Acme","model":"Band 2","type":1}}}]}"#;

fn read_json(text: &str) -> Vec<ImportItem> {
    read(text.as_bytes(), None, "Europe/Berlin").unwrap()
}

#[test]
fn a_session_of_a_webhook_begins_its_length_before_its_end() {
    let record = only_session(&read_json(WEBHOOK));
    assert_eq!(frame(&record), "2026-10-04T23:30:00+02:00 2026-10-05T06:30:00+02:00");
    assert_eq!(stages(&record), ["LIGHT 23:30-00:10"]);
    assert_eq!(source(&record), "com.example.watch");
    assert_eq!(record.key().to_stored(), "derived:2026-10-04T21:30:00.000Z");
    // The length is in whole seconds.
    let text = WEBHOOK.replace("T04:30:00Z", "T04:30:00.700Z").replace("T21:30:00Z", "T21:30:00.200Z");
    assert!(frame(&only_session(&read_json(&text))).starts_with("2026-10-04T23:30:00.200"), "{text}");
}

#[test]
fn stages_may_be_numbers_texts_or_words() {
    for (value, name) in [
        ("\"4\"", "LIGHT"),
        ("4", "LIGHT"),
        ("\"light\"", "LIGHT"),
        ("\"out_of_bed\"", "AWAKE"),
        ("\"REM\"", "REM"),
        ("\"STAGE_TYPE_SLEEPING_DEEP\"", "DEEP"),
        ("\"STAGE_TYPE_AWAKE_OUT_OF_BED\"", "AWAKE"),
        ("\"SLEEP_STAGE_AWAKE_IN_BED\"", "AWAKE"),
    ] {
        let record = only_session(&read_json(&WEBHOOK.replace("\"4\"", value)));
        assert_eq!(stages(&record), [format!("{name} 23:30-00:10")]);
    }
    for value in ["\"8\"", "\"nap\"", "null", "4.5"] {
        let items = read_json(&WEBHOOK.replace("\"4\"", value));
        assert_eq!(stages(&accepted_session(&items)), ["UNKNOWN 23:30-00:10"]);
        assert_eq!(notes(&items), ["record 1: stages with an unknown name were stored as UNKNOWN: 1"]);
    }
}

#[test]
fn a_webhook_without_metadata_or_stages_is_a_session_of_health_connect() {
    let text = r#"{"timestamp":"x","app_version":"1","sleep":[{"session_end_time":"2026-10-05T04:30:00Z",
        "duration_seconds":25200,"stages":[]}]}"#;
    let record = only_session(&read_json(text));
    assert_eq!(source(&record), "health connect");
    assert!(record.metrics().are_of_time_in_bed_alone());
    assert_eq!(read(br#"{"timestamp":"x","app_version":"1","sleep":[]}"#, None, "UTC"), Ok(vec![]));
}

#[test]
fn the_test_of_an_exporter_is_rejected() {
    let text = WEBHOOK.replacen('{', r#"{"test":true,"#, 1);
    let refused = read(text.as_bytes(), None, "UTC").unwrap_err();
    assert!(matches!(refused, ImportRefusal::HoldsNoSleep(_)), "{refused}");
    let text = WEBHOOK.replacen('{', r#"{"test":false,"#, 1);
    assert!(!read(text.as_bytes(), None, "UTC").unwrap().is_empty());
}

#[test]
fn sleep_may_follow_other_measures_or_be_absent() {
    let (start, sleep) = WEBHOOK.split_once(r#""sleep""#).unwrap();
    let steps = r#"{"count":1},"#.repeat(100_000);
    let text = format!(r#"{start}"steps":[{steps}{{}}],"sleep"{sleep}"#);
    assert_eq!(sessions(&read(text.as_bytes(), None, "UTC").unwrap()).len(), 1);
    assert_eq!(read(br#"{"timestamp":"x","app_version":"1","steps":[{}]}"#, None, "UTC"), Ok(vec![]));
}

const RECORD: &str = r#"{"startTime":"2026-10-04T21:30:00Z","endTime":"2026-10-05T04:30:00Z","title":"x",
"stages":[{"startTime":"2026-10-04T21:30:00Z","endTime":"2026-10-04T22:10:00Z","stage":5}],
"metadata":{"id":"00112233-4455-4677-8899-aabbccddeeff","dataOrigin":"com.example.watch"}}"#;

#[test]
fn a_record_with_an_id_has_it_as_its_key() {
    for text in [
        format!(r#"{{"data":[{RECORD}]}}"#),
        format!(r#"{{"data":{RECORD}}}"#),
        format!("[{RECORD}]"),
        RECORD.to_owned(),
    ] {
        let record = only_session(&read_json(&text));
        assert_eq!(record.key().to_stored(), "given:00112233-4455-4677-8899-aabbccddeeff");
        assert_eq!(frame(&record), "2026-10-04T23:30:00+02:00 2026-10-05T06:30:00+02:00");
        assert_eq!(stages(&record), ["DEEP 23:30-00:10"]);
    }
}

#[test]
fn a_record_may_state_its_offset() {
    for (from, to) in
        [("\"title\":\"x\"", "\"startZoneOffset\":19800,\"endZoneOffset\":\"+05:30\""), ("00Z", "00+00:00")]
    {
        let record = accepted_session(&read_json(&RECORD.replace(from, to)));
        let offset = if from == "00Z" { "+00:00" } else { "+05:30" };
        assert!(frame(&record).matches(offset).count() == 2, "{}", frame(&record));
    }
}

#[test]
fn an_invalid_record_is_rejected_and_the_others_are_read() {
    for (from, to, reason) in [
        (
            "\"startTime\":\"2026-10-04T21:30:00Z\",\"endTime\":\"2026-10-05",
            "\"startTime\":\"2026-10-06T21:30:00Z\",\"endTime\":\"2026-10-05",
            "time in bed: the end is not after the start",
        ),
        (
            "\"endTime\":\"2026-10-05T04:30:00Z\"",
            "\"endTime\":\"soon\"",
            "the end is not a date and time with an offset",
        ),
        (
            "\"endTime\":\"2026-10-05T04:30:00Z\"",
            "\"endTime\":\"2026-10-05T04:30:00\"",
            "the end is not a date and time with an offset",
        ),
        ("\"endTime\":\"2026-10-05T04:30:00Z\"", "\"endTime\":null", "the end is missing"),
        (
            "\"startTime\":\"2026-10-04T21:30:00Z\",\"end",
            "\"startTime\":null,\"end",
            "duration_seconds is not a whole number",
        ),
        ("\"stages\"", "\"segments\"", "stages is missing; only sleep sessions are imported"),
        (
            "\"id\":\"00112233-4455-4677-8899-aabbccddeeff\"",
            "\"id\":true",
            "id is neither a whole number nor a string",
        ),
    ] {
        let other = RECORD.replace("aabbccddeeff", "aabbccddee00");
        let items = read_json(&format!(r#"{{"data":[{other},{}]}}"#, RECORD.replace(from, to)));
        assert_eq!(rejections(&items), [format!("record 2: {reason}")]);
        assert_eq!(sessions(&items).len(), 1);
    }
}

#[test]
fn records_of_other_kinds_are_not_recognised() {
    let steps = r#"{"data":[{"startTime":"2026-10-04T21:30:00Z","endTime":"2026-10-05T04:30:00Z","count":7,
        "metadata":{"id":"a","dataOrigin":"b"}}]}"#;
    assert!(matches!(read(steps.as_bytes(), None, "UTC"), Err(ImportRefusal::NotThisFormat(_))));
}

#[test]
fn an_empty_list_is_accepted_on_request() {
    for text in ["[]", r#"{"data":[]}"#, r#"{"sleep":[]}"#] {
        assert_eq!(read(text.as_bytes(), Format::HealthConnect, "UTC"), Ok(vec![]), "{text}");
    }
}
