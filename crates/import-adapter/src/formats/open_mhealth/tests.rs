mod ieee;
mod incomplete;

use crate::Format;
use crate::testing::{frame, items, metric, notes, only_session, read, rejections, sessions, stages};
use application::ports::import_source::{ImportItem, ImportRefusal};
use domain::sleep::{MetricKind, SleepRecord};
use proptest::prelude::{prop, prop_assert_eq, proptest};

const OMH: Format = Format::OpenMhealth;

/// An episode from 23:00 to 07:00 with additional members.
fn episode(more: &str) -> String {
    format!(
        r#"{{"effective_time_frame":{{"time_interval":{{"start_date_time":"2026-01-10T23:00:00+01:00",
        "end_date_time":"2026-01-11T07:00:00+01:00"}}}},"is_main_sleep":true{more}}}"#
    )
}

fn point(schema: &str, header: &str, body: &str) -> String {
    format!(
        r#"{{"header":{{"id":"a","creation_date_time":"2026-01-12T08:00:00Z",
        "schema_id":{{"namespace":"omh","name":"{schema}","version":"1.1"}}{header}}},"body":{body}}}"#
    )
}

fn sample(from: &str, to: &str, value: &str) -> String {
    format!(
        r#"{{"category_type":"HKCategoryTypeIdentifierSleepAnalysis","category_value":"{value}",
        "effective_time_frame":{{"time_interval":{{"start_date_time":"2026-01-11T{from}:00-05:00",
        "end_date_time":"2026-01-11T{to}:00-05:00"}}}}}}"#
    )
}

fn read_all(text: &str) -> Vec<ImportItem> {
    items(text, None, "Asia/Tokyo")
}

fn only(text: &str) -> SleepRecord {
    only_session(&read_all(text))
}

#[test]
fn an_episode_is_a_session_with_its_sums() {
    let record = only(&episode(
        r#","total_sleep_time":{"value":7,"unit":"h"},"latency_to_sleep_onset":{"value":12.5,"unit":"min"},
        "wake_after_sleep_onset":{"value":1800,"unit":"sec"},"number_of_awakenings":3,
        "latency_to_arising":{"value":5,"unit":"min"},
        "sleep_maintenance_efficiency_percentage":{"value":94.4,"unit":"%"}"#,
    ));
    assert_eq!(frame(&record), "2026-01-10T23:00:00+01:00 2026-01-11T07:00:00+01:00");
    assert!(record.hypnogram().is_empty());
    assert_eq!(record.source().unwrap().as_str(), "open mhealth");
    assert_eq!(record.is_nap(), Some(false));
    assert!(!record.key().is_given());
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(25_200.0));
    assert_eq!(metric(&record, MetricKind::SleepLatency), Some(750.0));
    assert_eq!(metric(&record, MetricKind::TimeSleepAwake), Some(1800.0));
    assert_eq!(metric(&record, MetricKind::SleepWakeups), Some(3.0));
}

#[test]
fn durations_and_total_sleep_times_are_sessions_too() {
    for (name, sum) in [
        ("sleep_duration", r#"{"value":450,"unit":"min"}"#),
        ("total_sleep_time", r#"{"value":7.5,"unit":"h"}"#),
    ] {
        let text = episode(&format!(r#","{name}":{sum}"#)).replace(r#","is_main_sleep":true"#, "");
        let record = only(&text);
        assert_eq!(record.is_nap(), None);
        assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(27_000.0), "{name}");
    }
}

#[test]
fn a_session_has_two_of_start_end_and_duration() {
    let framed = |interval: &str| {
        format!(
            r#"{{"effective_time_frame":{{"time_interval":{{{interval}}}}},"total_sleep_time":{{"value":1,"unit":"h"}}}}"#
        )
    };
    let (start, end) = (
        r#""start_date_time":"2026-01-10T23:00:00-05:00""#,
        r#""end_date_time":"2026-01-11T07:30:00-05:00""#,
    );
    let duration = r#""duration":{"value":8.5,"unit":"h"}"#;
    for interval in [format!("{start},{end}"), format!("{start},{duration}"), format!("{end},{duration}")] {
        let record = only(&framed(&interval));
        assert_eq!(frame(&record), "2026-01-10T23:00:00-05:00 2026-01-11T07:30:00-05:00", "{interval}");
    }
    for (interval, reason) in [
        (start.to_owned(), "time_interval has neither a start and an end nor a duration"),
        (duration.to_owned(), "start_date_time and end_date_time are missing"),
        (format!(r#"{start},"duration":{{"value":8,"unit":"Mo"}}"#), "duration is not a valid duration"),
        (
            format!(r#"{start},"duration":{{"value":0,"unit":"h"}}"#),
            "time_interval: the end is not after the start",
        ),
        (format!(r#"{start},"duration":{{"value":1e300,"unit":"h"}}"#), "duration is not a valid duration"),
        (
            r#""date":"2026-01-10","part_of_day":"evening""#.to_owned(),
            "start_date_time and end_date_time are missing",
        ),
        (
            r#""start_date_time":"2026-01-10T23:00:00","end_date_time":"2026-01-11T07:00:00""#.to_owned(),
            "start_date_time is not a timestamp with an offset, such as 2026-03-08T23:10:00-05:00",
        ),
    ] {
        let found = read_all(&framed(&interval));
        assert_eq!(rejections(&found), [format!("record 1: {reason}")], "{interval}");
    }
}

#[test]
fn z_means_that_no_offset_is_known() {
    let text = episode("").replace("+01:00", "Z");
    assert_eq!(frame(&only(&text)), "2026-01-10T23:00:00Z 2026-01-11T07:00:00Z");
}

#[test]
fn an_invalid_session_is_rejected_with_its_place() {
    let instant = r#"{"sleep_duration":{"value":7,"unit":"h"},"effective_time_frame":{"date_time":"2026-01-11T07:00:00Z"}}"#;
    let no_frame = r#"{"sleep_duration":{"value":7,"unit":"h"},"is_main_sleep":true}"#;
    let average = episode(r#","descriptive_statistic":"average""#);
    let text = format!(
        r#"[{instant},{no_frame},{average},{},7,{{"header":{{}},"body":null}},{{"header":3}}]"#,
        episode("")
    );
    let found = read_all(&text);
    assert_eq!(sessions(&found).len(), 1);
    assert_eq!(
        rejections(&found),
        [
            "record 1: effective_time_frame is a point in time; a session needs a start and an end",
            "record 2: effective_time_frame is missing",
            "record 3: a statistic over several nights is not a session",
            "record 5: not an object",
            "record 6: body is missing",
            "record 7: a member has the wrong type, expected an object, at line 1, column 11 of the record",
        ]
    );
}

#[test]
fn a_data_point_names_its_source_and_its_key() {
    let header = r#","user_id":"ada","acquisition_provenance":{"source_name":"Sleep Mat","source_data_point_id":7781}"#;
    let record = only(&point("sleep-episode", header, &episode("")));
    assert_eq!(record.source().unwrap().as_str(), "Sleep Mat");
    assert_eq!((record.key().as_str(), record.key().is_given()), ("7781", true));
    let header = r#","acquisition_provenance":{"source_name":"Sleep Mat","external_id":"x1"}"#;
    assert_eq!(only(&point("sleep-episode", header, &episode(""))).key().as_str(), "x1");
}

#[test]
fn a_repeated_data_point_is_counted_and_creates_no_second_session() {
    let one = point("sleep-episode", "", &episode(""));
    let again = one.replace(r#""id":"a""#, r#""id":"b""#);
    let first = only(&one);
    assert_eq!(only(&again), first);
    let found = read_all(&format!("[{one},{again},{one}]"));
    assert_eq!(sessions(&found), [first]);
    assert_eq!(
        notes(&found),
        ["record 1: records that the import contains more than once were read once: 2"]
    );
}

#[test]
fn records_of_one_night_make_one_session() {
    let header = r#","acquisition_provenance":{"source_name":"Mat"}"#;
    let bare = episode("").replace(r#","is_main_sleep":true"#, "");
    let with = |more: &str| format!("{}{more}}}", bare.trim_end_matches('}').to_owned() + "}}");
    let text = format!(
        "[{},{},{}]",
        point("total-sleep-time", header, &with(r#","total_sleep_time":{"value":7,"unit":"h"}"#)),
        point("sleep-episode", header, &episode(r#","number_of_awakenings":2"#)),
        point("sleep-duration", header, &with(r#","sleep_duration":{"value":420,"unit":"min"}"#)),
    );
    let record = only(&text);
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(25_200.0));
    assert_eq!(metric(&record, MetricKind::SleepWakeups), Some(2.0));
    assert_eq!(record.is_nap(), Some(false));
    let found = read_all(&text.replace("420", "300"));
    assert_eq!(sessions(&found), [record]);
    assert_eq!(
        notes(&found),
        ["record 1: another record of the same night has different values, which were skipped"]
    );
}

#[test]
fn sources_are_not_merged() {
    let header = |name: &str| format!(r#","acquisition_provenance":{{"source_name":"{name}"}}"#);
    let points = ["Mat", "Ring"].map(|name| point("sleep-episode", &header(name), &episode("")));
    let found = read_all(&format!("[{}]", points.join(",")));
    let sources: Vec<_> =
        sessions(&found).iter().map(|one| one.source().unwrap().as_str().to_owned()).collect();
    assert_eq!(sources, ["Mat", "Ring"]);
}

#[test]
fn a_latency_before_the_time_frame_is_left_out() {
    let sums = r#","total_sleep_time":{"value":7.5,"unit":"h"},"wake_after_sleep_onset":{"value":30,"unit":"min"},
        "latency_to_sleep_onset":{"value":20,"unit":"min"}"#;
    let found = read_all(&episode(sums));
    let [record] = sessions(&found).try_into().unwrap();
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(27_000.0));
    assert_eq!(metric(&record, MetricKind::SleepLatency), None);
    assert_eq!(
        notes(&found),
        ["record 1: the time frame begins with sleep onset; the latency before it was left out"]
    );
}

#[test]
fn sums_that_contradict_or_cannot_be_read_are_dropped_and_noted() {
    let found = read_all(&episode(r#","total_sleep_time":{"value":9,"unit":"h"}"#));
    assert_eq!(metric(&sessions(&found)[0], MetricKind::TimeNightAsleep), None);
    assert_eq!(notes(&found), ["record 1: the totals contradict the time in bed and were dropped"]);
    let found = read_all(&episode(
        r#","total_sleep_time":{"value":7,"unit":"parsec"},"number_of_awakenings":-1,"wake_after_sleep_onset":{"value":-1,"unit":"h"}"#,
    ));
    assert_eq!(sessions(&found).len(), 1);
    assert_eq!(notes(&found), ["record 1: totals that are neither a duration nor a count were left out: 3"]);
}

#[test]
fn one_file_is_about_one_person() {
    let of = |person: &str| point("sleep-episode", &format!(r#","user_id":"{person}""#), &episode(""));
    let found =
        read_all(&format!("[{},{},{}]", of("ada"), of("sam"), point("sleep-episode", "", &episode(""))));
    assert_eq!(rejections(&found), ["record 2: user_id differs from that of earlier records"]);
    assert_eq!(sessions(&found).len(), 1);
}

#[test]
fn records_that_are_not_about_sleep_are_skipped_and_noted() {
    let steps = r#"{"step_count":4000,"effective_time_frame":{"date_time":"2026-01-11T07:00:00Z"}}"#;
    let weekly = sample("01:00", "02:00", "x").replace("SleepAnalysis", "MindfulSession");
    let text =
        format!("[{},{},{weekly}]", point("step-count", "", steps), point("sleep-episode", "", &episode("")));
    let found = read_all(&text);
    assert_eq!(sessions(&found).len(), 1);
    assert_eq!(notes(&found), ["record 1: records that are not about sleep were skipped: 2"]);
}

#[test]
fn samples_of_healthkit_are_grouped_as_those_of_its_own_export() {
    let text = format!(
        "[{},{},{},{},{},{},{},{}]",
        sample("05:00", "05:30", "AsleepREM"),
        sample("00:00", "03:00", "InBed"),
        sample("00:10", "01:00", "HKCategoryValueSleepAnalysisAsleepCore"),
        sample("01:00", "01:30", "AsleepDeep"),
        sample("01:30", "02:00", "Asleep"),
        sample("02:00", "02:10", "Awake"),
        sample("02:00", "02:10", "Awake"),
        sample("03:30", "04:00", "FutureStage"),
    );
    let found = read_all(&text);
    let [night, later] = sessions(&found).try_into().unwrap();
    assert_eq!(frame(&night), "2026-01-11T00:00:00-05:00 2026-01-11T03:00:00-05:00");
    assert_eq!(
        stages(&night),
        ["LIGHT 00:10-01:00", "DEEP 01:00-01:30", "ASLEEP 01:30-02:00", "AWAKE 02:00-02:10"]
    );
    assert_eq!(stages(&later), ["REM 05:00-05:30"]);
    assert_eq!(rejections(&found), ["record 8: category_value is not a known sleep stage"]);
}

#[test]
fn the_zone_of_a_sample_wins_over_the_offset_of_its_times() {
    let zoned = sample("01:00", "02:00", "InBed")
        .replacen('{', r#"{"metadata":[{"key":"HKTimeZone","value":"Europe/Berlin"},{"key":"HKWasUserEntered","value":true}],"#, 1);
    assert_eq!(frame(&only(&zoned)), "2026-01-11T07:00:00+01:00 2026-01-11T08:00:00+01:00");
}

#[test]
fn files_of_every_shape_are_recognised_and_near_misses_are_not() {
    let data_point = point("sleep-episode", "", &episode(""));
    let shimmer = format!(r#"{{"shim":"mat","timeStamp":1768,"body":[{data_point}]}}"#);
    let no_frame = r#"{"total_sleep_time":{"value":8.5,"unit":"h"}}"#.to_owned();
    for text in [
        episode(""),
        format!("[{}]", episode("")),
        data_point.clone(),
        format!("[{data_point}]"),
        shimmer,
        no_frame,
    ] {
        for asked in [None, Some(OMH)] {
            assert_eq!(items(&text, asked, "UTC").len(), 1, "{text}");
        }
    }
    let frame_only = episode("").replace(r#","is_main_sleep":true"#, "");
    assert_eq!(items(&frame_only, OMH, "UTC").len(), 1);
    assert_eq!(items("[]", OMH, "UTC").len(), 0);
    for text in [
        frame_only.as_str(),
        r#"{"sleep_duration":27000,"is_main_sleep":true}"#,
        r#"{"total_sleep_time":27000,"bedtime":"x"}"#,
        r#"{"header":{"from":"a"},"body":[{}]}"#,
        r#"{"body":{"value":1}}"#,
        r#"{"header":{"schema_id":{"namespace":"omh","name":"step-count","version":"3.0"}},"body":{}}"#,
    ] {
        let refused = read(text.as_bytes(), OMH, "UTC");
        let auto = read(text.as_bytes(), None, "UTC");
        let is_advised =
            matches!(&auto, Err(ImportRefusal::OtherFormat { formats, .. }) if *formats == ["open-mhealth"]);
        let is_refused = matches!(auto, Err(ImportRefusal::NotThisFormat(_)));
        assert!(if text == frame_only { is_advised } else { is_refused }, "{text}: {auto:?}");
        assert!(refused.is_err() || text == frame_only, "{text}");
    }
}

proptest! {
    #[test]
    fn any_night_of_samples_reads_back_as_the_same_night(
        minutes in prop::collection::vec((1_u32..90, 0_usize..5), 1..20),
        start in 0_i64..2_000_000_000,
    ) {
        let names = [("AsleepCore", "LIGHT"), ("AsleepDeep", "DEEP"), ("AsleepREM", "REM"), ("Awake", "AWAKE"), ("Asleep", "ASLEEP")];
        let print = |seconds: i64| chrono::DateTime::from_timestamp(seconds, 0).unwrap().to_rfc3339();
        let (mut at, mut records, mut expected) = (start, Vec::new(), Vec::new());
        for (length, which) in minutes {
            let end = at + i64::from(length) * 60;
            let (value, stage) = names[which];
            records.push(format!(
                r#"{{"category_type":"HKCategoryTypeIdentifierSleepAnalysis","category_value":"{value}",
                "effective_time_frame":{{"time_interval":{{"start_date_time":"{}","end_date_time":"{}"}}}}}}"#,
                print(at), print(end)
            ));
            expected.push((stage, at * 1000, end * 1000));
            at = end;
        }
        records.reverse();
        let found = read(format!("[{}]", records.join(",")).as_bytes(), None, "UTC").unwrap();
        let [record] = sessions(&found).try_into().unwrap();
        let entries: Vec<_> = record.hypnogram().entries().iter()
            .map(|one| (one.stage().as_str(), one.start_millis(), one.end_millis())).collect();
        prop_assert_eq!(entries, expected);
    }

    #[test]
    fn any_episode_reads_back_with_its_sums(length in 60_u32..100_000, asleep in 0.0..1.0_f64, start in 0_i64..2_000_000_000) {
        let asleep = (f64::from(length) * asleep).floor();
        let start = chrono::DateTime::from_timestamp(start, 0).unwrap().to_rfc3339();
        let text = format!(
            r#"{{"effective_time_frame":{{"time_interval":{{"start_date_time":"{start}","duration":{{"value":{},"unit":"min"}}}}}},
            "total_sleep_time":{{"value":{asleep},"unit":"sec"}}}}"#,
            f64::from(length) / 60.0
        );
        let found = read(text.as_bytes(), None, "UTC").unwrap();
        let [record] = sessions(&found).try_into().unwrap();
        prop_assert_eq!(record.time_in_bed().millis(), i64::from(length) * 1000);
        prop_assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(asleep));
    }
}
