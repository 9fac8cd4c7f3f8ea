use super::{SNOMED, asleep, duration, list, observation, only, read_all, stage};
use crate::testing::{frame, notes, rejections, sessions, stages};

const PHR: &str = "http://hl7.org/fhir/uv/phr/CodeSystem";

#[test]
fn an_observation_of_a_stage_is_a_stretch_of_it() {
    for (code, expected) in [
        ("248220008", "ASLEEP"),
        ("248218005", "AWAKE"),
        ("60984000", "ASLEEP"),
        ("89129007", "REM"),
        ("261665006", "UNKNOWN"),
    ] {
        let record = only(&stage(code, "01:00", "02:30", ""));
        assert_eq!(stages(&record), [format!("{expected} 01:00-02:30")], "{code}");
        assert_eq!(frame(&record), "2026-01-11T01:00:00-05:00 2026-01-11T02:30:00-05:00");
        assert!(!record.key().is_given());
        assert_eq!(record.source().unwrap().as_str(), "fhir");
    }
}

#[test]
fn samples_of_healthkit_in_the_codes_of_the_guide_are_stretches_too() {
    for (code, expected) in [
        ("inBed", None),
        ("asleepUnspecified", Some("ASLEEP")),
        ("awake", Some("AWAKE")),
        ("asleepREM", Some("REM")),
        ("asleepCore", Some("LIGHT")),
        ("asleepDeep", Some("DEEP")),
    ] {
        let system = format!("{PHR}/observation-pghd-codes");
        let value = format!(
            r#","valueCodeableConcept":{{"coding":[{{"system":"{PHR}/sleep-analysis-codes","code":"{code}"}}]}}"#
        );
        let record = only(&observation((&system, "sleepAnalysis"), "01:00", "02:00", &value));
        let expected: Vec<_> = expected.iter().map(|stage| format!("{stage} 01:00-02:00")).collect();
        assert_eq!(stages(&record), expected, "{code}");
    }
}

#[test]
fn observations_of_one_device_are_grouped_as_apples_records_are() {
    let device = |name: &str| format!(r#","device":{{"display":"{name}"}}"#);
    let (watch, phone) = (device("Watch"), device("Phone"));
    let found = read_all(&list(&[
        asleep("05:01", "05:30", &watch),
        asleep("03:00", "04:00", &watch),
        stage("89129007", "01:00", "02:00", &watch),
        asleep("01:30", "02:30", &watch),
        asleep("01:30", "02:30", &watch),
        asleep("01:00", "05:00", &phone),
    ]));
    let found: Vec<_> =
        sessions(&found).iter().map(|one| (one.source().unwrap().as_str().to_owned(), stages(one))).collect();
    let of =
        |name: &str, stages: &[&str]| (name.to_owned(), stages.iter().map(|one| (*one).to_owned()).collect());
    let expected: [(String, Vec<String>); 3] = [
        of("Watch", &["REM 01:00-02:00", "ASLEEP 02:00-02:30", "ASLEEP 03:00-04:00"]),
        of("Watch", &["ASLEEP 05:01-05:30"]),
        of("Phone", &["ASLEEP 01:00-05:00"]),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_repeated_time_in_bed_is_counted() {
    let system = format!("{PHR}/observation-pghd-codes");
    let value = format!(
        r#","valueCodeableConcept":{{"coding":[{{"system":"{PHR}/sleep-analysis-codes","code":"inBed"}}]}}"#
    );
    let in_bed = observation((&system, "sleepAnalysis"), "01:00", "07:00", &value);
    let total = duration("93832-4", "01:00", "07:00", 300);
    let found = read_all(&list(&[in_bed.clone(), total, in_bed]));
    assert_eq!(sessions(&found).len(), 1);
    let note = "record 3: records that the import contains more than once were read once: 1";
    assert_eq!(notes(&found), [note]);
}

#[test]
fn a_device_gets_the_best_name_in_the_observation() {
    let inside = r#","contained":[{"resourceType":"Patient","id":"p","name":[{"family":"x"}]},
        {"resourceType":"Device","id":"d","deviceName":[{"name":"W2","type":"model-name"},{"name":"Watch","type":"user-friendly-name"}]}]"#;
    for (device, expected) in [
        (r#""display":"Mat","reference":"Device/7""#, "Mat"),
        (r##""reference":"#d""##, "Watch"),
        (r##""reference":"#p""##, "fhir"),
        (r#""identifier":{"system":"urn:x","value":"SN 1"},"reference":"Device/7""#, "SN 1"),
        (r#""reference":"https://fhir.example.org/r4/Device/7/_history/2""#, "Device/7"),
        (r#""reference":"urn:uuid:0a""#, "urn:uuid:0a"),
        (r#""display":" \u0007 ""#, "fhir"),
    ] {
        let record = only(&asleep("01:00", "02:00", &format!(r#","device":{{{device}}}{inside}"#)));
        assert_eq!(record.source().unwrap().as_str(), expected, "{device}");
    }
    let long = format!(r#","device":{{"display":"{}"}}"#, "w".repeat(300));
    assert_eq!(only(&asleep("01:00", "02:00", &long)).source().unwrap().as_str(), "w".repeat(100));
}

#[test]
fn one_file_is_about_one_subject() {
    let of = |subject: &str| asleep("01:00", "02:00", &format!(r#","subject":{{{subject}}}"#));
    let same = [
        of(r#""reference":"Patient/7","display":"A""#),
        of(r#""reference":"https://fhir.example.org/r4/Patient/7","display":"A. B.""#),
        of(r#""display":"A""#),
        asleep("01:00", "02:00", ""),
    ];
    assert_eq!(sessions(&read_all(&list(&same))).len(), 1);
    assert_eq!(rejections(&read_all(&list(&same))).len(), 0);
    for other in [r#""reference":"Patient/8","display":"A""#, r#""display":"B""#] {
        let found = read_all(&list(&[same[0].clone(), of(other)]));
        assert_eq!(sessions(&found).len(), 1);
        assert_eq!(rejections(&found), ["record 2: its subject differs from that of earlier records"]);
    }
}

#[test]
fn only_a_period_with_offsets_is_accepted() {
    let night = asleep("01:00", "02:00", "");
    let period =
        r#""effectivePeriod":{"start":"2026-01-11T01:00:00-05:00","end":"2026-01-11T02:00:00-05:00"}"#;
    let with = |effective: &str| night.replace(period, effective);
    let instant = duration("93832-4", "01:00", "02:00", 60)
        .replace(period, r#""effectiveDateTime":"2026-01-11T08:00:00-05:00""#);
    for (text, reason) in [
        (instant, "effectivePeriod is missing"),
        (
            with(r#""effectivePeriod":{"end":"2026-01-11T02:00:00-05:00"}"#),
            "effectivePeriod.start is missing",
        ),
        (
            with(r#""effectivePeriod":{"start":"2026-01-11T02:00:00-05:00"}"#),
            "effectivePeriod.end is missing",
        ),
        (
            with(r#""effectivePeriod":{"start":"2026-01-11","end":"2026-01-12"}"#),
            "effectivePeriod.start is not a timestamp with an offset, such as 2026-03-08T23:10:00-05:00",
        ),
        (
            with(r#""effectivePeriod":{"start":"2026-01-11T01:00:00Z","end":"2026-01-11T02:00:00"}"#),
            "effectivePeriod.end is not a timestamp with an offset, such as 2026-03-08T23:10:00-05:00",
        ),
        (asleep("02:00", "02:00", ""), "effectivePeriod: the end is not after the start"),
        (night.replace("final", "entered-in-error"), "its status marks it as entered in error or cancelled"),
        (stage("4711", "01:00", "02:00", ""), "valueCodeableConcept is not a known sleep stage"),
        (
            observation((SNOMED, "258158006"), "01:00", "02:00", r#","valueString":"asleep""#),
            "it has no known value",
        ),
        (
            night.replace(r#""coding":["#, r#""coding":[7,"#),
            "a member has the wrong type, expected an object, at line 1, column 66 of the record",
        ),
        ("4711".to_owned(), "not an object"),
    ] {
        let found = read_all(&list(&[asleep("04:00", "05:00", ""), text.clone()]));
        assert_eq!(sessions(&found).len(), 1, "{text}");
        assert_eq!(rejections(&found), [format!("record 2: {reason}")], "{text}");
    }
}

#[test]
fn a_period_may_be_written_in_two_offsets_and_with_any_fraction() {
    let text = asleep("01:00", "02:00", "")
        .replace("01:00:00-05:00", "01:00:00Z")
        .replace("02:00:00-05:00", "02:00:00.2512+00:30");
    assert_eq!(frame(&only(&text)), "2026-01-11T01:00:00Z 2026-01-11T02:00:00.251+00:30");
}
