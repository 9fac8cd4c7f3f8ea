//! Generated files of the format, for tests.

use crate::test_support::{Fixtures, Layout, RecordKind, local};

pub(crate) const FIXTURES: Fixtures = Fixtures {
    examples: &[
        "Cycle start time,Cycle timezone,Sleep onset,Wake onset,Nap\nx,UTC,2026-01-10 23:00:00,2026-01-11 07:00:00,true\n",
    ],
    layouts: &[Layout {
        records: RecordKind::Whole,
        before: "Cycle start time,Cycle timezone,Sleep onset,Wake onset,Nap\n",
        record: |number, start, end| {
            let form = "%Y-%m-%d %H:%M:%S";
            format!("x,UTC,{},{},{}\n", local(start, form), local(end, form), number % 2 == 0)
        },
        unreadable: "x,UTC,never,never,false\n",
        blank: Some("\n"),
        between: "",
        after: "",
    }],
    export: &[],
};
