//! The detailed form: a point for each stage.

use super::{NIGHT, read_points, source};
use crate::testing::{accepted_session, frame, notes, only_session, rejections, sessions, stages};

/// A stage from one time to another of a night.
fn stage(word: &str, start: &str, end: &str) -> String {
    format!(
        r#"{{"startDate":"2026-02-08 {start}:00 +0930","endDate":"2026-02-08 {end}:00 +0930","qty":0.5,
        "value":"{word}","source":"Jo’s Watch"}}"#
    )
}

#[test]
fn points_with_a_stage_form_a_session() {
    let points = [
        stage("Core", "00:10", "00:40"),
        stage("Deep", "00:40", "01:10"),
        stage("REM", "01:10", "01:40"),
        stage("Awake", "01:40", "01:50"),
        stage("Asleep", "01:50", "02:00"),
        stage("Unspecified", "02:00", "02:10"),
    ];
    let record = only_session(&read_points(&points.join(",")));
    assert_eq!(frame(&record), "2026-02-08T00:10:00+09:30 2026-02-08T02:10:00+09:30");
    assert_eq!(source(&record), "Jo’s Watch");
    assert_eq!(
        stages(&record),
        [
            "LIGHT 00:10-00:40",
            "DEEP 00:40-01:10",
            "REM 01:10-01:40",
            "AWAKE 01:40-01:50",
            "ASLEEP 01:50-02:00",
            "ASLEEP 02:00-02:10"
        ]
    );
}

#[test]
fn start_and_end_have_either_of_two_names() {
    let one = stage("Core", "00:10", "00:40");
    let expected = read_points(&one);
    let other = one.replace("startDate", "start").replace("endDate", "end");
    assert_eq!(read_points(&other), expected);
    let both = other.replacen('{', r#"{"startDate":null,"endDate":"","#, 1);
    assert_eq!(read_points(&both), expected);
}

#[test]
fn time_in_bed_is_no_stage() {
    for word in ["In Bed", "InBed", "in bed", "In\u{a0}Bed"] {
        let points = [stage(word, "00:00", "02:00"), stage("Core", "00:10", "00:40")];
        let record = only_session(&read_points(&points.join(",")));
        assert_eq!(frame(&record), "2026-02-08T00:00:00+09:30 2026-02-08T02:00:00+09:30");
        assert_eq!(stages(&record), ["LIGHT 00:10-00:40"]);
    }
}

#[test]
fn the_phone_and_the_watch_are_two_sources() {
    let phone = stage("In Bed", "00:00", "02:00").replace("Watch", "iPhone");
    let found = sessions(&read_points(&format!("{phone},{}", stage("Core", "00:10", "00:40"))));
    let found: Vec<_> = found.iter().map(|record| (source(record), stages(record).len())).collect();
    assert_eq!(found, [("Jo’s iPhone", 0), ("Jo’s Watch", 1)]);
}

#[test]
fn hours_may_count_to_12_with_any_blank_before_am_and_pm() {
    let times = |start: &str, end: &str| {
        let point =
            format!(r#"{{"start":"2026-02-{start} +0930","end":"2026-02-{end} +0930","value":"Core"}}"#);
        frame(&only_session(&read_points(&point)))
    };
    let evening = "2026-02-07T23:12:40+09:30 2026-02-08T00:21:10+09:30";
    for blank in [" ", "\u{202f}", "\u{a0}", ""] {
        for [am, pm] in [["AM", "PM"], ["am", "pm"]] {
            let [start, end] = [format!("07 11:12:40{blank}{pm}"), format!("08 12:21:10{blank}{am}")];
            assert_eq!(times(&start, &end), evening, "{start} {end}");
        }
    }
    assert_eq!(
        times("08 12:21:10 PM", "08 1:05:00 PM"),
        "2026-02-08T12:21:10+09:30 2026-02-08T13:05:00+09:30"
    );
    for wrong in ["08 13:05:00 PM", "08 11:05:00 XM", "08 11:05:00 PM PM"] {
        let point = format!(
            r#"{{"start":"2026-02-08 00:00:00 +0930","end":"2026-02-{wrong} +0930","value":"Core"}}"#
        );
        let reason = "record 1: end is not a time such as 2026-01-10 23:05:00 +0100";
        assert_eq!(rejections(&read_points(&point)), [reason], "{wrong}");
    }
}

#[test]
fn each_end_has_its_own_offset() {
    let point = r#"{"start":"2026-03-29 01:30:00 +0100","end":"2026-03-29 03:30:00 +0200","value":"Core","source":"x"}"#;
    assert_eq!(
        frame(&only_session(&read_points(point))),
        "2026-03-29T01:30:00+01:00 2026-03-29T03:30:00+02:00"
    );
}

#[test]
fn a_repeated_point_is_read_once() {
    let point = stage("Core", "00:10", "00:40");
    let items = read_points(&format!("{point},{point}"));
    assert_eq!(stages(&accepted_session(&items)).len(), 1);
    assert_eq!(
        notes(&items),
        ["record 2: records that the import contains more than once were read once: 1"]
    );
}

#[test]
fn stages_and_a_sum_of_one_night_have_the_same_key() {
    let first = r#"{"start":"2026-02-07 23:12:40 +0930","end":"2026-02-08 06:50:10 +0930","value":"Core","source":"Jo’s Watch"}"#;
    let [sum, staged] = sessions(&read_points(&format!("{first},{NIGHT}"))).try_into().unwrap();
    assert_eq!((sum.key(), sum.source()), (staged.key(), staged.source()));
    assert!(sum.hypnogram().is_empty() && !staged.hypnogram().is_empty());
}

#[test]
fn an_invalid_point_is_rejected_and_the_others_are_read() {
    let good = stage("Core", "00:10", "00:40");
    for (from, to, reason) in [
        ("Core", "Dreaming", "value is not a known sleep stage"),
        (r#""Core""#, "4", "value is not a word for a sleep stage"),
        ("startDate", "begin", "start is missing"),
        ("endDate", "finish", "end is missing"),
        ("00:40:00", "00:10:00", "the end is not after the start"),
        ("2026-02-08 00:10", "2026-01-08 00:10", "longer than seven days"),
        ("+0930\",\"endDate", "\",\"endDate", "startDate is not a time such as 2026-01-10 23:05:00 +0100"),
        (r#""source""#, r#""value""#, "duplicate member: `value`"),
    ] {
        let items = read_points(&format!("{good},{}", good.replacen(from, to, 1)));
        assert_eq!(rejections(&items), [format!("record 2: {reason}")], "{to}");
        assert_eq!(sessions(&items).len(), 1);
    }
}
