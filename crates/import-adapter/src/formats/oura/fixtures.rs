//! Generated files of the format, for tests.

use crate::test_support::{ExportFile, Fixtures, Layout, RecordKind, iso};
use chrono::TimeDelta;

pub(crate) const FIXTURES: Fixtures = Fixtures {
    examples: &[
        r#"{"data":[{"id":"a","type":"sleep","bedtime_start":"2026-01-10T23:00:00+01:00","period":0,
    "bedtime_end":"2026-01-11T00:00:00+01:00","sleep_phase_5_min":"442233"}],"next_token":null}"#,
        "\u{feff}id;bedtime_end;bedtime_start;day;heart_rate;sleep_phase_5_min;total_sleep_duration;type\r\n\
         a;2026-01-11T00:00:00.000+01:00;2026-01-10T23:00:00.000+01:00;2026-01-11;\"{\"\"items\"\": [60, null]}\";\
         442233442233;2400;late_nap\r\n",
        "date,Sleep Score,Total Sleep Duration,Bedtime Start,Bedtime End\n\
         2026-01-11,81,2400,2026-01-10T23:00:00+01:00,2026-01-11T00:00:00+01:00\n",
    ],
    layouts: &[
        Layout {
            records: RecordKind::Whole,
            before: "id;bedtime_end;bedtime_start;day;total_sleep_duration;type\r\n",
            record: |number, start, end| {
                format!("{number};{};{};2026-01-11;;long_sleep\r\n", iso(end), iso(start))
            },
            unreadable: "x;never;never;2026-01-11;;long_sleep\r\n",
            blank: Some("\r\n"),
            between: "",
            after: "",
        },
        Layout {
            records: RecordKind::Whole,
            before: "date,Total Sleep Time,Bedtime Start,Bedtime End\n",
            record: |_, start, end| format!("2026-01-11,,{},{}\n", iso(start), iso(end)),
            unreadable: "2026-01-11,,never,never\n",
            blank: Some("\n"),
            between: "",
            after: "",
        },
        Layout {
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
        },
    ],
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
