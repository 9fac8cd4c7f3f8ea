//! Generated files of the format, for tests.

use crate::test_support::{Fixtures, Layout, RecordKind, iso};

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
};
