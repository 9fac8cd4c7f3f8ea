mod dose;
mod stage;

use crate::Format;
use crate::testing::{
    accepted_session, frame, metric, notes, only_session, read, recognised, rejections, sessions,
};
use application::ports::import_source::{ImportItem, ImportRefusal};
use domain::sleep::{MetricKind, SleepRecord, SleepSource};

/// Reads the points of a metric of sleep.
fn read_points(points: &str) -> Vec<ImportItem> {
    read_text(&metric_of(&format!(r#""name":"sleep_analysis","units":"hr","data":[{points}]"#)))
}

fn metric_of(members: &str) -> String {
    format!(r#"{{"data":{{"metrics":[{{{members}}}]}}}}"#)
}

fn read_text(text: &str) -> Vec<ImportItem> {
    read(text.as_bytes(), None, "America/New_York").unwrap()
}

fn source(record: &SleepRecord) -> &str {
    record.source().map_or("", SleepSource::as_str)
}

/// A night as the app sums it up for a watch.
const NIGHT: &str = r#"{"date":"2026-02-08 00:00:00 +0930","sleepStart":"2026-02-07 23:12:40 +0930",
"sleepEnd":"2026-02-08 06:50:10 +0930","inBedStart":"2026-02-07 23:12:40 +0930","inBedEnd":"2026-02-08 06:50:10 +0930",
"totalSleep":7.291666666666667,"core":4.575,"deep":0.9833333333333333,"rem":1.7333333333333334,
"awake":0.3333333333333333,"asleep":0,"inBed":0,"source":"Jo’s Watch"}"#;

#[test]
fn the_sums_of_a_night_are_hours() {
    let record = only_session(&read_points(NIGHT));
    assert_eq!(frame(&record), "2026-02-07T23:12:40+09:30 2026-02-08T06:50:10+09:30");
    assert_eq!(source(&record), "Jo’s Watch");
    assert_eq!(record.key().to_stored(), "derived:2026-02-07T13:42:40.000Z");
    assert!(record.hypnogram().is_empty());
    for (kind, seconds) in [
        (MetricKind::TimeNightAsleep, 26_250.0),
        (MetricKind::TimeNightLight, 16_470.0),
        (MetricKind::TimeNightDeep, 3_540.0),
        (MetricKind::TimeNightRem, 6_240.0),
        (MetricKind::TimeNightAwake, 1_200.0),
    ] {
        assert_eq!(metric(&record, kind), Some(seconds), "{kind:?}");
    }
    // The last digit of a length differs from one request to the next.
    let noisy = NIGHT.replace("7.291666666666667", "7.29166666666666803");
    assert_eq!(only_session(&read_points(&noisy)), record);
}

#[test]
fn stages_of_0_are_not_known_and_sleep_is_the_sum_of_the_rest() {
    let night = r#"{"sleepStart":"2026-02-07 23:00:00 +0100","sleepEnd":"2026-02-08 05:00:00 +0100","core":0,"deep":0,
        "rem":0,"inBed":0,"asleep":4.7,"awake":1.3,"source":"Band"}"#;
    let record = only_session(&read_points(night));
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(16_920.0));
    assert_eq!(metric(&record, MetricKind::TimeNightAwake), Some(4_680.0));
    for kind in [MetricKind::TimeNightLight, MetricKind::TimeNightDeep, MetricKind::TimeNightRem] {
        assert_eq!(metric(&record, kind), None, "{kind:?}");
    }
}

#[test]
fn one_stage_of_0_is_not_known_though_the_others_add_up() {
    let night = r#"{"sleepStart":"2026-02-07 23:00:00 +0100","sleepEnd":"2026-02-08 06:00:00 +0100","totalSleep":7,
        "core":5,"deep":0,"rem":2,"awake":0,"source":"Band"}"#;
    let record = only_session(&read_points(night));
    assert_eq!(metric(&record, MetricKind::TimeNightLight), Some(18_000.0));
    assert_eq!(metric(&record, MetricKind::TimeNightDeep), None);
    assert_eq!(metric(&record, MetricKind::TimeNightAwake), None);
}

#[test]
fn a_night_of_zeros_has_its_time_in_bed_and_a_note() {
    let night = r#"{"sleepStart":"2026-02-07 23:00:00 +0100","sleepEnd":"2026-02-08 05:00:00 +0100","totalSleep":0,
        "core":0,"deep":0,"rem":0,"awake":0,"asleep":0,"inBed":0,"source":"Band"}"#;
    let items = read_points(night);
    assert!(accepted_session(&items).metrics().are_of_time_in_bed_alone());
    let reason = "all totals are 0, which says nothing about the night; they were left out";
    assert_eq!(notes(&items), [format!("record 1: {reason}")]);
}

#[test]
fn a_night_without_sums_or_times_in_bed_is_a_session() {
    let times = r#""sleepStart":"2026-02-07 23:00:00 +0100","sleepEnd":"2026-02-08 05:00:00 +0100""#;
    for rest in ["", r#","inBedStart":null,"inBedEnd":"""#, r#","core":null,"totalSleep":null"#] {
        let record = only_session(&read_points(&format!("{{{times}{rest}}}")));
        assert_eq!(frame(&record), "2026-02-07T23:00:00+01:00 2026-02-08T05:00:00+01:00");
        assert!(record.metrics().are_of_time_in_bed_alone());
        assert_eq!(source(&record), "health auto export");
    }
}

#[test]
fn the_time_in_bed_contains_the_sleep() {
    let night = |in_bed_start: &str, in_bed_end: &str| {
        let night = format!(
            r#"{{"sleepStart":"2026-02-07 23:00:00 +0100","sleepEnd":"2026-02-08 05:00:00 +0100",
            "inBedStart":"2026-02-07 {in_bed_start} +0100","inBedEnd":"2026-02-08 {in_bed_end} +0100"}}"#
        );
        frame(&only_session(&read_points(&night)))
    };
    let longer = "2026-02-07T22:30:00+01:00 2026-02-08T05:20:00+01:00";
    assert_eq!(night("22:30:00", "05:20:00"), longer);
    let shorter = "2026-02-07T23:00:00+01:00 2026-02-08T05:00:00+01:00";
    assert_eq!(night("23:10:00", "04:50:00"), shorter);
}

#[test]
fn the_older_form_has_two_sources_and_all_sleep_as_asleep() {
    let night = r#"{"date":"2023-02-08","asleep":6.5,"inBed":7.5,"sleepStart":"2023-02-07 23:20:00 +0100",
        "sleepEnd":"2023-02-08 06:10:00 +0100","inBedStart":"2023-02-07 23:00:00 +0100",
        "inBedEnd":"2023-02-08 06:30:00 +0100","sleepSource":"Jo’s Watch","inBedSource":"Jo’s iPhone"}"#;
    let record = only_session(&read_points(night));
    assert_eq!(frame(&record), "2023-02-07T23:00:00+01:00 2023-02-08T06:30:00+01:00");
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(23_400.0));
    assert_eq!(source(&record), "Jo’s Watch");
}

#[test]
fn time_in_bed_alone_is_a_session_too() {
    let night = r#"{"inBed":8,"asleep":0,"sleepStart":null,"sleepEnd":null,"inBedStart":"2026-02-07 23:00:00 +0100",
        "inBedEnd":"2026-02-08 07:00:00 +0100","source":"Jo’s iPhone"}"#;
    let record = accepted_session(&read_points(night));
    assert_eq!(frame(&record), "2026-02-07T23:00:00+01:00 2026-02-08T07:00:00+01:00");
    assert!(record.metrics().are_of_time_in_bed_alone());
}

#[test]
fn joined_sources_are_one_source_in_any_order() {
    let night = |source: &str| {
        let record = only_session(&read_points(&NIGHT.replace("Jo’s Watch", source)));
        record.source().map(|source| source.as_str().to_owned()).unwrap()
    };
    assert_eq!(night("Jo’s Watch|Jo’s iPhone"), "Jo’s Watch|Jo’s iPhone");
    assert_eq!(night("Jo’s iPhone|Jo’s Watch| Jo’s Watch"), "Jo’s Watch|Jo’s iPhone");
    // A name alone stays as written, so that it is that of Apple's own export.
    assert_eq!(night("Jo’s\u{a0}Watch "), "Jo’s\u{a0}Watch ");
}

#[test]
fn a_nap_on_the_day_of_a_night_is_a_session_of_its_own() {
    let nap = r#"{"date":"2026-02-08 00:00:00 +0930","sleepStart":"2026-02-08 14:00:00 +0930",
        "sleepEnd":"2026-02-08 14:40:00 +0930","totalSleep":0.6,"source":"Jo’s Watch"}"#;
    assert_eq!(sessions(&read_points(&format!("{NIGHT},{nap}"))).len(), 2);
}

#[test]
fn a_night_cut_at_its_start_is_read_as_it_was_sent() {
    let cut = NIGHT.replace("2026-02-07 23:12:40 +0930", "2026-02-08 00:00:00 +0930");
    let whole = only_session(&read_points(NIGHT));
    let cut = accepted_session(&read_points(&cut));
    assert_ne!(cut.key(), whole.key());
    assert_eq!(cut.time_in_bed().end(), whole.time_in_bed().end());
    // Its sums no longer fit; none of them is kept.
    assert!(cut.metrics().are_of_time_in_bed_alone());
}

#[test]
fn a_night_has_one_reading_in_any_order_of_members() {
    let expected = read_points(NIGHT);
    for members in [
        format!(r#""data":[{NIGHT}],"units":"hr","name":"sleep_analysis""#),
        format!(r#""units":"hr","data":[{NIGHT}],"name":"sleep_analysis""#),
        format!(r#""name":"sleep_analysis","data":[{NIGHT}],"units":"HR""#),
        format!(r#""name":"sleep_analysis","data":[{NIGHT}]"#),
    ] {
        assert_eq!(read_text(&metric_of(&members)), expected, "{members}");
    }
}

#[test]
fn other_metrics_are_passed_over_before_and_after_sleep() {
    let steps =
        r#"{"name":"step_count","units":"count","data":[{"date":"2026-02-07 12:00:00 +0930","qty":7}]}"#;
    let reversed =
        r#"{"data":[{"qty":7,"start":"x","value":"y"},{"qty":8}],"name":"step_count","units":"count"}"#;
    let sleep = format!(r#"{{"name":"sleep_analysis","units":"hr","data":[{NIGHT}]}}"#);
    let metrics = format!(r#"7,{steps},{reversed},{{"name":7,"data":[[]]}},{sleep},{reversed},{{}}"#);
    let text = format!(r#"{{"a":[],"data":{{"workouts":[{{}}],"metrics":[{metrics}]}},"b":1}}"#);
    let items = read(text.as_bytes(), Format::HealthAutoExport, "America/New_York").unwrap();
    assert_eq!(items, read_points(NIGHT));
}

#[test]
fn a_file_without_sleep_and_medications_says_so() {
    let metric =
        r#""name":"step_count","units":"count","data":[{"date":"2026-02-07 12:00:00 +0930","qty":7}]"#;
    for text in [metric_of(metric), r#"{"data":{"workouts":[{"name":"Walk"}]}}"#.to_owned()] {
        let items = read_text(&text);
        assert_eq!(notes(&items), ["data: the file has neither sleep analysis nor medications"], "{text}");
    }
    for empty in [
        r#"{"data":{"metrics":[]}}"#,
        r#"{"data":{"medications":[]}}"#,
        r#"{"data":{"metrics":[{"name":"sleep_analysis","units":"hr","data":[]}]}}"#,
    ] {
        assert_eq!(read_text(empty), vec![], "{empty}");
    }
}

#[test]
fn a_stage_number_as_quantity_is_rejected_instead_of_misread() {
    let point =
        r#"{"date":"2026-02-07T13:42:40Z","endDate":"2026-02-07T14:10:10Z","qty":4,"source":"Jo’s Watch"}"#;
    for units in [r#""units":"count","#, ""] {
        for members in [
            format!(r#""name":"sleep_analysis",{units}"data":[{point},{point}]"#),
            format!(r#""data":[{point},{point}],{units}"name":"sleep_analysis""#),
        ] {
            let items = read_text(&metric_of(&members));
            assert!(sessions(&items).is_empty());
            assert!(!rejections(&items).is_empty(), "{members}");
        }
    }
    let items = read_text(&metric_of(&format!(
        r#""name":"sleep_analysis","units":"count","data":[{point},{NIGHT}]"#
    )));
    let reason = "the units of this sleep analysis are not hours (hr)";
    assert_eq!(rejections(&items), [format!("record 1: {reason}"), format!("record 2: {reason}")]);
}

#[test]
fn an_invalid_night_is_rejected_and_the_others_are_read() {
    let time = |name: &str| format!("{name} is not a time such as 2026-01-10 23:05:00 +0100");
    let start = r#""sleepStart":"2026-02-07 23:12:40 +0930""#;
    let bed = r#""inBedStart":"2026-02-07 23:12:40 +0930","inBedEnd":"2026-02-08 06:50:10 +0930","#;
    let without_bed = NIGHT.replace(bed, "");
    for (from, to, reason) in [
        (start, r#""sleepStart":"2026-02-07 23:12:40""#, time("sleepStart")),
        (start, r#""sleepStart":"2026-02-30 23:12:40 +0930""#, time("sleepStart")),
        (start, r#""sleepStart":"2026-02-07 23:12:40 +9900""#, time("sleepStart")),
        (start, r#""sleepStart":true"#, time("sleepStart")),
        (start, r#""sleepStart":null"#, "sleepStart is missing".to_owned()),
        (
            start,
            r#""sleepStart":"2026-02-08 23:12:40 +0930""#,
            "time in bed: the end is not after the start".to_owned(),
        ),
        (r#""Jo’s Watch""#, "7", "source is not a text".to_owned()),
        (
            "Jo’s Watch",
            r"a\u0000b",
            "source: a source has 1 to 100 characters and no control characters".to_owned(),
        ),
    ] {
        let items = read_points(&format!("{NIGHT},{}", without_bed.replace(from, to)));
        assert_eq!(rejections(&items), [format!("record 2: {reason}")], "{to}");
        assert_eq!(sessions(&items).len(), 1);
    }
    let items = read_points(&format!("7,{{}},{NIGHT}"));
    assert_eq!(sessions(&items).len(), 1);
    assert_eq!(
        rejections(&items)[1],
        "record 2: neither a stage (value) nor a night (sleepStart and sleepEnd)"
    );
    let items =
        read_text(&metric_of(&format!(r#""data":[{{}},{NIGHT},{{}}],"name":"sleep_analysis","units":"hr""#)));
    assert_eq!(rejections(&items), ["record 1: neither a stage nor a night: 2 points of the metric"]);
}

#[test]
fn sums_that_are_no_lengths_are_noted() {
    let items = read_points(&NIGHT.replace("4.575", "-1").replace("0.3333333333333333", "\"x\""));
    assert_eq!(notes(&items), ["record 1: totals that are negative or not numbers were left out: 2"]);
    assert_eq!(metric(&accepted_session(&items), MetricKind::TimeNightAsleep), Some(26_250.0));
}

#[test]
fn a_metric_whose_name_is_far_behind_its_points_is_refused() {
    let long = format!(r#"{{"value":"Core","note":"{}"}},"#, "x".repeat(1 << 20)).repeat(17);
    let text = metric_of(&format!(r#""data":[{long}{{}}],"name":"sleep_analysis""#));
    let refused = read(text.as_bytes(), Format::HealthAutoExport, "UTC").unwrap_err();
    assert!(matches!(refused, ImportRefusal::Unreadable(_)), "{refused}");
    let short = r#"{"value":"Core"},"#.repeat(300_000);
    let text = metric_of(&format!(r#""data":[{short}{{}}],"name":"sleep_analysis""#));
    let refused = read(text.as_bytes(), Format::HealthAutoExport, "UTC").unwrap_err();
    assert!(matches!(refused, ImportRefusal::Unreadable(_)), "{refused}");
    // Points that are not about sleep are not held.
    let text = metric_of(&format!(r#""data":[{}1],"name":"sleep_analysis""#, "1,".repeat(300_000)));
    assert!(read(text.as_bytes(), None, "UTC").is_ok());
    let long = format!(r#"{{"qty":7,"note":"{}"}},"#, "x".repeat(1 << 20)).repeat(17);
    let text = metric_of(&format!(r#""data":[{long}{{}}],"name":"step_count""#));
    assert!(read(text.as_bytes(), None, "UTC").is_ok());
}

#[test]
fn invalid_json_in_another_metric_refuses_the_file() {
    for damage in [r#"{"qty":07}"#, r#"{"qty"}"#, "{]", "\"\u{1}\""] {
        let text = metric_of(&format!(r#""name":"step_count","units":"count","data":[{{}},{damage}]"#));
        let refused = read(text.as_bytes(), Format::HealthAutoExport, "UTC").unwrap_err();
        assert!(matches!(refused, ImportRefusal::Damaged { .. }), "{damage} {refused}");
    }
    let text = format!("{} 7", metric_of(r#""name":"step_count","data":[]"#));
    assert!(matches!(read(text.as_bytes(), None, "UTC"), Err(ImportRefusal::Damaged { .. })));
}

#[test]
fn documents_of_another_shape_are_not_recognised() {
    for text in [
        r#"{"data":[]}"#,
        r#"{"data":{}}"#,
        r#"{"data":{"metrics":{}}}"#,
        r#"{"data":{"metrics":[7]}}"#,
        r#"{"data":{"metrics":[{"name":7,"data":[]}]}}"#,
        r#"{"data":{"metrics":[{"name":"sleep_analysis","values":[]}]}}"#,
        r#"{"data":{"medications":[{"name":"x"}]}}"#,
        r#"{"data":{"workouts":[],"nights":[]}}"#,
        r#"{"metrics":[{"name":"sleep_analysis","data":[]}]}"#,
    ] {
        assert!(recognised(text).is_err(), "{text}");
    }
    assert_eq!(recognised(r#"{"data":{"workouts":[],"metrics":[]}}"#), Ok("health-auto-export"));
}
