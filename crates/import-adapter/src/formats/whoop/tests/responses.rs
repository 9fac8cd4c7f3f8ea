//! Answers of the API.

use crate::Format;
use crate::testing::{
    accepted_session, frame, items, metric, notes, only_session, read, rejections, sessions,
};
use application::ports::import_source::{ImportItem, ImportRefusal};
use domain::sleep::{MetricKind, SleepRecord};

/// Four made-up sleeps, the newest first: not scored yet, a nap, a night, and a night that cannot be scored.
const PAGE: &str = r#"{"records":[
{"id":"7B1F0D3E-0000-4000-8000-000000000004","cycle_id":8100125,"v1_id":null,"user_id":4242,
 "start":"2026-10-25T22:40:02.000Z","end":"2026-10-26T05:50:41.300Z","timezone_offset":"+01:00","nap":false,
 "score_state":"PENDING_SCORE"},
{"id":"7b1f0d3e-0000-4000-8000-000000000003","cycle_id":8100124,"start":"2026-10-25T13:10:00.000Z",
 "end":"2026-10-25T14:00:00.000Z","timezone_offset":"+01:00","nap":true,"score_state":"SCORED","score":{"stage_summary":
 {"total_in_bed_time_milli":3000000,"total_awake_time_milli":300000,"total_no_data_time_milli":0,
 "total_light_sleep_time_milli":2100000,"total_slow_wave_sleep_time_milli":600000,"total_rem_sleep_time_milli":0,
 "disturbance_count":1}}},
{"id":"7b1f0d3e-0000-4000-8000-000000000002","cycle_id":8100124,"v1_id":93801,"start":"2026-10-24T21:00:00.460Z",
 "end":"2026-10-25T05:00:00.460Z","timezone_offset":"+02:00","nap":false,"score_state":"SCORED","score":{"stage_summary":
 {"total_in_bed_time_milli":28800000,"total_awake_time_milli":1800000,"total_no_data_time_milli":600000,
 "total_light_sleep_time_milli":14400000,"total_slow_wave_sleep_time_milli":6000000,
 "total_rem_sleep_time_milli":6000000}}},
{"id":"7b1f0d3e-0000-4000-8000-000000000001","start":"2026-10-23T22:15:00.000Z","end":"2026-10-24T04:45:00.000Z",
 "timezone_offset":"Z","nap":false,"score_state":"UNSCORABLE","score":null}
],"next_token":null}"#;

/// A sleep with these further members.
fn sleep(members: &str) -> String {
    format!(
        r#"{{"id":"a","start":"2026-01-10T22:00:00.000Z","end":"2026-01-11T06:00:00.000Z","nap":false,
        "score_state":"SCORED"{members}}}"#
    )
}

fn summary(light: &str, deep: &str, rem: &str, awake: &str) -> String {
    format!(
        r#","score":{{"stage_summary":{{"total_light_sleep_time_milli":{light},"total_awake_time_milli":{awake},
        "total_slow_wave_sleep_time_milli":{deep},"total_rem_sleep_time_milli":{rem}}}}}"#
    )
}

fn whoop(text: &str) -> Vec<ImportItem> {
    items(text, None, "America/New_York")
}

#[test]
fn the_sleeps_of_a_page_are_nights_and_naps_with_their_ids_and_offsets() {
    let items = whoop(PAGE);
    assert_eq!((notes(&items), rejections(&items)), (vec![], vec![]));
    let found: Vec<_> = sessions(&items).iter().map(|one| (frame(one), one.is_nap())).collect();
    let expected = [
        ("2026-10-25T23:40:02+01:00 2026-10-26T06:50:41.300+01:00", Some(false)),
        ("2026-10-25T14:10:00+01:00 2026-10-25T15:00:00+01:00", Some(true)),
        ("2026-10-24T23:00:00.460+02:00 2026-10-25T07:00:00.460+02:00", Some(false)),
        ("2026-10-23T22:15:00+00:00 2026-10-24T04:45:00+00:00", Some(false)),
    ];
    assert_eq!(found, expected.map(|(frame, nap)| (frame.to_owned(), nap)));
    for (record, number) in sessions(&items).iter().zip(["4", "3", "2", "1"]) {
        assert_eq!(record.key().to_stored(), format!("given:7b1f0d3e-0000-4000-8000-00000000000{number}"));
        assert_eq!(record.source().unwrap().as_str(), "whoop");
        assert!(record.hypnogram().is_empty());
    }
}

#[test]
fn the_time_asleep_is_the_sum_of_the_stages_and_time_without_data_is_unknown() {
    let [_, nap, night, _] = <[SleepRecord; 4]>::try_from(sessions(&whoop(PAGE))).unwrap();
    for (kind, of_night, of_nap) in [
        (MetricKind::TimeNightInBed, 28_800.0, 3000.0),
        (MetricKind::TimeNightAsleep, 26_400.0, 2700.0),
        (MetricKind::TimeNightAwake, 1800.0, 300.0),
        (MetricKind::TimeNightLight, 14_400.0, 2100.0),
        (MetricKind::TimeNightDeep, 6000.0, 600.0),
        (MetricKind::TimeNightRem, 6000.0, 0.0),
    ] {
        assert_eq!((metric(&night, kind), metric(&nap, kind)), (Some(of_night), Some(of_nap)), "{kind:?}");
    }
    assert_eq!(metric(&night, MetricKind::SleepWakeups), None);
}

#[test]
fn a_sleep_that_was_not_scored_has_its_time_in_bed_alone() {
    let sums = summary("14400000", "6000000", "6000000", "1800000");
    for state in ["PENDING_SCORE", "unscorable", "LATER"] {
        let text = sleep(&sums).replace("SCORED", state);
        let record = only_session(&whoop(&text));
        assert!(record.metrics().are_of_time_in_bed_alone(), "{state}");
    }
    let record = only_session(&whoop(&sleep(&sums).replace("SCORED", "scored")));
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(26_400.0));
}

#[test]
fn totals_that_say_nothing_or_too_much_are_dropped_with_a_note() {
    for (sums, note) in [
        (
            summary("0", "0", "0", "0"),
            "all totals are 0, which says nothing about the night; they were left out",
        ),
        (summary("29000000", "0", "0", "0"), "the totals contradict the time in bed and were dropped"),
        (
            summary("\"many\"", "-1", "null", "null"),
            "totals that are negative or not numbers were left out: 2",
        ),
    ] {
        let items = whoop(&sleep(&sums));
        assert_eq!(notes(&items), [format!("record 1: {note}")]);
        assert!(accepted_session(&items).metrics().are_of_time_in_bed_alone());
    }
}

#[test]
fn without_one_of_the_stages_the_time_asleep_is_unknown() {
    let record = only_session(&whoop(&sleep(&summary("14400000", "null", "6000000", "1800000"))));
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), None);
    assert_eq!(metric(&record, MetricKind::TimeNightLight), Some(14_400.0));
}

#[test]
fn one_offset_applies_to_the_sleep_else_that_of_its_times_else_the_zone() {
    let times = [r#""2026-03-08T04:00:00.000Z""#, r#""2026-03-08T12:00:00.000Z""#];
    let with = |[start, end]: [&str; 2], offset: &str| {
        let text = sleep(offset).replace(r#""2026-01-10T22:00:00.000Z""#, start);
        whoop(&text.replace(r#""2026-01-11T06:00:00.000Z""#, end))
    };
    for (offset, expected) in [
        (r#","timezone_offset":"-05:00""#, "2026-03-07T23:00:00-05:00 2026-03-08T07:00:00-05:00"),
        (r#","timezone_offset":null"#, "2026-03-07T23:00:00-05:00 2026-03-08T08:00:00-04:00"),
        ("", "2026-03-07T23:00:00-05:00 2026-03-08T08:00:00-04:00"),
    ] {
        assert_eq!(frame(&only_session(&with(times, offset))), expected, "{offset}");
    }
    let written = [r#""2026-03-08T06:00:00+0200""#, r#""2026-03-08T12:00:00+0000""#];
    let expected = "2026-03-08T06:00:00+02:00 2026-03-08T08:00:00-04:00";
    assert_eq!(frame(&only_session(&with(written, ""))), expected);
    let items = with(times, r#","timezone_offset":"America/New_York""#);
    let note = "timezone_offset is not an offset such as -04:00; the given zone was used";
    assert_eq!(notes(&items), [format!("record 1: {note}")]);
}

#[test]
fn an_invalid_sleep_is_rejected_and_the_next_one_is_read() {
    for (member, other, reason) in [
        (r#""start":"2026-01-10T22:00:00.000Z","#, "", "start is missing"),
        ("2026-01-10T22:00:00.000Z", "2026-01-10T22:00:00", "start is not a date and time with an offset"),
        ("\"2026-01-10T22:00:00.000Z\"", "1768082400", "start is not a date and time with an offset"),
        (r#","end":"2026-01-11T06:00:00.000Z""#, "", "end is missing: the sleep was not finished"),
        ("2026-01-11T06", "2026-01-10T22", "time in bed: the end is not after the start"),
        ("2026-01-11T06", "2026-01-10T21", "time in bed: the end is not after the start"),
        (r#""nap":false"#, r#""nap":"no""#, "nap is neither true nor false"),
        (r#""nap":false,"#, "", "it has neither nap nor score.stage_summary, so it is not a sleep"),
        (r#""id":"a""#, r#""id":[]"#, "id is neither a whole number nor a string"),
        (
            r#""nap":false"#,
            r#""nap":false,"score":7"#,
            "a member has the wrong type, expected an object, at line 1, column 107 of the record",
        ),
    ] {
        let one = sleep("").replacen(member, other, 1).replace('\n', "");
        let items = whoop(&format!(r#"{{"records":[{},{one},{}]}}"#, sleep(""), sleep("")));
        assert_eq!(rejections(&items).len(), 1, "{reason}");
        assert!(rejections(&items)[0].starts_with("record 2: "));
        let is_place = |text: &str| text.contains("of the record");
        assert!(is_place(reason) || rejections(&items) == [format!("record 2: {reason}")], "{items:?}");
        assert_eq!(sessions(&items).len(), 2);
    }
}

#[test]
fn a_sleep_of_version_1_or_without_an_id_is_read() {
    let one = sleep("").replace(r#""id":"a""#, r#""id":93801"#);
    assert_eq!(only_session(&whoop(&one)).key().to_stored(), "given:93801");
    let none = sleep("").replace(r#""id":"a","#, "");
    assert_eq!(only_session(&whoop(&none)).key().to_stored(), "derived:2026-01-10T22:00:00.000Z");
    let without_nap =
        sleep(&summary("14400000", "6000000", "6000000", "1800000")).replace(r#""nap":false,"#, "");
    assert_eq!(only_session(&whoop(&without_nap)).is_nap(), None);
}

#[test]
fn sleeps_are_found_in_every_form_of_file() {
    let (one, two) = (sleep("").replace('\n', ""), sleep("").replace(r#""id":"a""#, r#""id":"b""#));
    let two = two.replace('\n', "");
    for text in [
        format!("[{one},{two}]"),
        format!("{one}\n{two}\n"),
        format!(r#"{{"records":[{one},{two}]}}"#),
        format!(r#"{{"recovery":[{{"sleep_id":"a"}}],"sleep":[{one},{two}]}}"#),
        format!(r#"{{"sleeps":[{one},{two}],"cycles":[]}}"#),
        format!(r#"{{"sleep":{{"records":[{one},{two}],"next_token":null}}}}"#),
    ] {
        assert_eq!(sessions(&whoop(&text)).len(), 2, "{text}");
    }
}

#[test]
fn a_page_that_another_one_follows_is_noted() {
    let page = PAGE.replace(r#""next_token":null"#, r#""next_token":"MTIz""#);
    let items = whoop(&page);
    assert_eq!(notes(&items), ["next_token: another page follows this one; import it as well"]);
    assert_eq!(sessions(&items).len(), 4);
}

#[test]
fn an_answer_without_records_is_read_on_request() {
    for text in [r#"{"records":[],"next_token":null}"#, r#"{"sleep":[]}"#] {
        assert_eq!(items(text, Format::Whoop, "UTC"), [], "{text}");
    }
}

#[test]
fn other_answers_and_truncated_ones_are_refused() {
    for text in [
        r#"{"records":[{"cycle_id":1,"sleep_id":"a","score_state":"SCORED","score":{"recovery_score":44}}]}"#,
        r#"{"records":[{"id":1,"start":"2026-01-10T22:00:00Z","end":null,"score_state":"SCORED","score":{"strain":5}}]}"#,
        r#"{"records":[{"id":"a","start":"2026-01-10T22:00:00Z","sport_id":1,"score_state":"SCORED"}]}"#,
        r#"{"user_id":1,"id":"a","type":"sleep.updated","trace_id":"b"}"#,
    ] {
        let refused = read(text.as_bytes(), None, "UTC").unwrap_err();
        assert!(matches!(refused, ImportRefusal::NotThisFormat(_)), "{refused}");
    }
    let refused = read(&PAGE.as_bytes()[..PAGE.len() - 40], None, "UTC").unwrap_err();
    assert!(matches!(refused, ImportRefusal::Damaged { .. }), "{refused}");
}
