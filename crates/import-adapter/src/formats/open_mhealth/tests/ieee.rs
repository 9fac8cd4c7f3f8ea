//! The schemas of IEEE 1752.1.

use super::{episode, only, point, read_all};
use crate::testing::{accepted_session, frame, metric, notes, sessions, stages};
use domain::sleep::{MetricKind, SleepRecord};

const SUMS: &str = r#""total_sleep_time":{"value":420,"unit":"min"},"light_sleep_duration":{"value":240,"unit":"min"},
    "deep_sleep_duration":{"value":80,"unit":"min"},"rem_sleep_duration":{"value":6000,"unit":"sec"},
    "number_of_awakenings":2"#;

fn sums(record: &SleepRecord) -> [Option<f64>; 5] {
    [
        MetricKind::TimeNightAsleep,
        MetricKind::TimeNightLight,
        MetricKind::TimeNightDeep,
        MetricKind::TimeNightRem,
        MetricKind::SleepWakeups,
    ]
    .map(|kind| metric(record, kind))
}

const EXPECTED: [Option<f64>; 5] = [Some(25_200.0), Some(14_400.0), Some(4_800.0), Some(6_000.0), Some(2.0)];

fn summary(more: &str, stages: &str) -> String {
    episode(&format!(r#","sleep_stage_summary":{{{SUMS}{more}}},"sleep_stage_episodes":[{stages}]"#))
}

fn stage(state: &str, from: &str, to: &str) -> String {
    format!(
        r#"{{"sleep_stage_state":"{state}","sleep_stage_time_frame":{{"time_interval":{{"start_date_time":
        "2026-01-11T{from}:00+01:00","end_date_time":"2026-01-11T{to}:00+01:00"}}}}}}"#
    )
}

fn in_bed(from: &str, to: &str, value: u32) -> String {
    format!(
        r#"{{"time_in_bed":{{"value":{value},"unit":"min"}},"effective_time_frame":{{"time_interval":{{
        "start_date_time":"2026-01-10T{from}:00+01:00","end_date_time":"2026-01-11T{to}:00+01:00"}}}}}}"#
    )
}

#[test]
fn an_episode_has_light_deep_and_rem_sleep() {
    assert_eq!(sums(&only(&episode(&format!(",{SUMS}")))), EXPECTED);
}

#[test]
fn the_efficiency_gives_the_time_asleep_that_is_not_stated() {
    let efficiency =
        |value: &str| format!(r#","sleep_efficiency_percentage":{{"value":{value},"unit":"%"}}"#);
    let record = only(&episode(&efficiency("87.5")));
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(25_200.0));
    assert_eq!(metric(&record, MetricKind::SleepEfficiency), Some(87.5));
    assert_eq!(sums(&only(&episode(&format!(",{SUMS}{}", efficiency("10"))))), EXPECTED);
    for value in ["101", "-1", "\"x\""] {
        let found = read_all(&episode(&efficiency(value)));
        assert_eq!(
            notes(&found),
            ["record 1: totals that are neither a duration nor a count were left out: 1"]
        );
    }
}

#[test]
fn a_stage_summary_without_stages_has_its_sums() {
    let awake = r#","awake_duration":{"value":1,"unit":"h"}"#;
    for text in [summary(awake, ""), point("sleep-stage-summary", "", &summary(awake, ""))] {
        let record = only(&text);
        assert_eq!(sums(&record), EXPECTED);
        assert_eq!(metric(&record, MetricKind::TimeNightAwake), Some(3600.0));
        assert_eq!(record.is_nap(), Some(false));
    }
    let average = summary(r#","descriptive_statistic":"average""#, "");
    assert_eq!(sessions(&read_all(&average)), []);
}

#[test]
fn the_stages_of_a_stage_summary_are_read_in_any_case_and_order() {
    let parts = [
        stage("REM_sleep", "03:00", "04:40"),
        stage("Light_sleep", "00:00", "03:00"),
        stage("deep_sleep", "04:40", "06:00"),
        stage("Unknown_sleep", "06:00", "06:30"),
        stage("AWAKE", "06:30", "07:00"),
    ];
    let record = only(&point("sleep-stage-summary", "", &summary("", &parts.join(","))));
    assert_eq!(
        stages(&record),
        [
            "LIGHT 00:00-03:00",
            "REM 03:00-04:40",
            "DEEP 04:40-06:00",
            "ASLEEP 06:00-06:30",
            "AWAKE 06:30-07:00"
        ]
    );
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(23_400.0));
}

#[test]
fn stages_that_cannot_be_read_are_noted() {
    let parts = [
        stage("Light_sleep", "00:00", "06:55"),
        stage("Dozing", "06:55", "06:56"),
        stage("Awake", "06:56", "07:30"),
        stage("Awake", "06:57", "06:57"),
        r#"{"sleep_stage_state":"Awake"}"#.to_owned(),
    ];
    let found = read_all(&summary("", &parts.join(",")));
    assert_eq!(
        stages(&accepted_session(&found)),
        ["LIGHT 00:00-06:55", "UNKNOWN 06:55-06:56", "AWAKE 06:56-07:00"]
    );
    assert_eq!(
        notes(&found),
        [
            "record 1: stages without a valid time interval were left out: 2",
            "record 1: stages with an unknown state were stored as UNKNOWN: 1",
            "record 1: stages that extend beyond the time in bed were trimmed: 1"
        ]
    );
}

#[test]
fn records_of_one_night_are_one_session_with_all_of_their_sums() {
    let text = format!(
        "[{},{},{}]",
        point("sleep-episode", "", &episode(&format!(",{SUMS}"))),
        point("sleep-stage-summary", "", &summary("", &stage("REM_sleep", "00:00", "07:00"))),
        point("time-in-bed", "", &in_bed("23:00", "07:00", 480)),
    );
    let record = only(&text);
    assert_eq!(stages(&record), ["REM 00:00-07:00"]);
}

#[test]
fn an_episode_takes_the_time_in_bed_that_contains_it() {
    let bed = in_bed("22:30", "07:10", 520);
    for text in [
        format!("[{bed},{}]", episode(&format!(",{SUMS}"))),
        format!("[{},{bed}]", episode(&format!(",{SUMS}"))),
    ] {
        let record = only(&text);
        assert_eq!(frame(&record), "2026-01-10T22:30:00+01:00 2026-01-11T07:10:00+01:00");
        assert_eq!(sums(&record), EXPECTED);
        assert_eq!(record.is_nap(), Some(false));
    }
    let alone = only(&bed);
    assert_eq!(metric(&alone, MetricKind::TimeNightInBed), Some(31_200.0));
    assert_eq!(metric(&alone, MetricKind::TimeNightAsleep), None);
    let found = read_all(&in_bed("22:30", "07:10", 480));
    let note = "record 1: time_in_bed is shorter than its time frame; the time frame was used";
    assert_eq!((sessions(&found).len(), notes(&found)), (1, vec![note.to_owned()]));
}

#[test]
fn a_time_in_bed_within_which_many_records_begin_takes_no_episode() {
    let episode = in_bed("20:30", "21:30", 60).replace("2026-01-11", "2026-01-10");
    let takes_episode = |others: usize| {
        let others = (0..others).map(|minute| format!("{}:{:02}", 22 + minute / 60, minute % 60));
        let mut records = vec![in_bed("20:00", "06:00", 600), episode.clone()];
        records.extend(others.map(|from| in_bed(&from, "08:00", 480)));
        let found = read_all(&format!("[{}]", records.join(",")));
        !sessions(&found).iter().any(|record| frame(record).starts_with("2026-01-10T20:30"))
    };
    assert_eq!([0, 62, 63, 119].map(takes_episode), [true, true, false, false]);
}
