//! Generated files of the format, for tests.

use crate::test_support::{Fixtures, Layout, RecordKind, time_frame};

pub(crate) const FIXTURES: Fixtures = Fixtures {
    examples: &[
        r#"{"header":{"id":"a","schema_id":{"namespace":"omh","name":"sleep-episode","version":"1.1"}},
    "body":{"effective_time_frame":{"time_interval":{"start_date_time":"2026-01-10T23:00:00+01:00",
    "duration":{"value":8,"unit":"h"}}},"total_sleep_time":{"value":7,"unit":"h"}}}"#,
        r#"{"sleep_stage_summary":{"total_sleep_time":{"value":7,"unit":"h"}},"sleep_stage_episodes":[],
    "effective_time_frame":{"time_interval":{"start_date_time":"2026-01-10T23:00:00Z","duration":{"value":8,"unit":"h"}}}}"#,
    ],
    layouts: &[
        Layout {
            records: RecordKind::Whole,
            before: "[",
            record: |_, start, end| format!(r#"{{"is_main_sleep":true,{}}}"#, time_frame(start, end)),
            unreadable: r#"{"is_main_sleep":true,"effective_time_frame":{"time_interval":7}}"#,
            blank: None,
            between: ",",
            after: "]",
        },
        Layout {
            records: RecordKind::Sample,
            before: "[",
            record: |_, start, end| {
                format!(
                    r#"{{"category_type":"HKCategoryTypeIdentifierSleepAnalysis","category_value":"AsleepREM",{}}}"#,
                    time_frame(start, end)
                )
            },
            unreadable: r#"{"category_type":"HKCategoryTypeIdentifierSleepAnalysis","category_value":"AsleepREM",
                "effective_time_frame":{"time_interval":7}}"#,
            blank: None,
            between: ",",
            after: "]",
        },
    ],
    export: &[],
};
