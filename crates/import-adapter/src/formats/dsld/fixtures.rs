//! Generated files of the format, for tests.

use crate::test_support::{Fixtures, Layout, RecordKind};

pub(crate) const FIXTURES: Fixtures = Fixtures {
    examples: &[
        r#"{"id":3,"fullName":"A","ingredientRows":[{"name":"B","quantity":[{"quantity":1,"unit":"mg"}]}]}"#,
        r#"{"hits":[{"_source":{"id":4,"fullName":"C","ingredientRows":[]}}]}"#,
    ],
    layouts: &[Layout {
        records: RecordKind::Whole,
        before: "[",
        record: |number, start, end| {
            let name = if start < end { "Magnesium" } else { "" };
            format!(r#"{{"id":{number},"fullName":"{name}","ingredientRows":[]}}"#)
        },
        unreadable: r#"{"id":"x","fullName":"Magnesium","ingredientRows":7}"#,
        blank: None,
        between: ",",
        after: "]",
    }],
    export: &[],
};
