mod cloud;

use crate::Format;
use crate::testing::{accepted_session, frame, metric, notes, read, rejections, sessions, stages};
use application::ports::import_source::{ImportItem, ImportRefusal};
use chrono::DateTime;
use domain::sleep::{MetricKind, SleepRecord};
use proptest::prelude::{prop, prop_assert_eq, proptest};

const COLUMNS: &str =
    "Id,Tz,From,To,Sched,Hours,Rating,Comment,Framerate,Snore,Noise,Cycles,DeepSleep,LenAdjust,Geo";

/// Formats one record like the app, with two columns of times and the events.
fn record(head: [&str; 5], events: &[String]) -> String {
    let [id, tz, from, to, hours] = head;
    let names = ",\"Event\"".repeat(events.len());
    let events = events.iter().map(|event| format!(",\"{event}\"")).collect::<Vec<_>>().concat();
    let rest = r#""","3.5","slept \"" well \n #home","10007","-1","-1.0","-1","-2.0","0","""#;
    let rest = rest.replacen("\"\",", "", 1);
    format!(
        "{COLUMNS},\"22:05\",\"22:10\"{names}\n\"{id}\",\"{tz}\",\"{from}\",\"{to}\",\"\",\"{hours}\",{rest},\"0.1\",\"0.2\"{events}\n"
    )
}

const LONDON: [&str; 5] = ["7", "Europe/London", "10. 01. 2026 22:00", "11. 01. 2026 6:00", "8.000"];

fn saa(text: &str) -> Vec<ImportItem> {
    read(text.as_bytes(), None, "America/New_York").unwrap()
}

fn only(text: &str) -> SleepRecord {
    accepted_session(&saa(text))
}

fn at(text: &str) -> i64 {
    DateTime::parse_from_rfc3339(&format!("{text}Z")).unwrap().timestamp_millis()
}

fn events(list: &[(&str, &str)]) -> Vec<String> {
    list.iter().map(|(label, time)| format!("{label}-{}", at(time))).collect()
}

#[test]
fn a_record_by_hand_is_a_session_in_its_own_zone() {
    let night = only(&record(LONDON, &[]));
    assert_eq!(frame(&night), "2026-01-10T22:00:00+00:00 2026-01-11T06:00:00+00:00");
    assert_eq!(night.key().to_stored(), "given:7");
    assert_eq!((night.source().unwrap().as_str(), night.is_nap()), ("sleep as android", None));
    assert_eq!(metric(&night, MetricKind::TimeNightInBed), Some(28_800.0));
    assert_eq!(metric(&night, MetricKind::TimeNightAsleep), None);
}

#[test]
fn events_determine_the_stages_and_wakes_override_them() {
    let events = events(&[
        ("DHA", "2026-01-10T22:00:01"),
        ("LIGHT_START", "2026-01-10T22:10:00"),
        ("AWAKE_START", "2026-01-10T22:20:00"),
        ("AWAKE_END", "2026-01-10T22:25:00"),
        ("LIGHT_END", "2026-01-10T23:00:00"),
        ("DEEP_START", "2026-01-10T23:00:00"),
        ("DEEP_END", "2026-01-11T00:00:00"),
        ("REM_START", "2026-01-11T00:00:00"),
        ("REM_END", "2026-01-11T00:30:00"),
        ("LUX", "2026-01-11T00:40:00"),
    ]);
    let night = only(&record(LONDON, &[events, vec!["DEVICE-1606462823190-3.3E18".to_owned()]].concat()));
    assert_eq!(
        stages(&night),
        [
            "LIGHT 22:10-22:20",
            "AWAKE 22:20-22:25",
            "LIGHT 22:25-23:00",
            "DEEP 23:00-00:00",
            "REM 00:00-00:30"
        ]
    );
}

#[test]
fn rem_is_cut_out_of_the_deep_sleep_around_it() {
    let events = events(&[
        ("DEEP_START", "2026-01-10T22:00:00"),
        ("REM_START", "2026-01-10T22:30:00"),
        ("AWAKE_START", "2026-01-10T22:40:00"),
        ("AWAKE_END", "2026-01-10T22:45:00"),
        ("REM_END", "2026-01-10T22:50:00"),
        ("LIGHT_START", "2026-01-10T23:00:00"),
        ("REM_START", "2026-01-10T23:10:00"),
        ("REM_END", "2026-01-10T23:20:00"),
        ("DEEP_END", "2026-01-10T23:30:00"),
        ("LIGHT_END", "2026-01-11T00:00:00"),
    ]);
    let night = only(&record(LONDON, &events));
    assert_eq!(
        stages(&night),
        [
            "DEEP 22:00-22:30",
            "REM 22:30-22:40",
            "AWAKE 22:40-22:45",
            "REM 22:45-22:50",
            "DEEP 22:50-23:10",
            "REM 23:10-23:20",
            "DEEP 23:20-23:30",
            "LIGHT 23:30-00:00",
        ]
    );
}

#[test]
fn a_pause_is_time_awake_and_lasts_until_the_app_resumes() {
    let paused = events(&[
        ("TRACKING_PAUSED", "2026-01-10T22:00:00"),
        ("LIGHT_START", "2026-01-10T22:00:00"),
        ("TRACKING_RESUMED", "2026-01-10T22:20:00"),
        ("TRACKING_PAUSED", "2026-01-11T01:00:00"),
        ("DEEP_START", "2026-01-11T01:10:00"),
        ("TRACKING_RESUMED", "2026-01-11T01:30:00"),
        ("DEEP_END", "2026-01-11T02:00:00"),
        ("TRACKING_PAUSED", "2026-01-11T05:00:00"),
    ]);
    let night = only(&record(LONDON, &paused));
    assert_eq!(
        stages(&night),
        [
            "AWAKE 22:00-22:20",
            "LIGHT 22:20-01:00",
            "AWAKE 01:00-01:30",
            "DEEP 01:30-02:00",
            "AWAKE 05:00-06:00",
        ]
    );
    assert_eq!(metric(&night, MetricKind::TimeNightAwake), Some(6600.0));
    assert_eq!(metric(&night, MetricKind::SleepLatency), Some(1200.0));
}

#[test]
fn pauses_without_stages_are_left_out() {
    let paused =
        events(&[("TRACKING_PAUSED", "2026-01-11T01:00:00"), ("TRACKING_RESUMED", "2026-01-11T02:00:00")]);
    let items = saa(&record(LONDON, &paused));
    let night = accepted_session(&items);
    assert!(night.hypnogram().is_empty());
    assert_eq!(metric(&night, MetricKind::TimeNightAsleep), None);
    assert_eq!(notes(&items), ["line 2: pauses were left out, because there are no stages: 1"]);
}

#[test]
fn a_zone_of_java_or_the_distance_from_the_id_gives_the_offset() {
    let id = at("2026-01-10T19:00:41").to_string();
    let id = id.as_str();
    for (id, tz, expected) in [
        (id, "GMT+03:00", "+03:00"),
        ("7", "GMT+3", "+03:00"),
        (id, "null", "+03:00"),
        (id, "", "+03:00"),
        (id, "Moon/Base", "+03:00"),
        // An id that is not the start gives no offset.
        ("1768000000000", "null", "-05:00"),
    ] {
        let items = saa(&record([id, tz, LONDON[2], LONDON[3], "8"], &[]));
        let expected = format!("2026-01-10T22:00:00{expected} 2026-01-11T06:00:00{expected}");
        assert_eq!(frame(&accepted_session(&items)), expected, "{id} {tz}");
        assert_eq!(notes(&items).len(), usize::from(id.ends_with("00000000")), "{id} {tz}");
    }
}

#[test]
fn the_given_zone_is_used_if_the_id_agrees_with_it() {
    let id = at("2026-03-08T03:00:10").to_string();
    let items = saa(&record([&id, "null", "07. 03. 2026 22:00", "08. 03. 2026 7:00", "8"], &[]));
    assert_eq!(frame(&accepted_session(&items)), "2026-03-07T22:00:00-05:00 2026-03-08T07:00:00-04:00");
}

#[test]
fn an_id_that_a_spreadsheet_rounded_is_none() {
    for id in ["1.78E+12", "1,78147E+12", "1.781470841e12", "1781470000000.0", "1780000000000"] {
        let night = only(&record([id, LONDON[1], LONDON[2], LONDON[3], ""], &[]));
        assert_eq!(night.key().to_stored(), "derived:2026-01-10T22:00:00.000Z", "{id}");
    }
    for id in ["1781470841000", "7", "a-7"] {
        let night = only(&record([id, LONDON[1], LONDON[2], LONDON[3], ""], &[]));
        assert_eq!(night.key().to_stored(), format!("given:{id}"));
    }
}

#[test]
fn a_table_with_returns_and_a_header_in_capitals_is_read() {
    let text = record(LONDON, &events(&[("LIGHT_START", "2026-01-10T22:00:00")]));
    let (header, row) = text.trim_end().split_once('\n').unwrap();
    for text in [text.replace('\n', "\r"), format!("{}\n{row}\n", header.to_uppercase())] {
        assert_eq!(stages(&only(&text)), ["LIGHT 22:00-06:00"], "{text}");
    }
}

#[test]
fn a_row_that_ends_in_a_lone_return_hides_no_other() {
    let text = record(LONDON, &events(&[("LIGHT_START", "2026-01-10T22:00:00")]));
    let (header, row) = text.trim_end().split_once('\n').unwrap();
    let other = |id: &str| row.replacen(LONDON[0], id, 1);
    let text = format!("{header}\n{row}\r{}\n{}\n", other("8"), other("9"));
    assert_eq!(sessions(&saa(&text)).len(), 3);
}

#[test]
fn a_table_whose_rows_are_all_skipped_is_refused() {
    let text = format!("{COLUMNS},\"22:05\"\n{},\"3.0\"\n", ",".repeat(14));
    let refused = read(text.as_bytes(), None, "UTC").unwrap_err();
    assert!(matches!(refused, ImportRefusal::HoldsNoSleep(_)), "{refused}");
}

#[test]
fn a_stage_without_its_end_lasts_to_the_next_or_to_the_end_of_the_session() {
    let events = events(&[
        ("DEEP_START", "2026-01-11T01:00:00"),
        ("LIGHT_START", "2026-01-10T22:00:00"),
        ("LIGHT_START", "2026-01-10T23:00:00"),
    ]);
    let night = only(&record(LONDON, &events));
    assert_eq!(stages(&night), ["LIGHT 22:00-23:00", "LIGHT 23:00-01:00", "DEEP 01:00-06:00"]);
}

#[test]
fn omitted_events_are_noted() {
    let mut events = events(&[
        ("LIGHT_END", "2026-01-10T22:30:00"),
        ("REM_START", "2026-01-10T23:00:00"),
        ("REM_END", "2026-01-10T23:00:00"),
        ("DEEP_START", "2026-01-11T05:00:00"),
        ("DEEP_END", "2026-01-11T07:00:00"),
    ]);
    events.push("LIGHT_START-soon".to_owned());
    let items = saa(&record(LONDON, &events));
    assert_eq!(stages(&sessions(&items)[0]), ["DEEP 05:00-06:00"]);
    assert_eq!(
        notes(&items),
        [
            "line 2: events without a readable time were left out: 1",
            "line 2: stages without a duration were left out: 1",
            "line 2: stage ends without a start were left out: 1",
            "line 2: stages that extend beyond the time in bed were trimmed: 1",
        ]
    );
}

#[test]
fn the_last_epoch_may_run_six_minutes_past_the_end_without_a_note() {
    let cut = "line 2: stages that extend beyond the time in bed were trimmed: 1";
    for (label, begin, end, noted) in [
        ("LIGHT", "2026-01-11T05:00:00", "2026-01-11T06:00:00", None),
        ("LIGHT", "2026-01-11T05:00:00", "2026-01-11T06:05:00", None),
        ("REM", "2026-01-11T05:00:00", "2026-01-11T06:06:00", None),
        ("REM", "2026-01-11T05:00:00", "2026-01-11T06:06:01", Some(cut)),
        ("AWAKE", "2026-01-11T05:00:00", "2026-01-11T07:00:00", Some(cut)),
    ] {
        let (start, stop) = (format!("{label}_START"), format!("{label}_END"));
        let items = saa(&record(LONDON, &events(&[(&start, begin), (&stop, end)])));
        assert_eq!(stages(&sessions(&items)[0]), [format!("{label} 05:00-06:00")]);
        assert_eq!(notes(&items), Vec::from_iter(noted), "{end}");
    }
    // The start has a minute of slack: the app truncates From to minutes, and epochs start with the
    // recording.
    for (begin, noted) in [("2026-01-10T21:59:00", None), ("2026-01-10T21:58:59", Some(cut))] {
        let events = events(&[("DEEP_START", begin), ("DEEP_END", "2026-01-10T23:00:00")]);
        assert_eq!(notes(&saa(&record(LONDON, &events))), Vec::from_iter(noted), "{begin}");
    }
}

#[test]
fn a_row_of_noise_is_skipped_and_a_header_can_precede_many_records() {
    let one = record(LONDON, &[]);
    let noise = format!("{},\"3.0\",\"4.0\"\n", ",".repeat(14));
    let [_, data] = <[&str; 2]>::try_from(one.lines().collect::<Vec<_>>()).unwrap();
    let items = saa(&format!("{one}{noise}{data}\n{noise}{one}"));
    let places: Vec<_> = items.iter().map(ImportItem::place).collect();
    assert_eq!(places, ["line 2", "line 4", "line 7"]);
}

#[test]
fn where_a_time_exists_twice_id_and_hours_decide() {
    // Clocks went back from 2:00 to 1:00 on 25 October 2020.
    let night = |id: &str, from, to, hours| {
        frame(&only(&record([&at(id).to_string(), "Europe/London", from, to, hours], &[])))
    };
    let (half_past, later) = ("25. 10. 2020 1:30", "25. 10. 2020 1:20");
    assert_eq!(
        night("2020-10-25T00:30:20", half_past, later, "0.830"),
        "2020-10-25T01:30:00+01:00 2020-10-25T01:20:00+00:00"
    );
    assert_eq!(
        night("2020-10-25T01:30:20", half_past, "25. 10. 2020 7:30", "6.000"),
        "2020-10-25T01:30:00+00:00 2020-10-25T07:30:00+00:00"
    );
    assert_eq!(
        night("2020-10-24T22:30:20", "24. 10. 2020 23:30", half_past, "3.000"),
        "2020-10-24T23:30:00+01:00 2020-10-25T01:30:00+00:00"
    );
}

#[test]
fn an_unknown_zone_is_replaced_by_the_configured_one() {
    let items = saa(&record(["7", "Moon/Base", LONDON[2], LONDON[3], "8"], &[]));
    assert_eq!(frame(&sessions(&items)[0]), "2026-01-10T22:00:00-05:00 2026-01-11T06:00:00-05:00");
    let expected = "line 2: Tz is not a known time zone; the specified zone was used for the times";
    assert_eq!(notes(&items), [expected]);
}

#[test]
fn an_invalid_record_is_rejected() {
    let [id, tz, from, to, hours] = LONDON;
    let from_is_wrong = "From is not a date and time such as 09. 12. 2020 8:16";
    for (head, reason) in [
        ([id, tz, from, from, "0.010"], "time in bed: the end is not after the start"),
        ([id, tz, to, from, hours], "time in bed: the end is not after the start"),
        ([id, tz, "2026-01-10 22:00", to, hours], from_is_wrong),
        ([id, tz, "", to, hours], "From is missing"),
        ([id, tz, from, "", hours], "To is missing"),
    ] {
        assert_eq!(rejections(&saa(&record(head, &[]))), [format!("line 2: {reason}")]);
    }
    let short = format!("{COLUMNS}\n\"7\",\"Europe/London\"\n{}", record(LONDON, &[]));
    let items = saa(&short);
    assert_eq!((sessions(&items).len(), rejections(&items).len()), (1, 1));
}

#[test]
fn a_record_without_an_id_is_known_by_its_start() {
    let night = only(&record(["", LONDON[1], LONDON[2], LONDON[3], ""], &[]));
    assert_eq!(night.key().to_stored(), "derived:2026-01-10T22:00:00.000Z");
}

#[test]
fn a_truncated_export_is_rejected() {
    let text = record(LONDON, &[]);
    for cut in [text.len() - 10, text.len() - 40, COLUMNS.len() + 40] {
        let refused = read(&text.as_bytes()[..cut], Format::SleepAsAndroid, "UTC").unwrap_err();
        assert!(matches!(refused, ImportRefusal::Damaged { .. }), "{cut}: {refused}");
    }
}

proptest! {
    #[test]
    fn any_night_reads_back_as_it_was_written(
        start in 20_000_000_i64..30_000_000,
        lengths in prop::collection::vec((1_i64..90, 0..4_usize), 1..40),
    ) {
        let zone = "Etc/GMT-3";
        let minute = |minute: i64| DateTime::from_timestamp(minute * 60, 0).unwrap();
        let local = |at: i64| (minute(at) + chrono::TimeDelta::hours(3)).format("%d. %m. %Y %-H:%M").to_string();
        let (mut list, mut now, mut expected) = (Vec::new(), start, Vec::new());
        for (length, stage) in lengths {
            let stage = ["LIGHT", "DEEP", "REM", "AWAKE"][stage];
            let end = now + length;
            list.push(format!("{stage}_START-{}", now * 60_000));
            list.push(format!("{stage}_END-{}", end * 60_000));
            expected.push((stage.to_owned(), now, end));
            now = end;
        }
        let night = only(&record(["9", zone, &local(start), &local(now), ""], &list));
        let found: Vec<_> = night.hypnogram().entries().iter().map(|entry| {
            let minutes = |at: DateTime<chrono::Utc>| at.timestamp() / 60;
            (entry.stage().as_str().to_owned(), minutes(entry.start()), minutes(entry.end()))
        }).collect();
        prop_assert_eq!(found, expected);
        prop_assert_eq!(night.time_in_bed().start_millis(), start * 60_000);
        prop_assert_eq!(night.time_in_bed().end_millis(), now * 60_000);
    }
}
