//! Generated files of the format, for tests.

use crate::test_support::{Fixtures, Layout, RecordKind, SUPPLEMENT, iso, servings};

pub(crate) const FIXTURES: Fixtures = Fixtures {
    examples: &[
        "{\"type\":\"sleep_session\",\"time_in_bed_start\":\"2026-03-08T23:00:00Z\",\"time_in_bed_end\":\"2026-03-09T07:00:00Z\"}\n",
    ],
    layouts: &[
        Layout {
            records: RecordKind::Whole,
            before: "",
            record: |number, start, end| {
                let (start, end) = (iso(start), iso(end));
                format!(
                    r#"{{"type":"sleep_session","external_id":"{number}","time_in_bed_start":"{start}","time_in_bed_end":"{end}"}}"#
                )
            },
            unreadable: r#"{"type":"sleep_session","time_in_bed_start":"never","time_in_bed_end":"never"}"#,
            blank: Some(""),
            between: "\n",
            after: "\n",
        },
        Layout {
            records: RecordKind::Whole,
            before: "",
            record: |_, start, end| {
                let (start, end) = (iso(start), iso(end));
                format!(
                    r#"{{"type":"sleep_session","time_in_bed_start":"{start}","time_in_bed_end":"{end}"}}"#
                )
            },
            unreadable: r#"{"type":"sleep_session","time_in_bed_start":7}"#,
            blank: Some(""),
            between: "\n",
            after: "\n",
        },
        Layout {
            records: RecordKind::Whole,
            before: "",
            record: |number, start, end| {
                let (start, servings) = (iso(start), servings(number, start, end));
                format!(
                    r#"{{"type":"supplement_log","external_id":"{start}","created_at":"{start}","supplement_id":"{SUPPLEMENT}","servings":{servings}}}"#
                )
            },
            unreadable: r#"{"type":"supplement_log","created_at":"never"}"#,
            blank: Some(""),
            between: "\n",
            after: "\n",
        },
        Layout {
            records: RecordKind::Whole,
            before: "",
            record: |number, start, end| {
                let name = if start < end { "Magnesium" } else { "" };
                format!(
                    r#"{{"type":"supplement","external_source":"made-up","external_id":"{number}","name":"{name}"}}"#
                )
            },
            unreadable: r#"{"type":"supplement","name":7}"#,
            blank: Some(""),
            between: "\n",
            after: "\n",
        },
    ],
    export: &[],
};
