//! Generated files of the format, for tests.

use crate::test_support::{ExportFile, Fixtures, Layout, RecordKind, local, night_stages, one_of};

pub(crate) const FIXTURES: Fixtures = Fixtures {
    examples: &["<HealthData>\n<Record type=\"HKCategoryTypeIdentifierSleepAnalysis\" sourceName=\"watch\"
    startDate=\"2026-01-10 01:00:00 +0100\" endDate=\"2026-01-10 02:00:00 +0100\"
    value=\"HKCategoryValueSleepAnalysisAsleepREM\"/>\n</HealthData>"],
    layouts: &[Layout {
        records: RecordKind::Sample,
        before: "<HealthData>\n",
        record: |_, start, end| {
            let form = "%Y-%m-%d %H:%M:%S +0000";
            format!(
                "<Record type=\"HKCategoryTypeIdentifierSleepAnalysis\" sourceName=\"watch\" startDate=\"{}\" \
                     endDate=\"{}\" value=\"HKCategoryValueSleepAnalysisAsleepREM\"/>\n",
                local(start, form),
                local(end, form)
            )
        },
        unreadable: "<Record type=\"HKCategoryTypeIdentifierSleepAnalysis\" sourceName=\"watch\" startDate=\"never\" \
                 endDate=\"never\" value=\"HKCategoryValueSleepAnalysisAsleepREM\"/>\n",
        blank: Some("\n"),
        between: "",
        after: "</HealthData>",
    }],
    export: &[ExportFile {
        name: "export.xml",
        before: "<HealthData>\n",
        night: |_, start| {
            let record = |(number, start, end): (usize, _, _)| {
                let (form, stages) = ("%Y-%m-%d %H:%M:%S +0000", ["Core", "Deep", "Core", "REM"]);
                format!(
                    "<Record type=\"HKCategoryTypeIdentifierSleepAnalysis\" sourceName=\"watch\" startDate=\"{}\" \
                     endDate=\"{}\" value=\"HKCategoryValueSleepAnalysisAsleep{}\"/>\n",
                    local(start, form),
                    local(end, form),
                    one_of(stages, number)
                )
            };
            night_stages(start).map(record).collect()
        },
        between: "",
        after: "</HealthData>",
    }],
};
