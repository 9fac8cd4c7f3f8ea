//! Generated files of the format, for tests.

use crate::test_support::{ExportFile, Fixtures, Layout, RecordKind, iso};
use chrono::TimeDelta;

pub(crate) const FIXTURES: Fixtures = Fixtures {
    examples: &[r#"{"data":[{"id":"a","type":"sleep","bedtime_start":"2026-01-10T23:00:00+01:00","period":0,
    "bedtime_end":"2026-01-11T00:00:00+01:00","sleep_phase_5_min":"442233"}],"next_token":null}"#],
    layouts: &[Layout {
        records: RecordKind::Whole,
        before: r#"{"data":["#,
        record: |number, start, end| {
            let (start, end) = (iso(start), iso(end));
            format!(r#"{{"id":"{number}","bedtime_start":"{start}","bedtime_end":"{end}"}}"#)
        },
        unreadable: r#"{"id":"x","bedtime_start":"never","bedtime_end":"never"}"#,
        blank: None,
        between: ",",
        after: "]}",
    }],
    export: &[ExportFile {
        name: "sleep.json",
        before: r#"{"data":["#,
        night: |number, start| {
            let (from, to) = (iso(start), iso(start + TimeDelta::hours(8)));
            let phases = "42213".repeat(19);
            format!(
                r#"{{"id":"{number}","type":"long_sleep","bedtime_start":"{from}","bedtime_end":"{to}",
                "sleep_phase_5_min":"{phases}"}}"#
            )
        },
        between: ",",
        after: "]}",
    }],
};
