//! Stages of a log, and minutes of an older one.

use super::{STAGES, fitbit, only};
use crate::testing::{frame, metric, notes, sessions, stages};
use domain::sleep::MetricKind;

#[test]
fn a_log_of_stages_has_its_short_wakes_over_them() {
    let record = only(STAGES, "Europe/Berlin");
    assert_eq!(frame(&record), "2026-01-10T23:00:00+01:00 2026-01-11T00:00:00+01:00");
    assert_eq!(
        stages(&record),
        [
            "AWAKE 23:00-23:10",
            "LIGHT 23:10-23:30",
            "DEEP 23:30-23:35",
            "AWAKE 23:35-23:37",
            "DEEP 23:37-23:50",
            "REM 23:50-00:00"
        ]
    );
    assert_eq!(record.key().to_stored(), "given:41000000007");
    assert_eq!(record.source().unwrap().as_str(), "fitbit");
    assert_eq!(record.is_nap(), Some(false));
    assert_eq!(metric(&record, MetricKind::TimeNightDeep), Some(1080.0));
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(2880.0));
}

#[test]
fn a_classic_log_is_asleep_or_awake() {
    let record = only(
        r#"[{"logId":1,"startTime":"2026-01-10T13:00:00.000","duration":1800000,"type":"classic","mainSleep":false,
        "levels":{"summary":{"asleep":{"count":0,"minutes":20}},"data":[
        {"dateTime":"2026-01-10T13:00:00.000","level":"restless","seconds":300},
        {"dateTime":"2026-01-10T13:05:00.000","level":"asleep","seconds":1200},
        {"dateTime":"2026-01-10T13:25:00.000","level":"awake","seconds":300}]}}]"#,
        "America/New_York",
    );
    assert_eq!(frame(&record), "2026-01-10T13:00:00-05:00 2026-01-10T13:30:00-05:00");
    assert_eq!(stages(&record), ["AWAKE 13:00-13:05", "ASLEEP 13:05-13:25", "AWAKE 13:25-13:30"]);
    assert_eq!(metric(&record, MetricKind::TimeNightLight), None);
}

fn minutes(values: &[(&str, &str)]) -> String {
    let minutes: Vec<_> =
        values.iter().map(|(clock, value)| format!(r#"{{"dateTime":"{clock}","value":{value}}}"#)).collect();
    format!(
        r#"{{"sleep":[{{"logId":2,"isMainSleep":true,"startTime":"2026-01-10T23:58:00.000","duration":360000,
        "minuteData":[{}]}}]}}"#,
        minutes.join(",")
    )
}

#[test]
fn minutes_without_a_date_cross_midnight_and_equal_ones_are_one_entry() {
    let record = only(
        &minutes(&[
            ("23:58:00", "\"3\""),
            ("23:59:00", "1"),
            ("00:00:00", "\"1\""),
            ("00:01:00", "1"),
            ("00:02:00", "2"),
            ("00:03:00", "1"),
        ]),
        "UTC",
    );
    let expected = ["AWAKE 23:58-23:59", "ASLEEP 23:59-00:02", "AWAKE 00:02-00:03", "ASLEEP 00:03-00:04"];
    assert_eq!(stages(&record), expected);
}

#[test]
fn minutes_keep_their_gaps_and_continue_across_clock_changes() {
    let gap = only(&minutes(&[("23:58:00", "1"), ("00:01:00", "1")]), "UTC");
    assert_eq!(stages(&gap), ["ASLEEP 23:58-23:59", "ASLEEP 00:01-00:02"]);
    let back = only(&minutes(&[("23:58:00", "1"), ("23:58:00", "1"), ("22:59:00", "1")]), "UTC");
    assert_eq!(stages(&back), ["ASLEEP 23:58-00:01"]);
    let items = fitbit(&minutes(&[("23:58:00", "7"), ("x", "1"), ("23:59:00", "1")]), "UTC");
    assert_eq!(stages(&sessions(&items)[0]), ["UNKNOWN 23:58-23:59", "ASLEEP 23:59-00:00"]);
    assert_eq!(notes(&items).len(), 2);
}

#[test]
fn stages_outside_the_log_are_cut_and_reported() {
    let text = STAGES.replace("2026-01-11T00:00:00.000", "2026-01-10T23:55:00.000");
    let items = fitbit(&text, "UTC");
    assert_eq!(stages(&sessions(&items)[0]).last().unwrap(), "REM 23:50-23:55");
    assert!(notes(&items)[0].ends_with("beyond the time in bed were trimmed: 1"));
}

#[test]
fn meaningless_stages_are_left_out_and_reported() {
    let text = STAGES
        .replace("\"level\": \"deep\", \"seconds\": 1200", "\"level\": \"deep\", \"seconds\": 0")
        .replace("\"level\": \"light\"", "\"level\": \"slumber\"")
        .replace("\"level\": \"rem\", \"seconds\": 600", "\"level\": \"rem\", \"seconds\": \"x\"");
    let items = fitbit(&text, "UTC");
    let expected = ["AWAKE 23:00-23:10", "UNKNOWN 23:10-23:30", "AWAKE 23:35-23:37"];
    assert_eq!(stages(&sessions(&items)[0]), expected);
    assert_eq!(notes(&items).len(), 4, "{:?}", notes(&items));
}
