//! Totals of a log, with and without stages.

use super::{STAGES, fitbit, only};
use crate::testing::{metric, notes, sessions, stages};
use domain::sleep::{MetricKind, SleepRecord};

#[test]
fn stages_that_cover_little_of_a_log_leave_its_totals() {
    let cut = |log: &str| {
        let (before, rest) = log.split_once(r#"{"dateTime": "2026-01-10T23:10"#).unwrap();
        let (_, after) = rest.split_once(r#"{"dateTime": "2026-01-10T23:50"#).unwrap();
        format!(r#"{before}{{"dateTime": "2026-01-10T23:50{after}"#)
    };
    let items = fitbit(&cut(STAGES), "Europe/Berlin");
    let [record] = <[SleepRecord; 1]>::try_from(sessions(&items)).unwrap();
    // The short wake lies outside all stages.
    assert_eq!(stages(&record), ["AWAKE 23:00-23:10", "AWAKE 23:35-23:37", "REM 23:50-00:00"]);
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(3000.0));
    assert_eq!(metric(&record, MetricKind::TimeNightAwake), Some(600.0));
    assert_eq!(metric(&record, MetricKind::TimeNightDeep), Some(1200.0));
    assert_eq!(
        metric(&record, MetricKind::TimeNightRem),
        None,
        "the log does not say, and half of it is not all"
    );
    assert_eq!(
        notes(&items),
        ["record 1: the stages cover less than 90 percent of the log; its own totals were kept"]
    );
    // A log without totals has those of its stages.
    let bare = cut(&STAGES.replace(r#""minutesAsleep": 50, "minutesAwake": 10,"#, ""));
    let items =
        fitbit(&bare.replace(r#""summary": {"deep": {"count": 1, "minutes": 20}},"#, ""), "Europe/Berlin");
    assert_eq!(metric(&sessions(&items)[0], MetricKind::TimeNightAsleep), Some(600.0));
    assert_eq!(notes(&items), Vec::<String>::new());
}

#[test]
fn totals_replace_missing_stages() {
    let record = only(
        r#"[{"logId":3,"startTime":"2026-01-10T23:00:00.000","endTime":"2026-01-11T01:00:00.000","minutesAsleep":100,
        "minutesAwake":20,"minutesToFallAsleep":0,"awakeCount":2,"dateOfSleep":"2026-01-11",
        "levels":{"summary":{"deep":{"minutes":30},"light":{"minutes":50},"rem":{"minutes":20}},"data":[]}}]"#,
        "UTC",
    );
    assert!(record.hypnogram().is_empty());
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(6000.0));
    assert_eq!(metric(&record, MetricKind::TimeNightDeep), Some(1800.0));
    assert_eq!(metric(&record, MetricKind::SleepWakeups), Some(2.0));
    assert_eq!(metric(&record, MetricKind::SleepLatency), None);
}

#[test]
fn totals_that_are_not_numbers_are_left_out_and_counted() {
    let items = fitbit(
        r#"[{"logId":3,"startTime":"2026-01-10T23:00:00.000","endTime":"2026-01-11T01:00:00.000","minutesAsleep":100,
        "minutesAwake":-20,"awakeCount":"few","levels":{"summary":{"deep":{"minutes":"many"}},"data":[]}}]"#,
        "UTC",
    );
    assert_eq!(notes(&items), ["record 1: totals that are negative or not numbers were left out: 3"]);
    assert_eq!(metric(&sessions(&items)[0], MetricKind::TimeNightAsleep), Some(6000.0));
}

#[test]
fn totals_beyond_the_time_in_bed_are_dropped_and_reported() {
    let items = fitbit(
        r#"[{"logId":3,"startTime":"2026-01-10T23:00:00.000","endTime":"2026-01-11T01:00:00.000","minutesAsleep":500}]"#,
        "UTC",
    );
    assert_eq!(notes(&items), ["record 1: the totals contradict the time in bed and were dropped"]);
    assert_eq!(metric(&sessions(&items)[0], MetricKind::TimeNightAsleep), None);
    assert_eq!(metric(&sessions(&items)[0], MetricKind::TimeNightInBed), Some(7200.0));
}
