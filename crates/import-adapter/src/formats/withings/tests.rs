use crate::Format;
use crate::testing::{frame, items, metric, notes, read, recognised, rejections, sessions, stages};
use application::ports::import_source::ImportItem;
use domain::sleep::{MetricKind, SleepRecord};
use proptest::prelude::{Just, Strategy, prop, prop_assert_eq, proptest};

/// 2026-01-10T23:00:00Z.
const START: i64 = 1_768_086_000;

fn withings(text: &str) -> Vec<ImportItem> {
    items(text, None, "America/New_York")
}

fn all(text: &str) -> Vec<SleepRecord> {
    let items = withings(text);
    assert_eq!((rejections(&items), notes(&items)), (Vec::new(), Vec::new()), "{text}");
    sessions(&items)
}

fn only(text: &str) -> SleepRecord {
    let [record] = <[SleepRecord; 1]>::try_from(all(text)).unwrap();
    record
}

fn reply(series: &str) -> String {
    format!(r#"{{"status":0,"body":{{"series":[{series}],"more":false,"offset":0}}}}"#)
}

/// An interval between two minutes after the start.
fn stretch(from: i64, to: i64, state: &str) -> String {
    let (from, to) = (START + from * 60, START + to * 60);
    format!(r#"{{"startdate":{from},"state":{state},"enddate":{to},"hr":{{"{from}":60}}}}"#)
}

fn of_device(stretch: &str, model: &str, id: &str) -> String {
    stretch.replacen('{', &format!(r#"{{"model":"{model}","model_id":63,"hash_deviceid":"{id}","#), 1)
}

fn summary(from: i64, to: i64, more: &str) -> String {
    let (from, to) = (START + from * 60, START + to * 60);
    format!(
        r#"{{"id":4000000000,"timezone":"Europe/Paris","model":32,"model_id":63,"hash_deviceid":"aa","startdate":{from},
        "enddate":{to},"date":"2026-01-11","data":{{"wakeupduration":600,"lightsleepduration":1200,
        "deepsleepduration":1200,"remsleepduration":600{more}}},"created":1,"modified":2}}"#
    )
}

#[test]
fn a_summary_is_a_session_of_totals_in_its_own_zone() {
    let record = only(&reply(&summary(
        0,
        60,
        r#","total_sleep_time":3000,"sleep_latency":300,"durationtosleep":240,"waso":200,"wakeupcount":1"#,
    )));
    assert_eq!(frame(&record), "2026-01-11T00:00:00+01:00 2026-01-11T01:00:00+01:00");
    assert_eq!(record.key().to_stored(), "given:4000000000");
    assert_eq!(record.source().unwrap().as_str(), "withings");
    assert_eq!(record.is_nap(), None);
    for (kind, expected) in [
        (MetricKind::TimeNightAsleep, 3000.0),
        (MetricKind::TimeNightAwake, 600.0),
        (MetricKind::TimeNightRem, 600.0),
        (MetricKind::SleepLatency, 300.0),
        (MetricKind::TimeSleepAwake, 200.0),
        (MetricKind::SleepWakeups, 1.0),
    ] {
        assert_eq!(metric(&record, kind), Some(expected), "{kind:?}");
    }
}

#[test]
fn older_summaries_have_fewer_values() {
    let older = only(&reply(&summary(0, 60, r#","durationtosleep":240"#)));
    assert_eq!(metric(&older, MetricKind::TimeNightAsleep), Some(3000.0));
    assert_eq!(metric(&older, MetricKind::SleepLatency), Some(240.0));
    let unstaged =
        only(&reply(r#"{"startdate":1768086000,"enddate":1768089600,"data":{"asleepduration":3000}}"#));
    assert_eq!(metric(&unstaged, MetricKind::TimeNightAsleep), Some(3000.0));
    assert_eq!(unstaged.key().to_stored(), "derived:2026-01-10T23:00:00.000Z");
    assert_eq!(frame(&unstaged), "2026-01-10T18:00:00-05:00 2026-01-10T19:00:00-05:00");
    let without_rem = summary(0, 60, "").replace("remsleepduration", "snoring");
    assert_eq!(metric(&only(&reply(&without_rem)), MetricKind::TimeNightAsleep), None);
}

#[test]
fn a_night_in_which_clocks_change_has_two_offsets() {
    let text = r#"{"id":1,"timezone":"Europe/Paris","startdate":1774738800,"enddate":1774764000,"data":{}}"#;
    assert_eq!(frame(&only(&reply(text))), "2026-03-29T00:00:00+01:00 2026-03-29T08:00:00+02:00");
}

#[test]
fn stretches_out_of_order_are_sessions_with_gaps_of_at_most_an_hour() {
    let series = [
        stretch(125, 130, "2"),
        stretch(0, 5, "0"),
        stretch(191, 200, "1"),
        stretch(5, 65, "1"),
        stretch(130, 131, "3"),
        stretch(5, 65, "1"),
    ];
    let items = withings(&reply(&series.join(",")));
    assert_eq!(
        notes(&items),
        ["record 6: records that the import contains more than once were read once: 1"]
    );
    let found = sessions(&items);
    assert_eq!(found.len(), 1, "191 is 60 minutes after 131");
    let expected = [
        "AWAKE 18:00-18:05",
        "LIGHT 18:05-19:05",
        "DEEP 20:05-20:10",
        "REM 20:10-20:11",
        "LIGHT 21:11-21:20",
    ];
    assert_eq!(stages(&found[0]), expected);
    assert_eq!(frame(&found[0]), "2026-01-10T18:00:00-05:00 2026-01-10T21:20:00-05:00");
    assert_eq!(found[0].key().to_stored(), "derived:2026-01-10T23:00:00.000Z");
    assert_eq!(found[0].source().unwrap().as_str(), "withings");
    let apart = sessions(&withings(&reply(&series.join(",").replace("1768097460", "1768097461"))));
    assert_eq!(apart.len(), 2, "one second more is too much");
}

#[test]
fn devices_are_not_merged() {
    let (light, deep) = (stretch(0, 60, "1"), stretch(30, 90, "2"));
    let series = [
        of_device(&light, "Mat", "0123456789"),
        of_device(&deep, "Mat", "fedcba9876"),
        of_device(&deep, "Watch", ""),
        deep.clone(),
    ];
    let mut found: Vec<_> = all(&reply(&series.join(",")))
        .iter()
        .map(|record| format!("{} {}", record.source().unwrap().as_str(), stages(record).join(" ")))
        .collect();
    found.sort();
    assert_eq!(
        found,
        [
            "withings DEEP 18:30-19:30",
            "withings Mat 01234567 LIGHT 18:00-19:00",
            "withings Mat fedcba98 DEEP 18:30-19:30",
            "withings Watch DEEP 18:30-19:30"
        ]
    );
}

#[test]
fn states_are_stages_and_an_unknown_one_extends_nothing() {
    let series = ["0", "1", "2", "3", "4", "\"5\""];
    let series: Vec<_> = (0..).zip(series).map(|(index, state)| stretch(index, index + 1, state)).collect();
    let record = only(&reply(&series.join(",")));
    let names: Vec<_> = record.hypnogram().entries().iter().map(|one| one.stage().as_str()).collect();
    assert_eq!(names, ["AWAKE", "LIGHT", "DEEP", "REM", "ASLEEP", "UNKNOWN"]);
    for state in ["6", "-1", "1.5", "\"x\"", "[]", "true"] {
        let series = [stretch(0, 10, "1"), stretch(10, 60, state), stretch(110, 120, "1")];
        let items = withings(&reply(&series.join(",")));
        assert_eq!(rejections(&items), ["record 2: unknown state"]);
        assert_eq!(sessions(&items).len(), 2, "{state}");
    }
}

#[test]
fn every_shape_of_the_file_yields_the_same_sessions() {
    let series = [summary(600, 660, ""), stretch(0, 5, "0"), stretch(5, 10, "1")].join(",");
    let expected = all(&reply(&series));
    assert_eq!(expected.len(), 2);
    for text in [
        format!(r#"{{"body":{{"model":32,"series":[{series}]}},"status":0}}"#),
        format!(r#"{{"series":[{series}]}}"#),
        format!("[{series}]"),
    ] {
        assert_eq!(all(&text), expected, "{text}");
    }
    assert_eq!(all(&stretch(0, 5, "0")).len(), 1);
    assert_eq!(all(&summary(0, 60, "")).len(), 1);
    assert_eq!(withings(r#"{"status":0,"body":{"series":[],"more":false}}"#), []);
    assert_eq!(items("[]", Format::Withings, "UTC"), []);
}

#[test]
fn sleep_is_recognised_after_many_measurements() {
    let measured: Vec<_> = (0..500).map(|second| format!("\"{second}\":60")).collect();
    let text = stretch(0, 60, "1").replacen(
        '{',
        &format!(
            "{{\"hash_deviceid\":\"aa\",\"enddate\":{},\"rr\":{{{}}},",
            START + 3600,
            measured.join(",")
        ),
        1,
    );
    let text = text.replace(&format!("\"enddate\":{},\"hr\"", START + 3600), "\"hr\"");
    assert_eq!(all(&reply(&text)).len(), 1, "{text}");
}

#[test]
fn other_files_are_not_recognised() {
    assert_eq!(recognised("[]"), Ok("fitbit"));
    for text in [
        r#"{"status":0,"body":{"measuregrps":[]}}"#,
        r#"{"status":401,"body":{},"error":"x"}"#,
        r#"{"status":0,"body":{"series":[{"deviceid":"x","model":44,"timestamp":1}]}}"#,
        r#"{"status":0,"body":{"series":[{"id":1,"category":2,"startdate":1,"enddate":2,"data":{}}]}}"#,
        r#"{"series":[]}"#,
        r#"{"startdate":1,"enddate":2}"#,
    ] {
        assert!(read(text.as_bytes(), None, "UTC").is_err(), "{text}");
    }
}

#[test]
fn an_invalid_session_is_rejected_with_its_place_and_the_rest_imported() {
    let good = summary(0, 60, "");
    for (bad, reason) in [
        (summary(60, 60, ""), "time in bed: the end is not after the start"),
        (summary(0, 60 * 24 * 8, ""), "time in bed: longer than seven days"),
        (stretch(9, 9, "1"), "the end is not after the start"),
        (good.replace("\"startdate\"", "\"start\""), "startdate is missing"),
        (good.replace("1768089600", "\"2026-01-11T01:00:00Z\""), "enddate is not a time in seconds"),
        (good.replace("1768086000", "1e40"), "startdate is not a time in seconds"),
        (good.replace("1768089600", "1768089600000"), "enddate is not a time in seconds"),
        (good.replace("4000000000", "{}"), "id is neither"),
        (r#"{"startdate":1,"enddate":2}"#.to_owned(), "state and data are missing"),
        (of_device(&stretch(0, 1, "1"), "\\u0007", ""), "model: a source has"),
        ("4711".to_owned(), "a member has the wrong type"),
    ] {
        let items = withings(&reply(&[good.as_str(), &bad, &good].join(",")));
        assert_eq!(sessions(&items).len(), 2, "{bad}");
        let rejected = rejections(&items).concat();
        assert!(rejected.starts_with(&format!("record 2: {reason}")), "{rejected}");
        assert!(!rejected.contains("4711"));
    }
}

#[test]
fn workouts_are_skipped_and_counted() {
    let night = summary(0, 60, "");
    let workout = night.replace("\"model\"", "\"category\":1,\"attrib\":0,\"model\"");
    let items = withings(&reply(&[night.as_str(), &workout, &stretch(200, 260, "1"), &workout].join(",")));
    assert_eq!((sessions(&items).len(), rejections(&items)), (2, Vec::new()));
    assert_eq!(notes(&items), ["record 2: workouts were skipped: 2"]);
}

#[test]
fn values_that_contradict_the_night_are_dropped_and_noted() {
    for (more, part) in [
        (r#","sleep_latency":28800,"waso":-600"#, "the totals contradict the time in bed"),
        (r#","waso":-600"#, "totals that are negative or not numbers were left out: 1"),
    ] {
        let items = withings(&reply(&summary(0, 60, more)));
        assert_eq!(sessions(&items).len(), 1);
        let noted = notes(&items).concat();
        assert!(noted.contains(part), "{noted}");
    }
    let items = withings(&reply(&summary(0, 60, "").replace("Europe/Paris", "Moon/Base")));
    assert_eq!(frame(&sessions(&items)[0]), "2026-01-10T18:00:00-05:00 2026-01-10T19:00:00-05:00");
    assert!(notes(&items).concat().contains("the timezone is unknown"));
}

proptest! {
    #[test]
    fn any_night_in_any_order_reads_back_as_itself(
        (runs, order) in prop::collection::vec((0..4_usize, 1..90_i64, 0..=60_i64), 1..40).prop_flat_map(|runs| {
            let order: Vec<_> = (0..runs.len()).collect();
            (Just(runs), Just(order).prop_shuffle())
        }),
    ) {
        let (mut written, mut series, mut next) = (Vec::new(), Vec::new(), 0);
        for (state, minutes, gap) in runs {
            series.push(stretch(next, next + minutes, &state.to_string()));
            let start = (START + next * 60) * 1000;
            written.push((["AWAKE", "LIGHT", "DEEP", "REM"][state], start, start + minutes * 60_000));
            next += minutes + gap;
        }
        let shuffled: Vec<_> = order.iter().map(|index| series[*index].as_str()).collect();
        let record = only(&reply(&shuffled.join(",")));
        let entries = record.hypnogram().entries().iter();
        let found: Vec<_> =
            entries.map(|one| (one.stage().as_str(), one.start_millis(), one.end_millis())).collect();
        prop_assert_eq!(found, written);
    }
}
