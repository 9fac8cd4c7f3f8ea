//! Offsets and clock changes.

use super::{STAGES, fitbit, only};
use crate::testing::{frame, metric, notes, sessions, stages};
use domain::sleep::MetricKind;

#[test]
fn an_offset_that_a_log_carries_wins_over_the_zone() {
    let text = STAGES.replace("10T23:00:00.000\",\n", "10T23:00:00.000-08:00\",\n");
    assert_eq!(frame(&only(&text, "Europe/Berlin")), "2026-01-10T23:00:00-08:00 2026-01-11T00:00:00-08:00");
}

/// A night of 8 h 57 m 30 s of local time across the change of 2025-03-30 in Berlin, when 02:00 became 03:00.
fn spring(last_level: &str) -> String {
    format!(
        r#"[{{"logId":6,"startTime":"2025-03-29T23:00:00.000","endTime":"2025-03-30T07:57:30.000","duration":32220000,
        "mainSleep":true,"levels":{{"data":[
        {{"dateTime":"2025-03-29T23:00:00.000","level":"light","seconds":11400}},
        {{"dateTime":"2025-03-30T02:10:00.000","level":"deep","seconds":17250}},
        {{"dateTime":"2025-03-30T06:57:30.000","level":"{last_level}","seconds":3600}}]}}}}]"#
    )
}

#[test]
fn padding_at_a_clock_change_is_dropped_and_skipped_times_are_read_on() {
    let items = fitbit(&spring("unknown"), "Europe/Berlin");
    let record = &sessions(&items)[0];
    assert_eq!(frame(record), "2025-03-29T23:00:00+01:00 2025-03-30T07:57:30+02:00");
    assert_eq!(stages(record), ["LIGHT 23:00-02:10", "DEEP 02:10-06:57"]);
    assert_eq!(metric(record, MetricKind::TimeNightInBed), Some(28650.0));
    assert_eq!(notes(&items).len(), 1);
}

#[test]
fn the_end_has_the_offset_at_which_it_matches_the_last_stage() {
    let record = only(&spring("rem"), "Europe/Berlin");
    assert_eq!(frame(&record), "2025-03-29T23:00:00+01:00 2025-03-30T08:57:30+02:00");
    assert_eq!(metric(&record, MetricKind::TimeNightInBed), Some(32250.0));
    // Without a clock change the same hour was recorded by the device.
    let record = only(&spring("unknown"), "Africa/Lagos");
    assert_eq!(stages(&record).last().unwrap(), "UNKNOWN 06:57-07:57");
}

#[test]
fn without_stages_the_end_takes_the_offset_in_force_at_the_end() {
    let text = |start: &str, end: &str| {
        format!(r#"[{{"logId":7,"mainSleep":true,"startTime":"{start}","endTime":"{end}"}}]"#)
    };
    let spring = only(&text("2025-03-29T23:00:00", "2025-03-30T08:00:00"), "Europe/Berlin");
    assert_eq!(frame(&spring), "2025-03-29T23:00:00+01:00 2025-03-30T08:00:00+02:00");
    let autumn = only(&text("2025-10-25T23:00:00", "2025-10-26T07:00:00"), "Europe/Berlin");
    assert_eq!(frame(&autumn), "2025-10-25T23:00:00+02:00 2025-10-26T07:00:00+01:00");
    // A start within the repeated hour, and an end that exists only after it.
    let short = only(&text("2025-10-26T02:50:00", "2025-10-26T02:10:00"), "Europe/Berlin");
    assert_eq!(frame(&short), "2025-10-26T02:50:00+02:00 2025-10-26T02:10:00+01:00");
}

#[test]
fn a_night_in_autumn_ends_where_its_stages_end() {
    let text = |hours: u32| {
        format!(
            r#"[{{"logId":8,"mainSleep":true,"startTime":"2025-10-25T23:00:00","endTime":"2025-10-26T07:00:00",
            "levels":{{"data":[{{"dateTime":"2025-10-25T23:00:00","level":"asleep","seconds":{}}}]}}}}]"#,
            hours * 3600
        )
    };
    let nine = only(&text(9), "Europe/Berlin");
    assert_eq!(frame(&nine), "2025-10-25T23:00:00+02:00 2025-10-26T07:00:00+01:00");
    let eight = only(&text(8), "Europe/Berlin");
    assert_eq!(frame(&eight), "2025-10-25T23:00:00+02:00 2025-10-26T06:00:00+01:00");
}

#[test]
fn a_start_that_the_clock_change_skips_keeps_its_stages() {
    let record = only(
        r#"[{"logId":9,"mainSleep":true,"startTime":"2025-03-30T02:30:00","duration":3600000,
        "levels":{"data":[{"dateTime":"2025-03-30T02:30:00","level":"asleep","seconds":3600}]}}]"#,
        "Europe/Berlin",
    );
    assert_eq!(frame(&record), "2025-03-30T02:30:00+01:00 2025-03-30T04:30:00+02:00");
    assert_eq!(stages(&record), ["ASLEEP 02:30-03:30"]);
}
