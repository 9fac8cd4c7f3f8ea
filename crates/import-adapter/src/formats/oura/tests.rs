mod tables;

use crate::Format;
use crate::testing::{
    frame, items, metric, notes, only_session, read, recognised, rejections, sessions, stages,
};
use application::ports::import_source::ImportItem;
use domain::sleep::{MetricKind, SleepRecord};
use proptest::prelude::{prop, prop_assert_eq, proptest};

fn oura(text: &str, zone: &str) -> Vec<ImportItem> {
    items(text, None, zone)
}

fn only(text: &str) -> SleepRecord {
    only_session(&oura(text, "Europe/Berlin"))
}

/// A version 2 document with these members besides its times.
fn document(members: &str) -> String {
    format!(
        r#"{{"id":"night-1","day":"2026-01-11","type":"long_sleep","bedtime_start":"2026-01-10T23:10:05-07:00",
        "bedtime_end":"2026-01-11T00:08:05-07:00","period":0{members}}}"#
    )
}

/// The result of one document: its session if there is one, rejections and notes.
fn outcome(document: &str) -> (Option<SleepRecord>, String, String) {
    let items = oura(&format!(r#"{{"data":[{document}],"next_token":null}}"#), "Europe/Berlin");
    (sessions(&items).pop(), rejections(&items).concat(), notes(&items).concat())
}

const FIRST: &str = r#"{"summary_date":"2017-11-05","period_id":0,"is_longest":1,"timezone":120,
  "bedtime_start":"2017-11-06T02:13:19+02:00","bedtime_end":"2017-11-06T02:37:19+02:00","score":70,
  "total":900,"awake":300,"light":300,"rem":300,"deep":300,"onset_latency":300,"hypnogram_5min":"43221"}"#;

#[test]
fn a_document_is_a_session_of_runs_of_equal_epochs() {
    let record = only(&document(r#","sleep_phase_5_min":"442233311124""#));
    assert_eq!(frame(&record), "2026-01-10T23:10:05-07:00 2026-01-11T00:08:05-07:00");
    assert_eq!(
        stages(&record),
        [
            "AWAKE 23:10-23:20",
            "LIGHT 23:20-23:30",
            "REM 23:30-23:45",
            "DEEP 23:45-00:00",
            "LIGHT 00:00-00:05",
            "AWAKE 00:05-00:08"
        ]
    );
    assert_eq!(record.key().to_stored(), "given:night-1");
    assert_eq!(record.source().unwrap().as_str(), "oura");
    assert_eq!(record.is_nap(), Some(false));
    assert_eq!(metric(&record, MetricKind::TimeNightAwake), Some(780.0));
    assert_eq!(metric(&record, MetricKind::TimeNightInBed), Some(3480.0));
}

#[test]
fn every_shape_of_the_file_yields_the_same_session() {
    let sleep = document(r#","sleep_phase_5_min":"4422""#);
    let alone = only(&sleep);
    for text in [
        format!("[{sleep}]"),
        format!(r#"{{"data":[{sleep}],"next_token":null}}"#),
        format!(r#"{{"sleep":[{sleep}]}}"#),
        format!(r#"{{"activity":[{{"day":"2026-01-11"}}],"sleep":[{sleep}],"readiness":[]}}"#),
        format!(r#"{{"sleep":{{"data":[{sleep}],"next_token":null}},"activity":{{"data":[]}}}}"#),
    ] {
        assert_eq!(only(&text), alone, "{text}");
    }
    for text in [r#"{"data":[],"next_token":null}"#, r#"{"next_token":null,"data":[]}"#] {
        assert_eq!(oura(text, "UTC"), [], "{text}");
    }
    for text in ["[]", r#"{"data":[]}"#, r#"{"sleep":[]}"#] {
        assert_eq!(items(text, Format::Oura, "UTC"), [], "{text}");
    }
}

#[test]
fn a_long_export_is_recognised_by_the_members_before_its_sleep() {
    let day = format!(r#"{{"day":"2026-01-11","met":"{}"}}"#, "1".repeat(1000));
    let days = vec![day.as_str(); 1200].join(",");
    let sleep = document("");
    let text = format!(r#"{{"daily_readiness":[{day}],"daily_activity":[{days}],"sleep":[{sleep}]}}"#);
    assert_eq!(only(&text), only(&sleep));
    let asked_for = format!(r#"{{"daily_activity":[{days}],"sleep":[{sleep}]}}"#);
    assert!(read(asked_for.as_bytes(), None, "UTC").is_err());
    assert_eq!(sessions(&items(&asked_for, Format::Oura, "UTC")), [only(&sleep)]);
}

#[test]
fn other_files_are_not_recognised() {
    for text in [
        r#"{"sleep":[]}"#,
        r#"{"sleep":[{"dateOfSleep":"2026-01-11","startTime":"2026-01-10T23:00:00"}]}"#,
        "[]",
    ] {
        assert_eq!(recognised(text), Ok("fitbit"), "{text}");
    }
    for text in [
        r#"{"data":[]}"#,
        r#"{"data":[{"id":"x","day":"2026-01-11","score":80,"contributors":{}}],"next_token":null}"#,
        r#"{"readiness":[{"summary_date":"2026-01-11","score":80}]}"#,
        r#"{"bedtime_start":"2026-01-10T23:10:05-07:00","calendar_date":"2026-01-11"}"#,
        r#"{"records":[],"next_token":null}"#,
    ] {
        assert!(read(text.as_bytes(), None, "UTC").is_err(), "{text}");
    }
}

#[test]
fn version_1_has_the_same_values_under_other_names() {
    let record = only(&format!(r#"{{"sleep":[{FIRST}]}}"#));
    assert_eq!(frame(&record), "2017-11-06T02:13:19+02:00 2017-11-06T02:37:19+02:00");
    let expected = ["AWAKE 02:13-02:18", "REM 02:18-02:23", "LIGHT 02:23-02:33", "DEEP 02:33-02:37"];
    assert_eq!(stages(&record), expected);
    assert_eq!(record.key().to_stored(), "derived:2017-11-06T00:13:19.000Z");
    assert_eq!(record.is_nap(), Some(false));
    let other = only(&FIRST.replace("\"is_longest\":1", "\"is_longest\":0"));
    assert_eq!(other.is_nap(), None);
    let bare = only(&FIRST.replace("\"43221\"", "null"));
    assert_eq!(bare.hypnogram().len(), 0);
    assert_eq!(metric(&bare, MetricKind::TimeNightAsleep), Some(900.0));
    assert_eq!(metric(&bare, MetricKind::SleepLatency), Some(300.0));
}

#[test]
fn the_finest_text_with_a_stage_is_used() {
    let both = only(&document(r#","sleep_phase_5_min":"4444","sleep_phase_30_sec":"4411""#));
    assert_eq!(stages(&both), ["AWAKE 23:10-23:11", "DEEP 23:11-23:12"]);
    let app =
        only(&document(r#","sleep_phase_30_sec":null,"sleep_phase_5_min":" ","app_sleep_phase_5_min":"22""#));
    assert_eq!(stages(&app), ["LIGHT 23:10-23:20"]);
    let (record, _, noted) = outcome(&document(r#","sleep_phase_30_sec":"000","sleep_phase_5_min":"3""#));
    assert_eq!(stages(&record.unwrap()), ["REM 23:10-23:15"]);
    assert_eq!(noted, "record 1: sleep_phase_30_sec contains no known stage and was left out");
}

#[test]
fn a_text_that_became_a_number_is_left_out() {
    for number in ["4422333", "4.422333e30", "44223334422333442233344223334422333"] {
        let (record, _, noted) = outcome(&document(&format!(
            r#","sleep_phase_5_min":{number},"total_sleep_duration":3000,"awake_time":480"#
        )));
        let record = record.unwrap();
        assert!(record.hypnogram().is_empty());
        assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(3000.0));
        assert_eq!(noted, "record 1: sleep_phase_5_min is not a string and was left out");
    }
}

#[test]
fn epochs_of_unknown_codes_are_skipped_and_keep_their_place() {
    let (record, _, noted) = outcome(&document(r#","sleep_phase_5_min":"202x2""#));
    assert_eq!(stages(&record.unwrap()), ["LIGHT 23:10-23:15", "LIGHT 23:20-23:25", "LIGHT 23:30-23:35"]);
    assert_eq!(noted, "record 1: epochs with an unknown code were left out: 2");
}

#[test]
fn epochs_after_the_end_are_left_out_and_noted() {
    let (record, _, noted) = outcome(&document(r#","sleep_phase_5_min":"22222222222211""#));
    assert_eq!(stages(&record.unwrap()), ["LIGHT 23:10-00:08"]);
    assert_eq!(noted, "record 1: epochs after bedtime_end were left out: 2");
}

#[test]
fn the_type_distinguishes_naps_and_rest_from_sleep() {
    let of_type = |kind: &str| outcome(&document("").replace("\"long_sleep\"", kind));
    for (kind, is_nap) in
        [("\"long_sleep\"", Some(false)), ("\"sleep\"", Some(true)), ("\"late_nap\"", Some(true))]
    {
        assert_eq!(of_type(kind).0.unwrap().is_nap(), is_nap, "{kind}");
    }
    assert_eq!(of_type("null").0.unwrap().is_nap(), None);
    let (record, _, noted) = of_type("\"trance\"");
    assert!(record.is_some_and(|record| record.is_nap().is_none()));
    assert_eq!(noted, "record 1: unknown type of sleep");
    for (kind, why) in [("\"rest\"", "it is rest, not sleep"), ("\"deleted\"", "it was deleted")] {
        let (record, rejected, noted) = of_type(kind);
        assert!(record.is_none() && rejected.is_empty() && noted.contains(why), "{noted}");
    }
}

#[test]
fn a_time_has_its_own_offset_or_the_document_s_or_the_zone_s() {
    let framed = |start: &str, end: &str, more: &str| {
        let text = format!(r#"{{"bedtime_start":"{start}","bedtime_end":"{end}","period_id":0{more}}}"#);
        frame(&only(&text))
    };
    let millis = framed("2026-03-28T23:10:05.000-07:00", "2026-03-29T07:00:00.250-06:00", "");
    assert_eq!(millis, "2026-03-28T23:10:05-07:00 2026-03-29T07:00:00.250-06:00");
    let own = framed("2026-01-10T23:00:00+02:00", "2026-01-11T07:00:00+02:00", r#","timezone":-300"#);
    assert_eq!(own, "2026-01-10T23:00:00+02:00 2026-01-11T07:00:00+02:00");
    let document_s = framed("2026-01-10T23:00:00", "2026-01-11T07:00:00", r#","timezone":-300"#);
    assert_eq!(document_s, "2026-01-10T23:00:00-05:00 2026-01-11T07:00:00-05:00");
    let zone_s = framed("2026-03-28T23:00:00", "2026-03-29T07:00:00", "");
    assert_eq!(zone_s, "2026-03-28T23:00:00+01:00 2026-03-29T07:00:00+02:00");
    let utc = framed("2026-01-10T23:00:00Z", "2026-01-11T07:00:00Z", "");
    assert_eq!(utc, "2026-01-11T00:00:00+01:00 2026-01-11T08:00:00+01:00");
}

#[test]
fn an_invalid_session_is_rejected_with_its_place_and_the_rest_imported() {
    let good = document("");
    for (bad, reason) in [
        (good.replace("00:08:05", "00:08"), "bedtime_end is not a date and time"),
        (good.replace("2026-01-11T00:08:05", "2026-01-10T23:10:05"), "time in bed: the end is not after"),
        (good.replace("2026-01-11T00", "2026-02-11T00"), "time in bed: longer than seven days"),
        (good.replace("\"bedtime_end\":", "\"end\":"), "bedtime_end is missing"),
        (good.replace("\"night-1\"", "1.5"), "id is neither"),
        (good.replace("\"night-1\"", "\"\\u0007\""), "id: a session's key"),
        (good.replace("\"period\":0", "\"type\":\"rest\""), "duplicate member: `type`"),
        ("4711".to_owned(), "a member has the wrong type"),
        ("{}".to_owned(), "bedtime_start is missing"),
    ] {
        let items = items(&format!("[{good},{bad},{good}]"), Format::Oura, "UTC");
        assert_eq!(sessions(&items).len(), 2, "{bad}");
        let rejected = rejections(&items).concat();
        assert!(rejected.starts_with(&format!("record 2: {reason}")), "{rejected}");
        assert!(!rejected.contains("4711"));
    }
}

#[test]
fn totals_that_contradict_or_are_no_numbers_are_dropped_and_noted() {
    let (record, _, noted) = outcome(&document(r#","total_sleep_duration":9000,"latency":-1"#));
    assert_eq!(metric(&record.unwrap(), MetricKind::TimeNightAsleep), None);
    assert!(noted.contains("negative or not numbers were left out: 1"), "{noted}");
    assert!(noted.contains("the totals contradict the time in bed"), "{noted}");
}

proptest! {
    #[test]
    fn any_night_reads_back_as_itself(
        runs in prop::collection::vec((1..5_u8, 1..40_usize), 1..30),
        is_fine in prop::bool::ANY,
        offset in -12..=14_i32,
        start in 0..4_000_000_000_i64,
    ) {
        let (name, epoch) = if is_fine { ("sleep_phase_30_sec", 30) } else { ("sleep_phase_5_min", 60 * 5) };
        let mut runs = runs;
        runs.dedup_by_key(|(code, _)| *code);
        let text: String = runs.iter().map(|(code, count)| code.to_string().repeat(*count)).collect();
        let length = i64::try_from(text.len()).unwrap() * epoch;
        let start = chrono::DateTime::from_timestamp(start, 0).unwrap();
        let zone = chrono::FixedOffset::east_opt(offset * 3600).unwrap();
        let clock = |seconds| (start + chrono::TimeDelta::seconds(seconds)).with_timezone(&zone).to_rfc3339();
        let document = format!(
            r#"[{{"id":"a","bedtime_start":"{}","bedtime_end":"{}","{name}":"{text}"}}]"#,
            clock(0), clock(length),
        );
        let record = only(&document);
        let bed = record.time_in_bed();
        prop_assert_eq!((bed.start(), bed.millis()), (start, length * 1000));
        prop_assert_eq!(bed.offset_at_start().map(|offset| i32::from(offset.minutes())), Some(offset * 60));
        let read: Vec<_> = record
            .hypnogram()
            .entries()
            .iter()
            .map(|one| (one.stage().as_str(), usize::try_from(one.millis() / 1000 / epoch).unwrap()))
            .collect();
        let names = ["", "DEEP", "LIGHT", "REM", "AWAKE"];
        let written: Vec<_> = runs.iter().map(|(code, count)| (names[usize::from(*code)], *count)).collect();
        prop_assert_eq!(read, written);
    }
}
