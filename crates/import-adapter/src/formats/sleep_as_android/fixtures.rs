//! Generated files of the format, for tests.

use crate::test_support::{Fixtures, Layout, RecordKind, local};

pub(crate) const FIXTURES: Fixtures = Fixtures {
    examples: &[
        "Id,Tz,From,To,Sched,Hours,\"Event\"\n7,UTC,10. 01. 2026 22:00,11. 01. 2026 6:00,,8.0,REM_START-1768100400000\n",
    ],
    layouts: &[Layout {
        records: RecordKind::Whole,
        before: "Id,Tz,From,To,Sched,Hours\n",
        record: |number, start, end| {
            let form = "%d. %m. %Y %H:%M";
            format!("{number},UTC,{},{},,\n", local(start, form), local(end, form))
        },
        unreadable: "7,UTC,never,never,,\n",
        blank: Some("\n"),
        between: "",
        after: "",
    }],
};
