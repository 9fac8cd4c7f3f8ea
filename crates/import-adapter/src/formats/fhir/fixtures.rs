//! Generated files of the format, for tests.

use crate::test_support::{Fixtures, Layout, RecordKind, iso};

pub(crate) const FIXTURES: Fixtures = Fixtures {
    examples: &[
        r#"{"resourceType":"Observation","code":{"coding":[{"system":"http://snomed.info/sct","code":"258158006"}]},
    "effectivePeriod":{"start":"2026-01-10T23:00:00Z","end":"2026-01-11T07:00:00Z"},
    "valueCodeableConcept":{"coding":[{"system":"http://snomed.info/sct","code":"248220008"}]}}"#,
    ],
    layouts: &[Layout {
        records: RecordKind::Sample,
        before: "[",
        record: |_, start, end| {
            format!(
                r#"{{"resourceType":"Observation","status":"final","code":{{"coding":[{{"system":
                    "http://snomed.info/sct","code":"258158006"}}]}},"effectivePeriod":{{"start":"{}","end":"{}"}},
                    "valueCodeableConcept":{{"coding":[{{"system":"http://snomed.info/sct","code":"248220008"}}]}}}}"#,
                iso(start),
                iso(end)
            )
        },
        unreadable: r#"{"resourceType":"Observation","status":"final","code":{"coding":[{"system":
                "http://snomed.info/sct","code":"258158006"}]},"effectivePeriod":{"start":"never","end":"never"},
                "valueCodeableConcept":{"coding":[{"system":"http://snomed.info/sct","code":"248220008"}]}}"#,
        blank: None,
        between: ",",
        after: "]",
    }],
    export: &[],
};
