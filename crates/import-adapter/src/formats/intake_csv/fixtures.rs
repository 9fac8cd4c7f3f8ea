//! Generated files of the format, for tests.

use crate::test_support::{Fixtures, Layout, RecordKind, SUPPLEMENT, iso, servings};

pub(crate) const FIXTURES: Fixtures = Fixtures {
    examples: &[
        "created_at,supplement_id,servings\n2026-01-10 22:00,1a2b3c4d-0000-4000-8000-000000000001,1\n",
    ],
    layouts: &[Layout {
        records: RecordKind::Whole,
        before: "created_at,supplement_id,servings\n",
        record: |number, start, end| {
            format!("{},{SUPPLEMENT},{}\n", iso(start), servings(number, start, end))
        },
        unreadable: "never,x,1\n",
        blank: Some("\n"),
        between: "",
        after: "",
    }],
    export: &[],
};
