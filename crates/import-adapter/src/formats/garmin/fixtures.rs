//! Generated files of the format, for tests.

use crate::test_support::{Fixtures, Layout, RecordKind};

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
};
