//! Generated files of the format, for tests.

use crate::test_support::{ExportFile, Fixtures, Layout, RecordKind, local};
use chrono::{DateTime, TimeDelta, Utc};

const FORM: &str = "%Y-%m-%d %H:%M:%S";

fn seconds(start: DateTime<Utc>, end: DateTime<Utc>) -> i64 {
    end.signed_duration_since(start).num_seconds()
}

pub(crate) const FIXTURES: Fixtures = Fixtures {
    examples: &[
        "Start;End;Sleep quality;Time in bed;Wake up;Sleep Notes\n\
        2013-01-10 23:11:10;2013-01-11 06:02:05;75%;6:50;:|;\n",
        "Start;End;Sleep Quality;Regularity;Awake (seconds);Dream (seconds);Light (seconds);Deep (seconds);\
        Time in bed (seconds);Time asleep (seconds);Time before sleep (seconds);Notes\n\
        2026-01-10 23:00:00;2026-01-11 07:00:00;81%;—;1800.0;5400.0;14400.0;7200.0;28800.0;27000.0;600.0;\n",
        "Went to bed;Woke up;Sleep Quality;Time in bed (seconds);Time asleep (seconds);Asleep after (seconds)\n\
        2026-01-10 23:00:00;2026-01-11 07:00:00;81%;28800;26000;600\n",
        "Went to bed,Woke up,Sleep Quality,Time in bed (seconds),Time asleep (seconds),Asleep after (seconds)\n\
        2026-01-10 23:00:00,2026-01-11 07:00:00,81%,28800,26000,600\n",
    ],
    layouts: &[
        Layout {
            records: RecordKind::Whole,
            before: "Start;End;Sleep Quality;Dream (seconds);Light (seconds);Deep (seconds);Time in bed (seconds)\n",
            record: |_, start, end| {
                let length = seconds(start, end);
                format!("{};{};81%;0;{length};0;{length}\n", local(start, FORM), local(end, FORM))
            },
            unreadable: "never;never;81%;0;0;0;0\n",
            blank: Some("\n"),
            between: "",
            after: "",
        },
        Layout {
            records: RecordKind::Whole,
            before: "Went to bed;Woke up;Sleep Quality;Time in bed (seconds);Time asleep (seconds)\n",
            record: |_, start, end| {
                let length = seconds(start, end);
                format!("{};{};81%;{length};{length}\n", local(start, FORM), local(end, FORM))
            },
            unreadable: "never;never;81%;0;0\n",
            blank: Some("\n"),
            between: "",
            after: "",
        },
    ],
    export: &[ExportFile {
        name: "sleepdata.csv",
        before: "Start;End;Sleep Quality;Dream (seconds);Light (seconds);Deep (seconds);Time in bed (seconds)\n",
        night: |_, start| {
            let (start, end) = (local(start, FORM), local(start + TimeDelta::hours(8), FORM));
            format!("{start};{end};81%;7200;14400;7200;28800\n")
        },
        between: "",
        after: "",
    }],
};
