//! Formats of samples, several of which form one session.

use super::{Layout, iso, local, time_frame};
use crate::Format;

/// Layouts of these formats.
pub const SAMPLES: [Layout; 4] = [
    Layout {
        format: Format::AppleHealth,
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
    },
    Layout {
        format: Format::Withings,
        before: r#"{"status":0,"body":{"series":["#,
        record: |_, start, end| {
            let (start, end) = (start.timestamp(), end.timestamp());
            format!(r#"{{"startdate":{start},"enddate":{end},"state":1,"model":"Mat"}}"#)
        },
        unreadable: r#"{"startdate":"never","enddate":"never","state":1,"model":"Mat"}"#,
        blank: None,
        between: ",",
        after: "]}}",
    },
    Layout {
        format: Format::Fhir,
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
    },
    Layout {
        format: Format::OpenMhealth,
        before: "[",
        record: |_, start, end| {
            format!(
                r#"{{"category_type":"HKCategoryTypeIdentifierSleepAnalysis","category_value":"AsleepREM",{}}}"#,
                time_frame(start, end)
            )
        },
        unreadable: r#"{"category_type":"HKCategoryTypeIdentifierSleepAnalysis","category_value":"AsleepREM",
            "effective_time_frame":{"time_interval":7}}"#,
        blank: None,
        between: ",",
        after: "]",
    },
];
