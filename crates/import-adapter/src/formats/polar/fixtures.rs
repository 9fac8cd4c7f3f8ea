//! Generated files of the format, for tests.

use crate::test_support::{ExportFile, Fixtures, Layout, RecordKind, iso, night_stages, one_of};
use chrono::TimeDelta;

pub(crate) const FIXTURES: Fixtures = Fixtures {
    examples: &[
        r#"[{"night":"2026-01-11","evaluation":{"asleepDuration":"PT50M","interruptions":{"totalDuration":"PT10M"},
    "phaseDurations":{"wake":"PT10M","rem":"PT0S","light":"PT20M","deep":"PT30M","unknown":"PT0S"}},
    "sleepResult":{"hypnogram":{"sleepStart":"2026-01-10T23:00:00.000+01:00","sleepEnd":"2026-01-11T00:00:00.000+01:00",
    "sleepStateChanges":[{"offsetFromStart":"PT0S","state":"NONREM2"},{"offsetFromStart":"PT20M","state":"NONREM3"},
    {"offsetFromStart":"PT50M","state":"WAKE"}]}}}]"#,
        r#"{"nights":[{"date":"2026-01-11","sleep_start_time":"2026-01-10T23:00:07+01:00","sleep_end_time":
    "2026-01-11T00:00:37+01:00","light_sleep":1200,"deep_sleep":1800,"rem_sleep":0,"total_interruption_duration":630,
    "hypnogram":{"23:00":2,"23:20":4,"23:50":0}}]}"#,
        r#"{"date":"2026-01-11","sleep_start_time":"2026-01-10T23:00:07+01:00","sleep_end_time":
    "2026-01-11T00:00:37+01:00","sleep_score":70}"#,
    ],
    layouts: &[
        Layout {
            records: RecordKind::Whole,
            before: "[",
            record: |number, start, end| {
                let (start, end) = (iso(start), iso(end));
                format!(
                    r#"{{"night":"night {number}","evaluation":{{}},"sleepResult":{{"hypnogram":{{
                    "sleepStart":"{start}","sleepEnd":"{end}"}}}}}}"#
                )
            },
            unreadable: r#"{"night":"x","evaluation":{},"sleepResult":{"hypnogram":{"sleepStart":"never","sleepEnd":"never"}}}"#,
            blank: None,
            between: ",",
            after: "]",
        },
        Layout {
            records: RecordKind::Whole,
            before: r#"{"nights":["#,
            record: |number, start, end| {
                let (start, end) = (iso(start), iso(end));
                format!(
                    r#"{{"date":"night {number}","sleep_start_time":"{start}","sleep_end_time":"{end}","sleep_score":7}}"#
                )
            },
            unreadable: r#"{"date":"x","sleep_start_time":"never","sleep_end_time":"never"}"#,
            blank: None,
            between: ",",
            after: "]}",
        },
    ],
    export: &[ExportFile {
        name: "sleep_result.json",
        before: "[",
        night: |number, start| {
            let change = |(number, _, _): (usize, _, _)| {
                let (minutes, state) = (number * 24, one_of(["NONREM2", "NONREM3", "REM", "WAKE"], number));
                format!(r#"{{"offsetFromStart":"PT{minutes}M","state":"{state}"}}"#)
            };
            let changes = night_stages(start).map(change).collect::<Vec<_>>().join(",");
            let (start, end) = (iso(start), iso(start + TimeDelta::hours(8)));
            format!(
                r#"{{"night":"night {number}","evaluation":{{}},"sleepResult":{{"hypnogram":{{
                "sleepStart":"{start}","sleepEnd":"{end}","sleepStateChanges":[{changes}]}}}}}}"#
            )
        },
        between: ",",
        after: "]",
    }],
};
