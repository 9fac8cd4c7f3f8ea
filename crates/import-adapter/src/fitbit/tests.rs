use crate::Format;
use crate::testing::{accepted_session, frame, items, metric, notes, rejections, sessions, stages};
use application::ports::import_source::ImportItem;
use domain::sleep::{MetricKind, SleepRecord};

fn fitbit(text: &str, zone: &str) -> Vec<ImportItem> {
    items(text, Format::Fitbit, zone)
}

fn only(text: &str, zone: &str) -> SleepRecord {
    accepted_session(&fitbit(text, zone))
}

fn rejection(log: &str) -> String {
    let items = fitbit(&format!("[{log}]"), "Europe/Berlin");
    assert!(sessions(&items).is_empty());
    rejections(&items).concat()
}

const STAGES: &str = r#"{
  "logId": 41000000007, "dateOfSleep": "2026-01-11", "startTime": "2026-01-10T23:00:00.000",
  "endTime": "2026-01-11T00:00:00.000", "duration": 3600000, "type": "stages", "infoCode": 0,
  "isMainSleep": true, "minutesAsleep": 50, "minutesAwake": 10,
  "levels": {
    "summary": {"deep": {"count": 1, "minutes": 20}},
    "data": [
      {"dateTime": "2026-01-10T23:00:00.000", "level": "wake", "seconds": 600},
      {"dateTime": "2026-01-10T23:10:00.000", "level": "light", "seconds": 1200},
      {"dateTime": "2026-01-10T23:30:00.000", "level": "deep", "seconds": 1200},
      {"dateTime": "2026-01-10T23:50:00.000", "level": "rem", "seconds": 600}
    ],
    "shortData": [{"dateTime": "2026-01-10T23:35:00.000", "level": "wake", "seconds": 120}]
  }}"#;

#[test]
fn a_log_of_stages_has_its_short_wakes_over_them() {
    let record = only(STAGES, "Europe/Berlin");
    assert_eq!(frame(&record), "2026-01-10T23:00:00+01:00 2026-01-11T00:00:00+01:00");
    assert_eq!(
        stages(&record),
        [
            "AWAKE 23:00-23:10",
            "LIGHT 23:10-23:30",
            "DEEP 23:30-23:35",
            "AWAKE 23:35-23:37",
            "DEEP 23:37-23:50",
            "REM 23:50-00:00"
        ]
    );
    assert_eq!(record.key().to_stored(), "given:41000000007");
    assert_eq!(record.source().unwrap().as_str(), "fitbit");
    assert_eq!(record.is_nap(), Some(false));
    assert_eq!(metric(&record, MetricKind::TimeNightDeep), Some(1080.0));
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(2880.0));
}

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
fn every_shape_of_the_document_yields_the_same_session() {
    let alone = only(STAGES, "Europe/Berlin");
    for text in [
        format!("[{STAGES}]"),
        format!("\u{feff} [{STAGES}]\n"),
        format!(r#"{{"sleep":[{STAGES}],"summary":{{"totalMinutesAsleep":50}}}}"#),
        format!(r#"{{"pagination":{{"next":""}},"sleep":[{STAGES}]}}"#),
    ] {
        assert_eq!(only(&text, "Europe/Berlin"), alone);
    }
    for text in ["[]", r#"{"sleep":[]}"#, "{\"sleep\": [ ]}\n"] {
        assert_eq!(fitbit(text, "UTC"), [], "{text}");
    }
}

#[test]
fn other_spellings_of_members_are_the_same_session() {
    let alone = only(STAGES, "Europe/Berlin");
    let text = STAGES.replace("dateTime", "datetime").replace("isMainSleep", "mainSleep");
    assert_eq!(only(&text.replace("41000000007", "\"41000000007\""), "Europe/Berlin"), alone);
    let nap = only(&STAGES.replace("\"isMainSleep\": true", "\"mainSleep\": false"), "Europe/Berlin");
    assert_eq!(nap.is_nap(), Some(true));
    let unsaid = only(&STAGES.replace("\"isMainSleep\": true,", ""), "Europe/Berlin");
    assert_eq!(unsaid.is_nap(), None);
}

#[test]
fn a_classic_log_is_asleep_or_awake() {
    let record = only(
        r#"[{"logId":1,"startTime":"2026-01-10T13:00:00.000","duration":1800000,"type":"classic","mainSleep":false,
        "levels":{"summary":{"asleep":{"count":0,"minutes":20}},"data":[
        {"dateTime":"2026-01-10T13:00:00.000","level":"restless","seconds":300},
        {"dateTime":"2026-01-10T13:05:00.000","level":"asleep","seconds":1200},
        {"dateTime":"2026-01-10T13:25:00.000","level":"awake","seconds":300}]}}]"#,
        "America/New_York",
    );
    assert_eq!(frame(&record), "2026-01-10T13:00:00-05:00 2026-01-10T13:30:00-05:00");
    assert_eq!(stages(&record), ["AWAKE 13:00-13:05", "ASLEEP 13:05-13:25", "AWAKE 13:25-13:30"]);
    assert_eq!(metric(&record, MetricKind::TimeNightLight), None);
}

fn minutes(values: &[(&str, &str)]) -> String {
    let minutes: Vec<_> =
        values.iter().map(|(clock, value)| format!(r#"{{"dateTime":"{clock}","value":{value}}}"#)).collect();
    format!(
        r#"{{"sleep":[{{"logId":2,"isMainSleep":true,"startTime":"2026-01-10T23:58:00.000","duration":360000,
        "minuteData":[{}]}}]}}"#,
        minutes.join(",")
    )
}

#[test]
fn minutes_without_a_date_cross_midnight_and_equal_ones_are_one_entry() {
    let record = only(
        &minutes(&[
            ("23:58:00", "\"3\""),
            ("23:59:00", "1"),
            ("00:00:00", "\"1\""),
            ("00:01:00", "1"),
            ("00:02:00", "2"),
            ("00:03:00", "1"),
        ]),
        "UTC",
    );
    let expected = ["AWAKE 23:58-23:59", "ASLEEP 23:59-00:02", "AWAKE 00:02-00:03", "ASLEEP 00:03-00:04"];
    assert_eq!(stages(&record), expected);
}

#[test]
fn minutes_keep_their_gaps_and_continue_across_clock_changes() {
    let gap = only(&minutes(&[("23:58:00", "1"), ("00:01:00", "1")]), "UTC");
    assert_eq!(stages(&gap), ["ASLEEP 23:58-23:59", "ASLEEP 00:01-00:02"]);
    let back = only(&minutes(&[("23:58:00", "1"), ("23:58:00", "1"), ("22:59:00", "1")]), "UTC");
    assert_eq!(stages(&back), ["ASLEEP 23:58-00:01"]);
    let items = fitbit(&minutes(&[("23:58:00", "7"), ("x", "1"), ("23:59:00", "1")]), "UTC");
    assert_eq!(stages(&sessions(&items)[0]), ["UNKNOWN 23:58-23:59", "ASLEEP 23:59-00:00"]);
    assert_eq!(notes(&items).len(), 2);
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
fn totals_beyond_the_time_in_bed_are_dropped_and_reported() {
    let items = fitbit(
        r#"[{"logId":3,"startTime":"2026-01-10T23:00:00.000","endTime":"2026-01-11T01:00:00.000","minutesAsleep":500}]"#,
        "UTC",
    );
    assert_eq!(notes(&items), ["record 1: the totals contradict the time in bed and were dropped"]);
    assert_eq!(metric(&sessions(&items)[0], MetricKind::TimeNightAsleep), None);
    assert_eq!(metric(&sessions(&items)[0], MetricKind::TimeNightInBed), Some(7200.0));
}

#[test]
fn stages_outside_the_log_are_cut_and_reported() {
    let text = STAGES.replace("2026-01-11T00:00:00.000", "2026-01-10T23:55:00.000");
    let items = fitbit(&text, "UTC");
    assert_eq!(stages(&sessions(&items)[0]).last().unwrap(), "REM 23:50-23:55");
    assert!(notes(&items)[0].ends_with("beyond the time in bed were trimmed: 1"));
}

#[test]
fn meaningless_stages_are_left_out_and_reported() {
    let text = STAGES
        .replace("\"level\": \"deep\", \"seconds\": 1200", "\"level\": \"deep\", \"seconds\": 0")
        .replace("\"level\": \"light\"", "\"level\": \"slumber\"")
        .replace("\"level\": \"rem\", \"seconds\": 600", "\"level\": \"rem\", \"seconds\": \"x\"");
    let items = fitbit(&text, "UTC");
    let expected = ["AWAKE 23:00-23:10", "UNKNOWN 23:10-23:30", "AWAKE 23:35-23:37"];
    assert_eq!(stages(&sessions(&items)[0]), expected);
    assert_eq!(notes(&items).len(), 4, "{:?}", notes(&items));
}

#[test]
fn a_log_without_length_is_rejected_with_its_place_and_the_rest_imported() {
    let text = format!(
        r#"[{{"logId":4,"startTime":"2026-01-10T23:00:00.000","duration":0,"timeInBed":0}},
        {{"logId":5,"startTime":"2026-01-10T23:00:00.000","endTime":"2026-01-10T23:00:00.000"}},{STAGES}]"#
    );
    let items = fitbit(&text, "UTC");
    let reason = "time in bed: the end is not after the start";
    assert_eq!(rejections(&items), [format!("record 1: {reason}"), format!("record 2: {reason}")]);
    assert_eq!(sessions(&items).len(), 1);
}

#[test]
fn a_rejection_names_the_member_and_never_its_value() {
    for (log, part) in [
        (r#"{"logId":1,"dateOfSleep":"4711"}"#, "startTime is missing"),
        (r#"{"startTime":"4711-01","mainSleep":true}"#, "startTime is not a date and time"),
        (r#"{"startTime":4711,"mainSleep":true}"#, "startTime is not a date and time"),
        (r#"{"startTime":"2026-01-10T23:00:00","endTime":"4711","mainSleep":true}"#, "endTime is not a date"),
        (r#"{"startTime":"2026-01-10T23:00:00","mainSleep":true}"#, "endTime and duration are missing"),
        (
            r#"{"startTime":"2026-01-10T23:00:00","duration":60000,"logId":4711.5,"levels":{}}"#,
            "logId is neither",
        ),
        (r#"{"startTime":"2026-01-10T23:00:00","duration":6e11,"levels":{}}"#, "longer than seven days"),
        (r#"{"startTime":"1969-01-10T23:00:00","duration":60000,"levels":{}}"#, "outside the years"),
        (r#"{"startTime":"2026-01-10T23:00:00","levels":{"data":4711}}"#, "the wrong type"),
        (r#"{"mainSleep":true,"startTime":"a","startTime":"4711"}"#, "duplicate member: `startTime`"),
    ] {
        let found = rejection(log);
        assert!(found.starts_with("record 1: ") && found.contains(part), "{found}");
        assert!(!found.contains("4711"), "{found}");
    }
    assert!(rejections(&fitbit(&format!("[{STAGES},4711]"), "UTC"))[0].starts_with("record 2: "));
}

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
fn the_hour_of_padding_at_a_clock_change_is_dropped_and_times_that_do_not_exist_are_read_on() {
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

#[test]
fn a_log_without_an_id_is_known_by_its_start() {
    let text = STAGES.replace("\"logId\": 41000000007,", "");
    assert_eq!(only(&text, "UTC").key().to_stored(), "derived:2026-01-10T23:00:00.000Z");
}

const HEADER: &str = "Sleep\nStart Time,End Time,Minutes Asleep,Minutes Awake,Number of Awakenings,Time in Bed,\
    Minutes REM Sleep,Minutes Light Sleep,Minutes Deep Sleep\n";

#[test]
fn the_web_export_yields_totals_without_stages() {
    let text = format!(
        "{HEADER}\"2026-01-10 11:00PM\",\"2026-01-11 7:00AM\",\"440\",\"40\",\"3\",\"480\",\"100\",\"300\",\"40\"\r\n\
         \"11-01-2026 1:00 pm\",\"11-01-2026 2:00 PM\",\"50\",\"N/A\",\"\",\"60\",\"N/A\",\"N/A\",\"N/A\"\n\n"
    );
    let items = fitbit(&text, "Europe/Berlin");
    let [night, nap] = <[SleepRecord; 2]>::try_from(sessions(&items)).unwrap();
    assert_eq!(frame(&night), "2026-01-10T23:00:00+01:00 2026-01-11T07:00:00+01:00");
    assert_eq!(night.key().to_stored(), "derived:2026-01-10T22:00:00.000Z");
    assert_eq!(metric(&night, MetricKind::TimeNightAsleep), Some(26400.0));
    assert_eq!(metric(&night, MetricKind::TimeNightRem), Some(6000.0));
    assert_eq!(metric(&night, MetricKind::SleepWakeups), Some(3.0));
    assert!(night.hypnogram().is_empty() && night.is_nap().is_none());
    assert_eq!(frame(&nap), "2026-01-11T13:00:00+01:00 2026-01-11T14:00:00+01:00");
    assert_eq!(metric(&nap, MetricKind::TimeNightAwake), None);
    assert!(notes(&items).is_empty() && rejections(&items).is_empty());
}

#[test]
fn a_time_of_the_web_export_that_the_clocks_skip_is_noted() {
    for (start, end, frames) in [
        ("2026-03-29 2:30AM", "2026-03-29 7:00AM", "2026-03-29T02:30:00+01:00 2026-03-29T07:00:00+02:00"),
        ("2026-03-28 11:00PM", "2026-03-29 2:30AM", "2026-03-28T23:00:00+01:00 2026-03-29T03:30:00+02:00"),
    ] {
        let text = format!("Sleep\rStart Time,End Time\r\"{start}\",\"{end}\"\r");
        let items = fitbit(&text, "Europe/Berlin");
        assert_eq!(frame(&accepted_session(&items)), frames);
        assert_eq!(notes(&items), [format!("line 3: {}", crate::local_time::SKIPPED_TIME_NOTE)]);
    }
}

#[test]
fn a_row_of_the_web_export_that_ends_in_a_lone_return_hides_no_other() {
    let row = |day: u8| format!("2026-01-{day} 11:00PM,2026-01-{} 7:00AM,440,40,3,480,100,300,40", day + 1);
    let text = format!("{HEADER}{}\r{}\n{}\n", row(10), row(11), row(12));
    assert_eq!(sessions(&fitbit(&text, "UTC")).len(), 3);
}

#[test]
fn the_web_export_may_have_its_names_in_capitals() {
    let text = "SLEEP\nSTART TIME,END TIME,MINUTES ASLEEP\n2026-03-05 11:00PM,2026-03-06 7:00AM,400\n";
    let night = accepted_session(&fitbit(text, "UTC"));
    assert_eq!(metric(&night, MetricKind::TimeNightAsleep), Some(24_000.0));
}

#[test]
fn an_impossible_night_of_the_web_export_is_rejected_with_its_line() {
    let text = format!(
        "{HEADER}\"2026-01-10 11:00PM\",\"2026-01-09 7:00AM\",\"4711\",\"1\",\"1\",\"1\",\"1\",\"1\",\"1\"\n\
         2026-01-10 11:00PM,4711,1,1,1,1,1,1,1\n2026-01-10 11:00PM,2026-01-11 7:00AM,x4711,1,1,1,1,1,1\n\
         2026-01-10 11:00PM,2026-01-11 7:00AM\n2026-01-10 11:00PM,2026-01-11 7:00AM,\"4,711\",1,1,1,1,1,1\n"
    );
    let items = fitbit(&text, "UTC");
    let expected = [
        "line 3: time in bed: the end is not after the start",
        "line 4: End Time is not a date and time",
        "line 5: Minutes Asleep is not a number",
        "line 6: the number of fields differs from the header",
    ];
    assert_eq!(rejections(&items), expected);
    assert_eq!(notes(&items), ["line 7: the totals contradict the time in bed and were dropped"]);
    assert_eq!(sessions(&items).len(), 1);
}

#[test]
fn a_truncated_web_export_is_rejected() {
    let read = |text: String| crate::testing::read(text.as_bytes(), Format::Fitbit, "UTC");
    for rest in ["\"2026-01-10 11:0", "2026-01-10 11:00PM,2026-01", "\"a\",\"b\n"] {
        let refused = read(format!("{HEADER}{rest}")).unwrap_err().to_string();
        assert!(refused.starts_with("damaged at line 3"), "{refused}");
    }
    assert!(read("Sleep\nWhen,How long\n".to_owned()).unwrap_err().to_string().contains("header line"));
    assert_eq!(read(HEADER.to_owned()).unwrap(), []);
}

#[test]
fn other_sections_of_the_web_export_are_skipped_and_reported() {
    let text = format!(
        "{HEADER}\nBody\nDate,Weight\n\"2026-01-10\",\"4711\"\n\n{HEADER}2026-01-10 11:00PM,2026-01-11 7:00AM,1,1,1,1,1,1,1\n"
    );
    let items = fitbit(&text, "UTC");
    assert_eq!(notes(&items), ["line 4: a section that is not about sleep was skipped"]);
    assert_eq!(sessions(&items).len(), 1);
}
