//! Generated files of the format, for tests.

use crate::test_support::{ExportFile, Fixtures, Layout, RecordKind, local, night_stages, one_of};
use chrono::{DateTime, Utc};

const BEFORE: &str = r#"{"data":{"metrics":[{"name":"sleep_analysis","units":"hr","data":["#;
const AFTER: &str = "]}]}}";
const TIME: &str = "%Y-%m-%d %H:%M:%S +0000";

fn stage(word: &str, start: DateTime<Utc>, end: DateTime<Utc>) -> String {
    let (start, end) = (local(start, TIME), local(end, TIME));
    format!(r#"{{"startDate":"{start}","endDate":"{end}","value":"{word}","qty":0.4,"source":"Watch"}}"#)
}

pub(crate) const FIXTURES: Fixtures = Fixtures {
    examples: &[
        r#"{"data":{"metrics":[{"name":"step_count","units":"count","data":[{"date":"2026-01-10 12:00:00 +0100","qty":7}]},
        {"name":"sleep_analysis","units":"hr","data":[{"startDate":"2026-01-10 23:00:00 +0100","source":"Watch",
        "endDate":"2026-01-11 07:00:00 +0100","qty":8,"value":"Core"}]}]}}"#,
        r#"{"data":{"metrics":[{"data":[{"date":"2026-01-11 00:00:00 +0100","sleepStart":"2026-01-10 23:00:00 +0100",
        "sleepEnd":"2026-01-11 07:00:00 +0100","totalSleep":7.5,"core":4,"deep":1.5,"rem":2,"awake":0.5,"asleep":0,
        "inBed":0,"source":"Watch"}],"name":"sleep_analysis","units":"hr"}]}}"#,
    ],
    layouts: &[
        Layout {
            records: RecordKind::Whole,
            before: BEFORE,
            record: |_, start, end| {
                let (start, end) = (local(start, TIME), local(end, TIME));
                format!(r#"{{"sleepStart":"{start}","sleepEnd":"{end}","source":"Watch"}}"#)
            },
            unreadable: r#"{"sleepStart":"never","sleepEnd":"never","source":"Watch"}"#,
            blank: None,
            between: ",",
            after: AFTER,
        },
        Layout {
            records: RecordKind::Sample,
            before: BEFORE,
            record: |_, start, end| stage("REM", start, end),
            unreadable: r#"{"start":"never","end":"never","value":"REM","source":"Watch"}"#,
            blank: None,
            between: ",",
            after: AFTER,
        },
    ],
    export: &[ExportFile {
        name: "HealthAutoExport.json",
        before: BEFORE,
        night: |_, start| {
            let word = |number| one_of(["Core", "Deep", "REM", "Awake"], number);
            let stages = night_stages(start).map(|(number, start, end)| stage(word(number), start, end));
            stages.collect::<Vec<_>>().join(",")
        },
        between: ",",
        after: AFTER,
    }],
};
