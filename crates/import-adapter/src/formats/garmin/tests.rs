use crate::Format;
use crate::testing::{
    frame, items, metric, notes, only_session, read, recognised, rejections, sessions, stages,
};
use application::ports::import_source::ImportItem;
use domain::sleep::{MetricKind, SleepRecord};
use proptest::prelude::{prop, prop_assert_eq, proptest};

fn garmin(text: &str) -> Vec<ImportItem> {
    items(text, None, "Europe/Berlin")
}

fn only(text: &str) -> SleepRecord {
    only_session(&garmin(text))
}

/// 2026-01-11T04:00:00Z to 05:00:00Z, five hours behind GMT.
const DAY: &str = r#"{"dailySleepDTO":{"id":1768104000000,"calendarDate":"2026-01-11","napTimeSeconds":0,
  "sleepStartTimestampGMT":1768104000000,"sleepEndTimestampGMT":1768107600000,
  "sleepStartTimestampLocal":1768086000000,"sleepEndTimestampLocal":1768089600000,
  "sleepTimeSeconds":3000,"deepSleepSeconds":1200,"lightSleepSeconds":1200,"remSleepSeconds":600,
  "awakeSleepSeconds":300,"unmeasurableSleepSeconds":300,"awakeCount":2},
  "sleepLevels":[],"remSleepData":true}"#;

fn with_levels(levels: &str) -> String {
    DAY.replace("\"sleepLevels\":[]", &format!("\"sleepLevels\":[{levels}]"))
}

fn level(from: &str, to: &str, level: &str) -> String {
    format!(
        r#"{{"startGMT":"2026-01-11T{from}:00.0","endGMT":"2026-01-11T{to}:00.0","activityLevel":{level}}}"#
    )
}

/// The result of one day: its sessions, rejections and notes.
fn outcome(day: &str) -> (Vec<SleepRecord>, String, String) {
    let items = items(&format!("[{day}]"), Format::Garmin, "Europe/Berlin");
    (sessions(&items), rejections(&items).concat(), notes(&items).concat())
}

#[test]
fn a_day_without_levels_has_the_totals_of_its_night() {
    let record = only(DAY);
    assert_eq!(frame(&record), "2026-01-10T23:00:00-05:00 2026-01-11T00:00:00-05:00");
    assert_eq!(record.key().to_stored(), "given:1768104000000");
    assert_eq!(record.source().unwrap().as_str(), "garmin");
    assert_eq!(record.is_nap(), Some(false));
    assert!(record.hypnogram().is_empty());
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(3000.0));
    assert_eq!(metric(&record, MetricKind::TimeNightDeep), Some(1200.0));
    assert_eq!(metric(&record, MetricKind::TimeNightAwake), Some(300.0));
    assert_eq!(metric(&record, MetricKind::SleepWakeups), Some(2.0));
    assert_eq!(only(&DAY.replace("\"sleepLevels\":[]", "\"sleepLevels\":null")), record);
    assert_eq!(only(&format!("[{DAY}]")), record);
}

#[test]
fn levels_are_stages_in_gmt() {
    let levels = [
        level("04:00", "04:05", "3.0"),
        level("04:05", "04:25", "1.0"),
        level("04:25", "04:45", "0.0"),
        level("04:45", "05:00", "2"),
    ];
    let record = only(&with_levels(&levels.join(",")));
    let expected = ["AWAKE 23:00-23:05", "LIGHT 23:05-23:25", "DEEP 23:25-23:45", "REM 23:45-00:00"];
    assert_eq!(stages(&record), expected);
    assert_eq!(metric(&record, MetricKind::TimeNightRem), Some(900.0));
    let in_millis = r#"{"startGMT":1768104000000,"endGMT":"1768104300000","activityLevel":"3"}"#;
    let alone = |levels: &str| {
        with_levels(levels)
            .replace("\"sleepTimeSeconds\":3000", "\"sleepTimeSeconds\":0")
            .replace("deepSleepSeconds\":1200,\"lightSleepSeconds\":1200,\"remSleepSeconds\":600", "a\":0")
    };
    assert_eq!(stages(&only(&alone(in_millis))), ["AWAKE 23:00-23:05"]);
    let with_zone =
        r#"{"startGMT":"2026-01-11T04:00:00Z","endGMT":"2026-01-11T05:05:00+01:00","activityLevel":3}"#;
    assert_eq!(stages(&only(&alone(with_zone))), ["AWAKE 23:00-23:05"]);
}

#[test]
fn levels_that_are_wrong_are_noted() {
    let levels = [
        level("03:50", "04:10", "1"),
        level("04:10", "04:20", "7"),
        level("04:20", "04:30", "null"),
        level("04:30", "04:30", "1"),
        level("x", "04:30", "1"),
    ];
    let (records, _, noted) = outcome(&with_levels(&levels.join(",")));
    assert_eq!(stages(&records[0]), ["LIGHT 23:00-23:10", "UNKNOWN 23:10-23:20", "UNKNOWN 23:20-23:30"]);
    assert!(noted.contains("that do not end after their start were left out: 2"), "{noted}");
    assert!(noted.contains("an unknown level were stored as UNKNOWN: 2"), "{noted}");
    assert!(noted.contains("were trimmed: 1"), "{noted}");
}

#[test]
fn the_local_stamps_are_used_for_the_offset_only() {
    let local = |start: &str, end: &str| DAY.replace("1768086000000", start).replace("1768089600000", end);
    let east = only(&local("1768123800000", "1768127400000"));
    assert_eq!(frame(&east), "2026-01-11T09:30:00+05:30 2026-01-11T10:30:00+05:30");
    let text = only(&local("\"2026-01-11T01:00:00.0\"", "\"2026-01-11T02:00:00Z\""));
    assert_eq!(frame(&text), "2026-01-11T01:00:00-03:00 2026-01-11T02:00:00-03:00");
    let changed = only(&local("1768086000000", "1768093200000"));
    assert_eq!(frame(&changed), "2026-01-10T23:00:00-05:00 2026-01-11T01:00:00-04:00");
    let one = only(&local("1768086000000", "null"));
    assert_eq!(frame(&one), "2026-01-10T23:00:00-05:00 2026-01-11T00:00:00-05:00");
    let none = only(&local("null", "null"));
    assert_eq!(frame(&none), "2026-01-11T05:00:00+01:00 2026-01-11T06:00:00+01:00");
    for wrong in ["1768086000500", "1767000000000", "\"yesterday\"", "1e300"] {
        let (records, _, noted) = outcome(&local(wrong, "null"));
        assert_eq!(frame(&records[0]), frame(&none));
        assert_eq!(noted, "record 1: a local time with an impossible offset from GMT was left out");
    }
}

#[test]
fn the_export_has_the_members_of_the_night_alone_and_texts_as_stamps() {
    let text = r#"[{"sleepStartTimestampGMT":"2026-01-11T04:00:00.0","sleepEndTimestampGMT":"2026-01-11T05:00:00.0",
        "calendarDate":"2026-01-11","sleepWindowConfirmationType":"ENHANCED_CONFIRMED_FINAL",
        "deepSleepSeconds":1200,"lightSleepSeconds":1200,"remSleepSeconds":600,"awakeSleepSeconds":600}]"#;
    let record = only(text);
    assert_eq!(frame(&record), "2026-01-11T05:00:00+01:00 2026-01-11T06:00:00+01:00");
    assert_eq!(record.key().to_stored(), "derived:2026-01-11T04:00:00.000Z");
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(3000.0));
    assert_eq!(only(text.trim_matches(['[', ']'])), record);
}

/// A day of the export with this type of window and additional members.
fn window(kind: &str, more: &str) -> String {
    format!(
        r#"{{"sleepStartTimestampGMT":"2026-01-11T04:00:00.0","sleepEndTimestampGMT":"2026-01-11T05:00:00.0",
        "calendarDate":"2026-01-11","sleepWindowConfirmationType":"{kind}"{more}}}"#
    )
}

#[test]
fn a_placeholder_window_of_garmin_is_not_a_night() {
    for (kind, reason) in [
        ("UNCONFIRMED", "Garmin found no sleep on this day (UNCONFIRMED); no night was imported"),
        ("OFF_WRIST", "the device was not worn (OFF_WRIST); no night was imported"),
        ("unconfirmed", "Garmin found no sleep on this day (UNCONFIRMED); no night was imported"),
        ("off_wrist", "the device was not worn (OFF_WRIST); no night was imported"),
    ] {
        for more in [
            "",
            r#","deepSleepSeconds":0,"lightSleepSeconds":0,"remSleepSeconds":0,"awakeSleepSeconds":0"#,
            r#","deepSleepSeconds":null,"unmeasurableSeconds":3600,"awakeSleepSeconds":600"#,
            r#","sleepTimeSeconds":3600"#,
        ] {
            let (records, rejected, noted) = outcome(&window(kind, more));
            assert_eq!((records, rejected.as_str()), (vec![], ""), "{kind} {more}");
            assert_eq!(noted, format!("record 1: {reason}"));
        }
    }
    let nap = r#","napList":[{"napStartTimestampGMT":"2026-01-11T18:00:00.0","napEndTimestampGMT":"2026-01-11T18:25:00.0"}]"#;
    let (records, ..) = outcome(&window("OFF_WRIST", nap));
    assert_eq!(records.iter().map(SleepRecord::is_nap).collect::<Vec<_>>(), [Some(true)]);
    assert_eq!(outcome(&window("SOMETHING_NEW", "")).0.len(), 1);
    assert_eq!(outcome(&window("AUTO_CONFIRMED_FINAL", "")).0.len(), 1);
}

#[test]
fn an_unconfirmed_night_with_measured_stages_is_imported_and_noted() {
    let text = "record 1: Garmin did not confirm this night; it was imported because it has stages of sleep";
    for kind in ["UNCONFIRMED", "OFF_WRIST"] {
        for measured in ["deepSleepSeconds", "lightSleepSeconds", "remSleepSeconds"] {
            let (records, _, noted) = outcome(&window(kind, &format!(r#","{measured}":1800"#)));
            assert_eq!((records.len(), noted.as_str()), (1, text), "{kind} {measured}");
        }
    }
    let levels = with_levels(&level("04:00", "05:00", "1"))
        .replace("\"id\"", "\"sleepWindowConfirmationType\":\"UNCONFIRMED\",\"id\"");
    let (records, _, noted) = outcome(&levels);
    assert_eq!((records.len(), noted.as_str()), (1, text));
}

#[test]
fn an_export_that_begins_with_an_empty_day_is_recognised() {
    let night = window("ENHANCED_CONFIRMED_FINAL", "");
    let items = garmin(&format!(r#"[{{"retro":false}},{night}]"#));
    assert_eq!(
        (sessions(&items).len(), notes(&items)),
        (1, vec!["record 1: no night was recorded for this day".to_owned()])
    );
}

#[test]
fn the_naps_of_the_export_are_in_a_separate_list() {
    let naps = r#","napList":[
        {"napTimeSec":1200,"napStartTimestampGMT":"2026-01-11T18:00:00.0","napEndTimestampGMT":"2026-01-11T18:25:00.0"},
        {"napTimeSec":600,"napStartTimestampGMT":1768163400000,"napEndTimestampGMT":1768164000000},
        {"napTimeSec":600}]"#;
    let (records, rejected, noted) = outcome(&window("ENHANCED_CONFIRMED_FINAL", naps));
    assert_eq!(
        records.iter().map(frame).collect::<Vec<_>>(),
        [
            "2026-01-11T05:00:00+01:00 2026-01-11T06:00:00+01:00",
            "2026-01-11T19:00:00+01:00 2026-01-11T19:25:00+01:00",
            "2026-01-11T21:30:00+01:00 2026-01-11T21:40:00+01:00",
        ]
    );
    assert_eq!(
        records.iter().map(SleepRecord::is_nap).collect::<Vec<_>>(),
        [Some(false), Some(true), Some(true)]
    );
    assert_eq!(metric(&records[1], MetricKind::TimeNightAsleep), Some(1200.0));
    assert_eq!((rejected.as_str(), noted.as_str()), ("record 1, nap 3: napStartTimestampGMT is missing", ""));
    let (records, rejected, _) = outcome(&window("ENHANCED_CONFIRMED_FINAL", r#","napList":7"#));
    assert!(
        records.is_empty() && rejected.starts_with("record 1: a member has the wrong type"),
        "{rejected}"
    );
}

#[test]
fn stages_that_cover_little_of_a_night_leave_its_totals() {
    let (records, _, noted) = outcome(&with_levels(&level("04:00", "04:20", "1")));
    assert_eq!(stages(&records[0]), ["LIGHT 23:00-23:20"]);
    assert_eq!(metric(&records[0], MetricKind::TimeNightAsleep), Some(3000.0));
    assert_eq!(metric(&records[0], MetricKind::TimeNightDeep), Some(1200.0));
    assert_eq!(noted, "record 1: the stages cover less than 90 percent of the log; its own totals were kept");
}

#[test]
fn naps_are_separate_sessions() {
    let nap = r#"{"napTimeSec":1200,"napStartTimestampGMT":"2026-01-11T18:00:00.0",
        "napEndTimestampGMT":"2026-01-11T18:25:00.0"}"#;
    let beside = DAY.replace("\"sleepLevels\"", &format!("\"dailyNapDTOS\":[{nap}],\"sleepLevels\""));
    let within =
        DAY.replace("\"napTimeSeconds\":0", &format!("\"napTimeSeconds\":1200,\"dailyNapDTOS\":[{nap}]"));
    let alone = format!(r#"{{"dailySleepDTO":null,"sleepStartTimestampGMT":null,"dailyNapDTOS":[{nap}]}}"#);
    for (text, count) in [(beside, 2), (within, 2), (alone, 1)] {
        let items = garmin(&text);
        let found = sessions(&items);
        assert_eq!((found.len(), rejections(&items)), (count, Vec::new()), "{text}");
        let nap = found.last().unwrap();
        let expected = if count == 2 {
            "2026-01-11T13:00:00-05:00 2026-01-11T13:25:00-05:00"
        } else {
            "2026-01-11T19:00:00+01:00 2026-01-11T19:25:00+01:00"
        };
        assert_eq!(frame(nap), expected);
        assert_eq!(nap.is_nap(), Some(true));
        assert_eq!(nap.key().to_stored(), "derived:2026-01-11T18:00:00.000Z");
        assert_eq!(metric(nap, MetricKind::TimeNightAsleep), Some(1200.0));
        assert!(matches!(items.last(), Some(item) if item.place() == "record 1, nap 1"));
    }
    let (records, _, noted) = outcome(&DAY.replace("\"napTimeSeconds\":0", "\"napTimeSeconds\":600"));
    assert_eq!(records.len(), 1);
    assert_eq!(noted, "record 1: naps that have a length but no times were left out");
    let endless = DAY.replace("\"sleepLevels\"", &format!("\"dailyNapDTOS\":[{{}},{nap}],\"sleepLevels\""));
    let (records, rejected, _) = outcome(&endless);
    assert_eq!(records.len(), 2);
    assert_eq!(rejected, "record 1, nap 1: napStartTimestampGMT is missing");
}

#[test]
fn a_day_without_sleep_is_noted() {
    for day in [
        r#"{"dailySleepDTO":{"id":null,"calendarDate":"2026-01-11","sleepStartTimestampGMT":null,
            "sleepEndTimestampGMT":null,"sleepTimeSeconds":null,"deepSleepSeconds":0},"sleepLevels":null}"#,
        r#"{"dailySleepDTO":{},"sleepMovement":null}"#,
        r#"{"dailySleepDTO":null}"#,
    ] {
        let (records, rejected, noted) = outcome(day);
        assert!(records.is_empty() && rejected.is_empty());
        assert_eq!(noted, "record 1: no night was recorded for this day");
    }
}

#[test]
fn an_invalid_session_is_rejected_with_its_place_and_the_rest_imported() {
    for (bad, reason) in [
        (DAY.replace("\"sleepEndTimestampGMT\":1768107600000", "\"a\":0"), "sleepEndTimestampGMT is missing"),
        (
            DAY.replace("\"sleepStartTimestampGMT\":1768104000000", "\"a\":0"),
            "sleepStartTimestampGMT is missing",
        ),
        (DAY.replace("GMT\":1768104000000", "GMT\":\"x\""), "sleepStartTimestampGMT is not a date"),
        (DAY.replace("GMT\":1768104000000", "GMT\":1e20"), "sleepStartTimestampGMT is not a date"),
        (DAY.replace("GMT\":1768107600000", "GMT\":1768104000000"), "time in bed: the end is not after"),
        (DAY.replace("GMT\":1768107600000", "GMT\":1778107600000"), "time in bed: longer than seven days"),
        (DAY.replace("\"id\":1768104000000", "\"id\":[]"), "id is neither"),
        (DAY.replace("\"sleepLevels\":[]", "\"sleepLevels\":4711"), "a member has the wrong type"),
        (r#"{"dailySleepDTO":{"sleepTimeSeconds":60}}"#.to_owned(), "sleepStartTimestampGMT is missing"),
        ("4711".to_owned(), "a member has the wrong type"),
    ] {
        let items = garmin(&format!("[{DAY},{bad},{DAY}]"));
        assert_eq!(sessions(&items).len(), 2, "{bad}");
        let rejected = rejections(&items).concat();
        assert!(rejected.starts_with(&format!("record 2: {reason}")), "{rejected}");
        assert!(!rejected.contains("4711"));
    }
}

#[test]
fn totals_that_contradict_the_night_are_dropped_and_noted() {
    let (records, _, noted) = outcome(&DAY.replace("\"sleepTimeSeconds\":3000", "\"sleepTimeSeconds\":3500"));
    assert_eq!(metric(&records[0], MetricKind::TimeNightAsleep), None);
    assert_eq!(metric(&records[0], MetricKind::TimeNightInBed), Some(3600.0));
    assert_eq!(noted, "record 1: the totals contradict the time in bed and were dropped");
}

#[test]
fn other_files_are_not_recognised() {
    assert_eq!(recognised("[]"), Ok("fitbit"));
    assert_eq!(items("[]", Format::Garmin, "UTC"), []);
    for text in [
        r#"{"calendarDate":"2026-01-11","totalSteps":1}"#,
        r#"[{"sleepLevels":[],"sleepMovement":[]}]"#,
        r#"[{"summaryId":"x","startTimeInSeconds":1,"durationInSeconds":1}]"#,
    ] {
        assert!(read(text.as_bytes(), None, "UTC").is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn any_night_reads_back_as_itself(
        runs in prop::collection::vec((0..4_u8, 1..120_i64), 1..40),
        offset in -48..=56_i64,
        start in 0..4_000_000_000_i64,
    ) {
        let print = |instant: i64| chrono::DateTime::from_timestamp(instant, 0).unwrap().format("%FT%T.0");
        let (mut levels, mut end) = (Vec::new(), start);
        for (level, minutes) in &runs {
            let from = end;
            end += minutes * 60;
            levels.push(format!(
                r#"{{"startGMT":"{}","endGMT":"{}","activityLevel":{level}.0}}"#, print(from), print(end)
            ));
        }
        let local = offset * 15 * 60;
        let record = only(&format!(
            r#"{{"dailySleepDTO":{{"sleepStartTimestampGMT":{start}000,"sleepEndTimestampGMT":{end}000,
            "sleepStartTimestampLocal":{},"sleepEndTimestampLocal":{}}},"sleepLevels":[{}]}}"#,
            (start + local) * 1000, (end + local) * 1000, levels.join(",")
        ));
        let bed = record.time_in_bed();
        prop_assert_eq!((bed.start_millis(), bed.end_millis()), (start * 1000, end * 1000));
        prop_assert_eq!(bed.offset_at_end().map(|one| i64::from(one.minutes())), Some(offset * 15));
        let names = ["DEEP", "LIGHT", "REM", "AWAKE"];
        let written: Vec<_> = runs.iter().map(|(level, minutes)| (names[usize::from(*level)], minutes * 60_000)).collect();
        let entries = record.hypnogram().entries().iter();
        prop_assert_eq!(entries.map(|one| (one.stage().as_str(), one.millis())).collect::<Vec<_>>(), written);
    }
}
