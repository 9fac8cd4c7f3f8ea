//! Generated files of the format, for tests.

use crate::test_support::{ExportFile, Fixtures, Layout, RecordKind, iso, night_stages};
use chrono::TimeDelta;

/// The tables, without constraints and without those that are not read.
const TABLES: &str = "CREATE TABLE application_info_table (row_id INTEGER PRIMARY KEY, package_name TEXT, app_name TEXT);
CREATE TABLE sleep_session_record_table (row_id INTEGER, uuid BLOB, last_modified_time INTEGER, app_info_id INTEGER,
start_time INTEGER, start_zone_offset INTEGER, end_time INTEGER, end_zone_offset INTEGER,
local_date_time_start_time INTEGER AS (start_time + 1000 * start_zone_offset));
CREATE TABLE sleep_stages_table (parent_key INTEGER, stage_start_time INTEGER, stage_end_time INTEGER, stage_type INTEGER);
INSERT INTO application_info_table VALUES (1, 'com.example.watch', 'Watch');\n";

pub(crate) const FIXTURES: Fixtures = Fixtures {
    examples: &[
        "CREATE TABLE application_info_table (row_id INTEGER PRIMARY KEY, package_name TEXT);
CREATE TABLE sleep_session_record_table (row_id INTEGER PRIMARY KEY, app_info_id INTEGER, start_time INTEGER,
start_zone_offset INTEGER, end_time INTEGER, end_zone_offset INTEGER);
CREATE TABLE sleep_stages_table (parent_key INTEGER, stage_start_time INTEGER, stage_end_time INTEGER, stage_type INTEGER);
INSERT INTO application_info_table VALUES (1, 'com.example.watch');
INSERT INTO sleep_session_record_table VALUES (5, 1, 1790976600000, 7200, 1791001800000, 7200);
INSERT INTO sleep_stages_table VALUES (5, 1790976600000, 1790991900000, 4);",
        r#"{"timestamp":"2026-10-05T05:02:11.123Z","app_version":"1.9.13","sleep":[{"session_end_time":"2026-10-05T04:30:00Z",
        "duration_seconds":25200,"stages":[{"stage":"4","start_time":"2026-10-04T21:30:00Z",
        "end_time":"2026-10-04T22:10:00Z","duration_seconds":2400}],"metadata":{"data_origin":"com.example.watch"}}]}"#,
        r#"{"timestamp":"2026-10-05T05:02:11.123Z","app_version":"2.0","source":"health_connect","sleep":[{
        "session_end_time":"2026-10-05T04:30:00Z","duration_seconds":25200,"stages":[{"stage":"light",
        "start_time":"2026-10-04T21:30:00Z","end_time":"2026-10-04T22:10:00Z","duration_seconds":2400}]}]}"#,
        r#"{"data":[{"startTime":"2026-10-04T21:30:00Z","endTime":"2026-10-05T04:30:00Z","stages":[{"startTime":
        "2026-10-04T21:30:00Z","endTime":"2026-10-04T22:10:00Z","stage":4}],"metadata":{"id":
        "00112233-4455-4677-8899-aabbccddeeff","dataOrigin":"com.example.watch"}}]}"#,
    ],
    layouts: &[
        Layout {
            records: RecordKind::Whole,
            before: TABLES,
            record: |number, start, end| {
                let (start, end) = (start.timestamp_millis(), end.timestamp_millis());
                format!(
                    "INSERT INTO sleep_session_record_table VALUES ({number}, x'00', 0, 1, {start}, 7200, {end}, 3600);"
                )
            },
            unreadable: "INSERT INTO sleep_session_record_table VALUES (7, x'00', 0, 1, 'never', 0, NULL, 0);",
            blank: None,
            between: "",
            after: "",
        },
        Layout {
            records: RecordKind::Whole,
            before: r#"{"timestamp":"2026-10-05T05:02:11.123Z","app_version":"1.9.13","sleep":["#,
            record: |_, start, end| {
                let (length, end) = ((end - start).num_seconds(), iso(end));
                format!(r#"{{"session_end_time":"{end}","duration_seconds":{length},"stages":[]}}"#)
            },
            unreadable: r#"{"session_end_time":"never","duration_seconds":60,"stages":[]}"#,
            blank: None,
            between: ",",
            after: "]}",
        },
        Layout {
            records: RecordKind::Whole,
            before: r#"{"data":["#,
            record: |number, start, end| {
                let (start, end) = (iso(start), iso(end));
                format!(
                    r#"{{"startTime":"{start}","endTime":"{end}","stages":[{{"startTime":"{start}","endTime":"{end}","stage":2}}],
                    "metadata":{{"id":"{number}","dataOrigin":"com.example.watch"}}}}"#
                )
            },
            unreadable: r#"{"startTime":"never","endTime":"never","stages":[],"metadata":{"dataOrigin":"x"}}"#,
            blank: None,
            between: ",",
            after: "]}",
        },
    ],
    export: &[ExportFile {
        name: "health_connect_export.db",
        before: TABLES,
        night: |number, start| {
            let (first, end) = (start.timestamp_millis(), (start + TimeDelta::hours(8)).timestamp_millis());
            let session = format!(
                "INSERT INTO sleep_session_record_table VALUES ({number}, x'00', 0, 1, {first}, 7200, {end}, 7200);"
            );
            let stages = night_stages(start).map(|(index, start, end)| {
                let (start, end, kind) = (start.timestamp_millis(), end.timestamp_millis(), 4 + index % 4);
                format!("INSERT INTO sleep_stages_table VALUES ({number}, {start}, {end}, {kind});")
            });
            stages.fold(session, |text, stage| text + &stage)
        },
        between: "",
        after: "",
    }],
};
