//! Sums of 0 that mean "unknown", and makers' words in another case, in every format that can have them.

use crate::Format;
use crate::testing::{accepted_session, items, metric, notes};
use domain::sleep::{MetricKind, SleepRecord};

/// Nights from 23:00 to 07:00 UTC. `ASLEEP`, `AWAKE` and `STAGE` stand for sums in seconds, with `m` in
/// front for sums in minutes.
const NIGHTS: [(Format, &str); 8] = [
    (
        Format::Garmin,
        r#"{"dailySleepDTO":{"sleepStartTimestampGMT":"2026-01-10T23:00:00","sleepEndTimestampGMT":"2026-01-11T07:00:00",
        "sleepTimeSeconds":ASLEEP,"awakeSleepSeconds":AWAKE,"deepSleepSeconds":STAGE,"lightSleepSeconds":STAGE,
        "remSleepSeconds":STAGE,"unmeasurableSleepSeconds":28800,"awakeCount":0,"sleepWindowConfirmationType":"x"}}"#,
    ),
    (
        Format::Withings,
        r#"{"status":0,"body":{"series":[{"id":1,"startdate":1768086000,"enddate":1768114800,"timezone":"UTC",
        "data":{"total_sleep_time":ASLEEP,"wakeupduration":AWAKE,"lightsleepduration":STAGE,"deepsleepduration":STAGE,
        "remsleepduration":STAGE,"waso":0,"wakeupcount":0,"sleep_latency":0}}]}}"#,
    ),
    (
        Format::Whoop,
        "Cycle start time,Cycle end time,Cycle timezone,Sleep onset,Wake onset,Asleep duration (min),\
        Light sleep duration (min),Deep (SWS) duration (min),REM duration (min),Awake duration (min),Nap\n\
        2026-01-10 23:00:00,,UTC,2026-01-10 23:00:00,2026-01-11 07:00:00,mASLEEP,mSTAGE,mSTAGE,mSTAGE,mAWAKE,false\n",
    ),
    (
        Format::Fitbit,
        r#"[{"logId":1,"startTime":"2026-01-10T23:00:00.000","endTime":"2026-01-11T07:00:00.000","minutesAsleep":mASLEEP,
        "minutesAwake":mAWAKE,"awakeCount":0,"levels":{"data":[],"summary":{"deep":{"minutes":mSTAGE},
        "light":{"minutes":mSTAGE},"rem":{"minutes":mSTAGE}}}}]"#,
    ),
    (
        Format::Oura,
        r#"{"data":[{"id":"a","type":"long_sleep","bedtime_start":"2026-01-10T23:00:00Z",
        "bedtime_end":"2026-01-11T07:00:00Z","total_sleep_duration":ASLEEP,"awake_time":AWAKE,
        "light_sleep_duration":STAGE,"deep_sleep_duration":STAGE,"rem_sleep_duration":STAGE,"latency":0}]}"#,
    ),
    (
        Format::OpenMhealth,
        r#"{"effective_time_frame":{"time_interval":{"start_date_time":"2026-01-10T23:00:00Z",
        "end_date_time":"2026-01-11T07:00:00Z"}},"total_sleep_time":{"value":ASLEEP,"unit":"sec"},
        "awake_duration":{"value":AWAKE,"unit":"sec"},"light_sleep_duration":{"value":STAGE,"unit":"sec"},
        "deep_sleep_duration":{"value":STAGE,"unit":"sec"},"rem_sleep_duration":{"value":STAGE,"unit":"sec"},
        "number_of_awakenings":0}"#,
    ),
    (
        Format::Fhir,
        r#"{"resourceType":"Observation","status":"final","code":{"coding":[{"code":"sleepEpisode",
        "system":"http://hl7.org/fhir/uv/phr/CodeSystem/observation-pghd-codes"}]},
        "effectivePeriod":{"start":"2026-01-10T23:00:00Z","end":"2026-01-11T07:00:00Z"},"component":[
        {"code":{"coding":[{"system":"http://hl7.org/fhir/uv/phr/CodeSystem/sleep-episode-codes",
        "code":"totalSleepTime"}]},"valueQuantity":{"value":ASLEEP,"unit":"s"}}]}"#,
    ),
    (
        Format::Ndjson,
        r#"{"type":"sleep_session","time_in_bed_start":"2026-01-10T23:00:00Z","time_in_bed_end":"2026-01-11T07:00:00Z",
        "sleep_metric":[{"sleep_metric":"timeNightInBed","value":28800},{"sleep_metric":"timeNightAsleep","value":ASLEEP},
        {"sleep_metric":"timeNightAwake","value":AWAKE},{"sleep_metric":"sleepWakeups","value":0}]}"#,
    ),
];

/// Reads the night with these sums in minutes; its stages share the time asleep.
fn read(format: Format, text: &str, asleep: u32, awake: u32) -> (SleepRecord, Vec<String>) {
    let text = if format == Format::Ndjson { text.replace('\n', "") } else { text.to_owned() };
    let text = ["ASLEEP", "AWAKE", "STAGE"].into_iter().zip([asleep, awake, asleep / 3]).fold(
        text,
        |text, (name, minutes)| {
            let text = text.replace(&format!("m{name}"), &minutes.to_string());
            text.replace(name, &(minutes * 60).to_string())
        },
    );
    let items = items(&text, format, "UTC");
    (accepted_session(&items), notes(&items))
}

#[test]
fn sums_of_0_for_a_whole_night_are_unknown_in_every_format() {
    for (format, text) in NIGHTS {
        let (record, noted) = read(format, text, 0, 0);
        let known: Vec<_> = record.metrics().iter().map(|(kind, value)| (kind, value.as_f64())).collect();
        assert_eq!(known, [(MetricKind::TimeNightInBed, 28_800.0)], "{format:?}");
        assert!(matches!(&noted[..], [note] if note.contains("all totals are 0")), "{format:?} {noted:?}");
        let (record, _) = read(format, text, 420, 60);
        assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(25_200.0), "{format:?}");
    }
}

#[test]
fn sums_of_0_beside_stages_are_noted_in_restwells_own_format() {
    let (format, text) = NIGHTS[7];
    let stage = r#"[{"stage":"LIGHT","start":"2026-01-10T23:00:00Z","end":"2026-01-11T07:00:00Z"}]"#;
    let text = text.replace(r#""sleep_metric":["#, &format!(r#""raw_sleep":{stage},"sleep_metric":["#));
    let (record, noted) = read(format, &text, 0, 0);
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(28_800.0));
    assert!(matches!(&noted[..], [note] if note.contains("all totals are 0")), "{noted:?}");
    let (_, noted) = read(format, &text, 420, 60);
    assert_eq!(noted, Vec::<String>::new());
}

#[test]
fn other_totals_of_a_night_without_sleep_are_left_out_with_their_reason() {
    let (format, text) = NIGHTS[1];
    let (record, noted) = read(format, &text.replace(r#""sleep_latency":0"#, r#""sleep_latency":300"#), 0, 0);
    assert!(record.metrics().are_of_time_in_bed_alone());
    let reason = "the time asleep is 0, which says nothing about the night; the totals were left out";
    assert_eq!(noted, [format!("record 1: {reason}")]);
}

#[test]
fn words_of_the_makers_are_the_same_in_any_case() {
    let apple = |value: &str| {
        format!(
            "<HealthData><Record type=\"HKCategoryTypeIdentifierSleepAnalysis\" sourceName=\"w\" \
             startDate=\"2026-01-10 23:00:00 +0000\" endDate=\"2026-01-11 07:00:00 +0000\" value=\"{value}\"/></HealthData>"
        )
    };
    let fitbit = |level: &str| {
        format!(
            r#"[{{"logId":1,"startTime":"2026-01-10T23:00:00.000","endTime":"2026-01-11T07:00:00.000","levels":{{"data":[
            {{"dateTime":"2026-01-10T23:00:00.000","level":"{level}","seconds":28800}}]}}}}]"#
        )
    };
    let oura = |kind: &str| {
        format!(
            r#"{{"data":[{{"id":"a","type":"{kind}","bedtime_start":"2026-01-10T23:00:00Z",
            "bedtime_end":"2026-01-11T07:00:00Z","sleep_phase_5_min":"2"}}]}}"#
        )
    };
    for (format, one, other) in [
        (
            Format::AppleHealth,
            apple("HKCategoryValueSleepAnalysisAsleepREM"),
            apple("hkCategoryValueSleepAnalysisAsleepRem"),
        ),
        (Format::Fitbit, fitbit("rem"), fitbit("REM")),
        (Format::Oura, oura("late_nap"), oura("LATE_NAP")),
    ] {
        let read = |text: &str| accepted_session(&items(text, format, "UTC"));
        assert!(!read(&one).hypnogram().is_empty());
        assert_eq!(read(&one), read(&other), "{format:?}");
    }
}
