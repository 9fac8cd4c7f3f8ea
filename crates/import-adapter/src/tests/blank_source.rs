//! A blank source is an absent one.

use crate::Format;
use crate::testing::{items, only_session};
use domain::sleep::{SleepRecord, SleepSource};

/// A file of each format in which a session may have no source, the member of the source, and the source of a
/// session without it.
const FILES: [(Format, &str, &str, Option<&str>); 5] = [
    (
        Format::Ndjson,
        r#""source":SOURCE,"#,
        r#"{"type":"sleep_session","source":SOURCE,"time_in_bed_start":"2026-03-08T23:00:00Z","time_in_bed_end":"2026-03-09T07:00:00Z"}"#,
        None,
    ),
    (
        Format::OpenMhealth,
        r#","acquisition_provenance":{"source_name":SOURCE}"#,
        r#"{"header":{"id":"a","schema_id":{"namespace":"omh","name":"sleep-episode","version":"1.1"}
        ,"acquisition_provenance":{"source_name":SOURCE}},
        "body":{"effective_time_frame":{"time_interval":{"start_date_time":"2026-01-10T23:00:00+01:00",
        "duration":{"value":8,"unit":"h"}}}}}"#,
        Some("open mhealth"),
    ),
    (
        Format::Fhir,
        r#""device":{"display":SOURCE},"#,
        r#"{"resourceType":"Observation","device":{"display":SOURCE},"code":{"coding":[{"system":
        "http://snomed.info/sct","code":"258158006"}]},"effectivePeriod":{"start":"2026-01-10T23:00:00Z",
        "end":"2026-01-11T07:00:00Z"},"valueCodeableConcept":{"coding":[{"system":"http://snomed.info/sct",
        "code":"248220008"}]}}"#,
        Some("fhir"),
    ),
    (
        Format::Withings,
        r#","model":SOURCE"#,
        r#"{"series":[{"startdate":1768086000,"state":1,"enddate":1768086600,"model":SOURCE}]}"#,
        Some("withings"),
    ),
    (
        Format::HealthAutoExport,
        r#","source":SOURCE"#,
        r#"{"data":{"metrics":[{"name":"sleep_analysis","units":"hr","data":[{"sleepStart":"2026-01-10 23:00:00 +0100",
        "sleepEnd":"2026-01-11 07:00:00 +0100","totalSleep":7.5,"source":SOURCE}]}]}}"#,
        Some("health auto export"),
    ),
];

#[test]
fn a_blank_source_is_absent_in_every_format_with_optional_sources() {
    for (format, member, file, default) in FILES {
        let session = |text: &str| -> SleepRecord { only_session(&items(text, format, "UTC")) };
        let absent = session(&file.replace(member, ""));
        assert_eq!(absent.source().map(SleepSource::as_str), default, "{format:?}");
        for blank in ["\"\"", "\" \"", "\"\\t\"", "null"] {
            assert_eq!(session(&file.replace("SOURCE", blank)), absent, "{format:?} {blank}");
        }
    }
}
