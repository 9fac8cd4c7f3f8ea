mod observation;
mod sums;

use crate::Format;
use crate::testing::{frame, items, notes, only_session, read, rejections, sessions, stages};
use application::ports::import_source::{ImportItem, ImportRefusal};
use domain::sleep::SleepRecord;
use proptest::prelude::{prop, prop_assert_eq, proptest};

const FHIR: Format = Format::Fhir;
const SNOMED: &str = "http://snomed.info/sct";
const LOINC: &str = "http://loinc.org";

/// An Observation on 11 January 2026, in the offset -05:00.
fn observation(code: (&str, &str), from: &str, to: &str, more: &str) -> String {
    let (system, code) = code;
    format!(
        r#"{{"resourceType":"Observation","status":"final","code":{{"coding":[{{"system":"{system}","code":"{code}"}}]}},
        "effectivePeriod":{{"start":"2026-01-11T{from}:00-05:00","end":"2026-01-11T{to}:00-05:00"}}{more}}}"#
    )
}

/// An Observation with a stage in SNOMED CT.
fn stage(code: &str, from: &str, to: &str, more: &str) -> String {
    let value =
        format!(r#","valueCodeableConcept":{{"coding":[{{"system":"{SNOMED}","code":"{code}"}}]}}{more}"#);
    observation((SNOMED, "258158006"), from, to, &value)
}

/// An Observation with a duration in minutes.
fn duration(code: &str, from: &str, to: &str, minutes: u32) -> String {
    let value = format!(
        r#","valueQuantity":{{"value":{minutes},"unit":"min","system":"http://unitsofmeasure.org","code":"min"}}"#
    );
    observation((LOINC, code), from, to, &value)
}

fn asleep(from: &str, to: &str, more: &str) -> String {
    stage("248220008", from, to, more)
}

fn one_line(resource: &str) -> String {
    resource.replace('\n', " ")
}

fn read_all(text: &str) -> Vec<ImportItem> {
    items(text, None, "Asia/Tokyo")
}

fn list(resources: &[String]) -> String {
    format!("[{}]", resources.join(","))
}

fn only(text: &str) -> SleepRecord {
    only_session(&read_all(text))
}

#[test]
fn resources_are_read_alone_in_lists_in_bundles_and_on_lines() {
    let night = [asleep("00:00", "03:00", ""), stage("248218005", "03:00", "03:20", "")];
    let entries = night.iter().map(|one| format!(r#"{{"fullUrl":"urn:x","resource":{one}}}"#));
    let entries = entries.collect::<Vec<_>>().join(",");
    let lines = night.clone().map(|one| one_line(&one));
    for text in [
        list(&night),
        format!(r#"{{"resourceType":"Bundle","type":"searchset","total":2,"entry":[{entries}]}}"#),
        format!(r#"{{"entry":[{entries}],"type":"collection","resourceType":"Bundle"}}"#),
        format!("{}\n{}\n", lines[0], lines[1]),
        format!("\n{}\r\n\n{}", lines[0], lines[1]),
    ] {
        for asked in [None, Some(FHIR)] {
            let found = items(&text, asked, "UTC");
            let [record] = sessions(&found).try_into().unwrap();
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!(stages(&record), ["ASLEEP 00:00-03:00", "AWAKE 03:00-03:20"], "{text}");
        }
    }
    assert_eq!(stages(&only(&night[0])), ["ASLEEP 00:00-03:00"]);
}

#[test]
fn truncated_or_malformed_json_is_refused_with_its_line() {
    let line = one_line(&asleep("00:00", "03:00", ""));
    for (text, reason) in [
        (
            format!("{line}\n{}", line.get(..40).unwrap()),
            "damaged at line 2, column 41: the file is truncated".to_owned(),
        ),
        (
            format!("{line}\n{{\"a\":tru}}\n"),
            "damaged at line 2, column 9: not valid JSON: expected ident".to_owned(),
        ),
        (
            format!("{line}\nno json\n"),
            "damaged at line 2, column 2: not valid JSON: expected ident".to_owned(),
        ),
        (
            format!("{line} {line}\n"),
            format!(
                "damaged at line 1, column {}: not valid JSON: unexpected data after the end",
                line.len() + 2
            ),
        ),
    ] {
        assert_eq!(read(text.as_bytes(), FHIR, "UTC").unwrap_err().to_string(), reason, "{text}");
    }
}

#[test]
fn resources_that_are_not_about_sleep_are_skipped_and_noted_once() {
    let patient = r#"{"resourceType":"Patient","id":"7","contact":[{"name":{}}],"code":7}"#.to_owned();
    let pulse = observation((LOINC, "8867-4"), "01:00", "02:00", "");
    let scrambled = observation(("http://example.org/codes", "93832-4"), "01:00", "02:00", "");
    let found = read_all(&list(&[asleep("00:00", "03:00", ""), patient.clone(), pulse, scrambled]));
    assert_eq!(sessions(&found).len(), 1);
    assert_eq!(rejections(&found).len(), 0);
    assert_eq!(notes(&found), ["record 2: resources that are not sleep Observations were skipped: 3"]);
    let bundle = format!(
        r#"{{"resourceType":"Bundle","type":"searchset","entry":[{{"resource":{patient}}},{{"search":{{"mode":"outcome"}}}}]}}"#
    );
    assert_eq!(
        notes(&read_all(&bundle)),
        ["record 1: resources that are not sleep Observations were skipped: 2"]
    );
}

#[test]
fn an_empty_bundle_is_a_file_without_records() {
    for text in [
        r#"{"resourceType":"Bundle","type":"searchset","entry":[]}"#,
        r#"{"resourceType":"Bundle","type":"collection"}"#,
    ] {
        assert_eq!(items(text, None, "UTC"), []);
    }
    assert_eq!(items("[]", FHIR, "UTC"), []);
}

#[test]
fn near_misses_are_not_recognised() {
    for text in [
        r#"{"resourceType":"Bundle","type":"history","entry":[]}"#,
        r#"{"resourceType":"observation"}"#,
        r#"{"resourceType":["Observation"]}"#,
        r#"[{"resource":{"resourceType":"Observation"}}]"#,
        r#"{"code":{"coding":[]},"effectivePeriod":{}}"#,
    ] {
        for asked in [None, Some(FHIR)] {
            let refused = read(text.as_bytes(), asked, "UTC");
            assert!(matches!(refused, Err(ImportRefusal::NotThisFormat(_))), "{text}: {refused:?}");
        }
    }
}

#[test]
fn lines_of_resources_are_not_restwells_own_lines() {
    let line = one_line(&asleep("00:00", "03:00", ""));
    assert_eq!(sessions(&read_all(&format!("{line}\n{line}\n"))).len(), 1);
    let typed = line.replacen('{', r#"{"type":"Observation","#, 1);
    assert_eq!(read_all(&typed).len(), 1);
}

proptest! {
    #[test]
    fn any_night_reads_back_as_the_same_night(
        minutes in prop::collection::vec((1_u32..120, 0_usize..6), 1..20),
        start in 0_i64..2_000_000_000,
        shape in 0..3,
    ) {
        let codes = [
            (r#""system":"http://snomed.info/sct","code":"248220008""#, "ASLEEP"),
            (r#""system":"http://snomed.info/sct","code":"248218005""#, "AWAKE"),
            (r#""system":"http://snomed.info/sct","code":"89129007""#, "REM"),
            (r#""system":"http://hl7.org/fhir/uv/phr/CodeSystem/sleep-analysis-codes","code":"asleepCore""#, "LIGHT"),
            (r#""system":"http://hl7.org/fhir/uv/phr/CodeSystem/sleep-analysis-codes","code":"asleepDeep""#, "DEEP"),
            (r#""system":"http://snomed.info/sct","code":"261665006""#, "UNKNOWN"),
        ];
        let print = |seconds: i64| chrono::DateTime::from_timestamp(seconds, 0).unwrap().to_rfc3339();
        let (mut at, mut records, mut expected) = (start, Vec::new(), Vec::new());
        for (length, which) in minutes {
            let end = at + i64::from(length) * 60;
            let (coding, stage) = codes[which];
            records.push(format!(
                r#"{{"resourceType":"Observation","code":{{"coding":[{{"system":"{SNOMED}","code":"258158006"}}]}},"effectivePeriod":{{"start":"{}","end":"{}"}},"valueCodeableConcept":{{"coding":[{{{coding}}}]}}}}"#,
                print(at), print(end)
            ));
            expected.push((stage, at * 1000, end * 1000));
            at = end;
        }
        records.reverse();
        let text = match shape {
            0 => list(&records),
            1 => records.join("\n"),
            _ => {
                let entries: Vec<_> = records.iter().map(|one| format!(r#"{{"resource":{one}}}"#)).collect();
                format!(r#"{{"resourceType":"Bundle","type":"collection","entry":{}}}"#, list(&entries))
            }
        };
        let found = read(text.as_bytes(), None, "UTC").unwrap();
        let [record] = sessions(&found).try_into().unwrap();
        let entries: Vec<_> = record.hypnogram().entries().iter()
            .map(|one| (one.stage().as_str(), one.start_millis(), one.end_millis())).collect();
        prop_assert_eq!(entries, expected);
        prop_assert_eq!(frame(&record), format!("{} {}", print(start), print(at)));
    }
}
