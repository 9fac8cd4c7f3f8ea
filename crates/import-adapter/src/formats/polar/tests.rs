use crate::Format;
use crate::testing::{
    accepted_session, frame, items, metric, notes, only_session, read, read_path, rejections, sessions,
    stages,
};
use application::ports::import_source::{ImportItem, ImportRefusal};
use domain::sleep::{MetricKind, SleepRecord};

/// A made-up night of the export with these members of `hypnogram`.
fn export(members: &str) -> String {
    format!(
        r#"[{{"night":"2026-03-11","evaluation":{{"asleepDuration":"PT1H50M","interruptions":{{"totalDuration":"PT10M",
        "totalCount":1}},"phaseDurations":{{"wake":"PT10M","rem":"PT30M","light":"PT50M","deep":"PT30M","unknown":"PT0S"}}}},
        "sleepResult":{{"hypnogram":{{"sleepStart":"2026-03-10T23:10:30.000+02:00","sleepEnd":"2026-03-11T01:10:30.000+02:00"
        {members}}}}}}}]"#
    )
}

fn changes(changes: &[(&str, &str)]) -> String {
    let change =
        |(offset, state): &(&str, &str)| format!(r#"{{"offsetFromStart":"{offset}","state":"{state}"}}"#);
    format!(r#","sleepStateChanges":[{}]"#, changes.iter().map(change).collect::<Vec<_>>().join(","))
}

/// A made-up night of the API.
fn api(start: &str, end: &str, members: &str) -> String {
    format!(
        r#"{{"nights":[{{"date":"2026-03-11","sleep_start_time":"{start}","sleep_end_time":"{end}"{members}}}]}}"#
    )
}

fn polar(text: &str) -> Vec<ImportItem> {
    items(text, None, "America/New_York")
}

fn totals(record: &SleepRecord) -> [Option<f64>; 5] {
    [
        MetricKind::TimeNightAsleep,
        MetricKind::TimeNightAwake,
        MetricKind::TimeNightLight,
        MetricKind::TimeNightDeep,
        MetricKind::TimeNightRem,
    ]
    .map(|kind| metric(record, kind).map(|seconds| seconds / 60.0))
}

#[test]
fn a_night_of_the_export_has_stages_that_last_until_the_next() {
    let record = only_session(&polar(&export(&changes(&[
        ("PT0S", "NONREM1"),
        ("PT20M", "NONREM3"),
        ("PT50M", "REM"),
        ("PT1H20M", "NONREM2"),
        ("PT1H50M", "WAKE"),
        ("PT2H0M30S", "WAKE"),
    ]))));
    assert_eq!(frame(&record), "2026-03-10T23:10:30+02:00 2026-03-11T01:10:30+02:00");
    let expected = [
        "LIGHT 23:10-23:30",
        "DEEP 23:30-00:00",
        "REM 00:00-00:30",
        "LIGHT 00:30-01:00",
        "AWAKE 01:00-01:10",
    ];
    assert_eq!(stages(&record), expected);
    assert_eq!(record.key().to_stored(), "given:2026-03-11");
    assert_eq!((record.source().unwrap().as_str(), record.is_nap()), ("polar", None));
    assert_eq!(totals(&record), [110.0, 10.0, 50.0, 30.0, 30.0].map(Some));
}

#[test]
fn a_night_without_stages_has_its_totals() {
    for members in ["", r#","sleepStateChanges":null"#, r#","sleepStateChanges":[]"#] {
        assert_eq!(
            totals(&only_session(&polar(&export(members)))),
            [110.0, 10.0, 50.0, 30.0, 30.0].map(Some)
        );
    }
    let phases = export("").find(r#","phaseDurations""#).unwrap();
    let text = export("");
    let without = format!(
        "{}{}",
        text.split_at(phases).0,
        text.split_at(text.find("},\n        \"sleepResult\"").unwrap()).1
    );
    assert_eq!(totals(&only_session(&polar(&without))), [Some(110.0), Some(10.0), None, None, None]);
}

#[test]
fn zero_and_unreadable_totals_are_unknown() {
    let zero = export("")
        .replace("PT1H50M", "PT0S")
        .replace("PT10M", "PT0S")
        .replace("PT30M", "PT0S")
        .replace("PT50M", "PT0S");
    let items = polar(&zero);
    assert_eq!(
        notes(&items),
        ["record 1: all totals are 0, which says nothing about the night; they were left out"]
    );
    assert!(accepted_session(&items).metrics().are_of_time_in_bed_alone());
    let items = polar(&export("").replace("PT1H50M", "long").replace(r#""PT50M""#, "50"));
    assert_eq!(notes(&items), ["record 1: totals that are negative or not numbers were left out: 2"]);
    let items = polar(&export("").replace("PT1H50M", "PT9H"));
    assert_eq!(notes(&items), ["record 1: the totals contradict the time in bed and were dropped"]);
}

#[test]
fn unknown_words_are_unknown_stages_and_unreadable_changes_are_counted() {
    let items = polar(&export(&changes(&[
        ("PT0S", "WS_UNKNOWN"),
        ("PT10M", "nonrem12"),
        ("PT30M", "DOZING"),
        ("never", "REM"),
        ("PT3H", "REM"),
        ("PT40M", "WAKE"),
        ("PT40M", "REM"),
    ])));
    let expected = ["UNKNOWN 23:10-23:20", "LIGHT 23:20-23:40", "UNKNOWN 23:40-23:50", "REM 23:50-01:10"];
    assert_eq!(stages(&accepted_session(&items)), expected);
    let noted = notes(&items).join("; ");
    for note in [
        "state changes without a readable offsetFromStart were omitted: 1",
        "stages with an unknown word or code were stored as UNKNOWN: 1",
        "stages after the end of the night were omitted: 1",
        "stages that do not end after their start were omitted: 1",
    ] {
        assert!(noted.contains(note), "{noted}");
    }
}

#[test]
fn the_offset_of_a_time_wins_over_the_zone() {
    let with = |start: &str, end: &str| {
        let text = export("").replace("2026-03-10T23:10:30.000+02:00", start);
        polar(&text.replace("2026-03-11T01:10:30.000+02:00", end))
    };
    let found = only_session(&with("2026-03-28T23:50:00+0200", "2026-03-29T07:20:00.5+0300"));
    assert_eq!(frame(&found), "2026-03-28T23:50:00+02:00 2026-03-29T07:20:00.500+03:00");
    let found = only_session(&with("2026-03-10T23:10:30Z", "2026-03-11T01:10:30"));
    assert_eq!(frame(&found), "2026-03-10T19:10:30-04:00 2026-03-11T01:10:30-04:00");
    let items = with("2026-03-08T02:30:00", "2026-03-08T07:00:00");
    assert!(notes(&items)[0].contains("skipped when the clocks went forward"));
}

#[test]
fn the_codes_of_the_api_begin_at_local_times_without_a_date() {
    let members = r#","light_sleep":7800,"deep_sleep":3600,"rem_sleep":3600,"unrecognized_sleep_stage":7800,
        "total_interruption_duration":1830,"hypnogram":{"00:30":4,"01:30":1,"23:50":2,"02:30":3,"04:00":5,"06:10":0}"#;
    let items = polar(&api("2026-03-10T23:50:07+02:00", "2026-03-11T06:20:37+02:00", members));
    let record = only_session(&items);
    let expected = [
        "LIGHT 23:50-00:30",
        "DEEP 00:30-01:30",
        "REM 01:30-02:30",
        "LIGHT 02:30-04:00",
        "UNKNOWN 04:00-06:10",
        "AWAKE 06:10-06:20",
    ];
    assert_eq!(stages(&record), expected);
    let first = record.hypnogram().entries()[0];
    assert_eq!((first.start(), first.millis()), (record.time_in_bed().start(), 2_393_000));
    assert_eq!(record.key().to_stored(), "given:2026-03-11");
}

#[test]
fn other_codes_and_times_of_the_api_are_noted() {
    let members = r#","hypnogram":{"23:50":2,"01:00":6,"02:00":"x","9 pm":1,"08:00":1}"#;
    let items = polar(&api("2026-03-10T23:50:07+02:00", "2026-03-11T06:20:37+02:00", members));
    assert_eq!(
        stages(&accepted_session(&items)),
        ["LIGHT 23:50-01:00", "UNKNOWN 01:00-02:00", "UNKNOWN 02:00-06:20"]
    );
    let expected = [
        "record 1: stages without a readable time were omitted: 1",
        "record 1: stages with an unknown word or code were stored as UNKNOWN: 2",
        "record 1: stages after the end of the night were omitted: 1",
    ];
    assert_eq!(notes(&items), expected);
}

#[test]
fn the_codes_of_a_night_with_a_clock_change_have_the_first_offset() {
    let members = r#","hypnogram":{"23:50":2,"02:30":4}"#;
    let items = polar(&api("2026-03-28T23:50:07+02:00", "2026-03-29T07:20:37+03:00", members));
    let note = "the clocks changed in this night; the times of the hypnogram were read with the first offset";
    assert_eq!(notes(&items), [format!("record 1: {note}")]);
    assert_eq!(stages(&accepted_session(&items)), ["LIGHT 23:50-02:30", "DEEP 02:30-06:20"]);
    let long = api("2026-03-28T23:50:07+02:00", "2026-03-29T23:50:07+02:00", members);
    let items = polar(&long);
    assert!(accepted_session(&items).hypnogram().is_empty());
    assert!(notes(&items)[0].contains("ambiguous in a night of 24 hours or more"));
}

#[test]
fn a_night_of_the_api_without_stages_has_its_totals_and_no_key_of_its_own() {
    let sums = r#","light_sleep":3600,"deep_sleep":1200,"rem_sleep":1200,"total_interruption_duration":600,"hypnogram":null"#;
    let (start, end) = ("2026-03-10T23:00:00+02:00", "2026-03-11T01:00:00+02:00");
    let record = only_session(&polar(&api(start, end, sums)));
    assert_eq!(totals(&record), [100.0, 10.0, 60.0, 20.0, 20.0].map(Some));
    assert_eq!(record.key().to_stored(), "derived:2026-03-10T21:00:00.000Z");
    assert!(
        only_session(&polar(&api(start, end, r#","sleep_score":70"#))).metrics().are_of_time_in_bed_alone()
    );
}

#[test]
fn an_invalid_night_is_rejected_and_the_next_one_is_read() {
    let good = export("").trim_matches(['[', ']']).to_owned();
    for (part, other, reason) in [
        (r#""sleepStart":"2026-03-10T23:10:30.000+02:00","#, "", "sleepStart is missing"),
        ("2026-03-11T01:10:30.000+02:00", "later", "sleepEnd is not a date and time"),
        (
            "2026-03-11T01:10:30.000+02:00",
            "2026-03-10T23:10:30.000+02:00",
            "time in bed: the end is not after the start",
        ),
        (
            "2026-03-11T01:10:30.000+02:00",
            "2026-03-10T22:10:30.000+02:00",
            "time in bed: the end is not after the start",
        ),
        (r#""night":"2026-03-11""#, r#""night":[1]"#, "night is neither a whole number nor a string"),
        (r#""hypnogram""#, r#""other""#, "sleepResult.hypnogram is missing"),
    ] {
        let items = polar(&format!("[{good},{},{good}]", good.replacen(part, other, 1)));
        assert_eq!(rejections(&items), [format!("record 2: {reason}")]);
        assert_eq!(sessions(&items).len(), 2);
    }
    let items = polar(&format!("[{good},5]"));
    assert_eq!(
        rejections(&items),
        ["record 2: a member has the wrong type, expected an object, at line 1, column 1 of the record"]
    );
}

#[test]
fn nights_are_found_in_every_form_of_file() {
    let night = r#"{"date":"2026-03-11","sleep_start_time":"2026-03-10T23:00:00+02:00","sleep_end_time":"2026-03-11T01:00:00+02:00"}"#;
    for text in [night.to_owned(), format!("[{night}]"), format!(r#"{{"nights":[{night}]}}"#)] {
        assert_eq!(sessions(&polar(&text)).len(), 1, "{text}");
    }
    for text in ["[]", r#"{"nights":[]}"#] {
        assert_eq!(items(text, Format::Polar, "UTC"), []);
    }
}

#[test]
fn other_files_of_the_export_and_truncated_ones_are_refused() {
    for text in [
        r#"[{"night":"2026-03-11","sleepScoreResult":{"sleepScore":70},"sleepScoreBaselines":{}}]"#,
        r#"[{"night":"2026-03-11","sleepWake":[{"sleepStateChanges":{"sleepWakeStateChangeModels":[]}}]}]"#,
        r#"[{"night":"2026-03-11","meanNightlyRecoveryRri":900}]"#,
        r#"{"available":[{"date":"2026-03-11","start_time":"x","end_time":"y"}]}"#,
        r#"{"recharges":[{"date":"2026-03-11"}]}"#,
        r#"{"nights":[]}"#,
        r#"{"nights":[{"date":"2026-03-11","polar_user":"x"}]}"#,
    ] {
        let refused = read(text.as_bytes(), None, "UTC").unwrap_err();
        assert!(
            matches!(refused, ImportRefusal::NotThisFormat(_) | ImportRefusal::OtherFormat { .. }),
            "{text}: {refused}"
        );
    }
    let text = export("");
    let refused = read(&text.as_bytes()[..text.len() - 9], None, "UTC").unwrap_err();
    assert!(matches!(refused, ImportRefusal::Damaged { .. }), "{refused}");
}

#[test]
fn the_other_files_of_the_export_are_skipped() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("sleep_result_1-a.json", export("").as_str()),
        (
            "sleep_score_1-b.json",
            r#"[{"night":"2026-03-11","sleepScoreResult":{},"sleepScoreBaselines":{}}]"#,
        ),
        ("sleep_wake_1-c.json", r#"[{"night":"2026-03-11","sleepWake":[]}]"#),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let (format, items) = read_path(folder.path(), None, "UTC").unwrap();
    assert_eq!((format, sessions(&items).len()), ("polar", 1));
    assert!(notes(&items).concat().contains("skipped: 2 (sleep_score_1-b.json, sleep_wake_1-c.json)"));
}
