//! Generated files of the format, for tests.

use crate::test_support::{ExportFile, Fixtures, Layout, RecordKind, local, night_stages};
use chrono::TimeDelta;

pub(crate) const FIXTURES: Fixtures = Fixtures {
    examples: &[
        r#"[{"dailySleepDTO":{"sleepStartTimestampGMT":1768104000000,"sleepEndTimestampGMT":1768107600000},
    "sleepLevels":[{"startGMT":"2026-01-11T04:00:00.0","endGMT":"2026-01-11T05:00:00.0","activityLevel":1.0}]}]"#,
    ],
    layouts: &[Layout {
        records: RecordKind::Whole,
        before: "[",
        record: |_, start, end| {
            let (start, end) = (start.timestamp_millis(), end.timestamp_millis());
            format!(
                r#"{{"dailySleepDTO":{{"sleepStartTimestampGMT":{start},"sleepEndTimestampGMT":{end},
                    "sleepTimeSeconds":60}}}}"#
            )
        },
        unreadable: r#"{"dailySleepDTO":{"sleepStartTimestampGMT":"never","sleepEndTimestampGMT":"never","sleepTimeSeconds":60}}"#,
        blank: None,
        between: ",",
        after: "]",
    }],
    export: &[ExportFile {
        name: "sleep.json",
        before: "[",
        night: |_, start| {
            let form = "%Y-%m-%dT%H:%M:%S.0";
            let level = |(number, start, end): (usize, _, _)| {
                let (start, end) = (local(start, form), local(end, form));
                format!(r#"{{"startGMT":"{start}","endGMT":"{end}","activityLevel":{}.0}}"#, number % 4)
            };
            let levels = night_stages(start).map(level).collect::<Vec<_>>().join(",");
            let (start, end) = (start.timestamp_millis(), (start + TimeDelta::hours(8)).timestamp_millis());
            format!(
                r#"{{"dailySleepDTO":{{"sleepStartTimestampGMT":{start},"sleepEndTimestampGMT":{end}}},
                "sleepLevels":[{levels}]}}"#
            )
        },
        between: ",",
        after: "]",
    }],
};
