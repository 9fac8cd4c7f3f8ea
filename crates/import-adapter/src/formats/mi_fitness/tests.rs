use crate::Format;
use crate::testing::{
    accepted_session, frame, items, metric, notes, only_session, read, rejections, sessions, stages,
};
use application::ports::import_source::{ImportItem, ImportRefusal};
use domain::sleep::{MetricKind, SleepRecord};

/// A night from 23:00 to 06:20 in an offset of one hour.
const NIGHT: &str = r#"{"bedtime":1774648800,"wake_up_time":1774675200,"timezone":4,"duration":430,
    "sleep_deep_duration":60,"sleep_light_duration":310,"sleep_rem_duration":60,"sleep_awake_duration":10,"items":[
    {"start_time":1774648800,"end_time":1774652400,"state":2},{"start_time":1774652400,"end_time":1774671000,"state":3},
    {"start_time":1774671000,"end_time":1774674600,"state":4},{"start_time":1774674600,"end_time":1774675200,"state":5}]}"#;
const SEGMENT: &str = r#"{"bedtime":1774648800,"wake_up_time":1774675200,"duration":430,"sleep_deep_duration":60,
    "sleep_light_duration":310,"sleep_rem_duration":60,"sleep_awake_duration":10,"awake_count":1,"timezone":4}"#;
const NAP: &str = r#"{"bedtime":1774702200,"wake_up_time":1774704300,"duration":35,"sleep_deep_duration":0,
    "sleep_light_duration":0,"sleep_rem_duration":0,"sleep_awake_duration":0,"timezone":4}"#;

fn quoted(json: &str) -> String {
    format!("\"{}\"", json.replace("\n    ", "").replace('"', "\"\""))
}

fn row(key: &str, json: &str) -> String {
    format!("1,900100,{key},1774675200,{},1774675300", quoted(json))
}

fn records(rows: &[String]) -> Vec<ImportItem> {
    let text = format!("Uid,Sid,Key,Time,Value,UpdateTime\n{}\n", rows.join("\n"));
    items(&text, None, "Europe/Berlin")
}

fn reports(values: &[&str]) -> Vec<ImportItem> {
    let rows = values.iter().map(|value| format!("1,900100,daily_report,sleep,0,{},1\n", quoted(value)));
    let text = format!("Uid,Sid,Tag,Key,Time,Value,UpdateTime\n{}", rows.collect::<String>());
    items(&text, None, "Europe/Berlin")
}

fn minutes(record: &SleepRecord) -> [Option<f64>; 5] {
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
fn a_night_has_its_stages_and_the_offset_of_its_row() {
    let record = only_session(&records(&[row("sleep", NIGHT)]));
    assert_eq!(frame(&record), "2026-03-27T23:00:00+01:00 2026-03-28T06:20:00+01:00");
    assert_eq!(
        stages(&record),
        ["DEEP 23:00-00:00", "LIGHT 00:00-05:10", "REM 05:10-06:10", "AWAKE 06:10-06:20"]
    );
    assert_eq!(minutes(&record), [430.0, 10.0, 310.0, 60.0, 60.0].map(Some));
    assert_eq!((record.source().unwrap().as_str(), record.is_nap()), ("mi fitness", None));
    assert_eq!(record.key().to_stored(), "derived:2026-03-27T22:00:00.000Z");
}

#[test]
fn rows_without_sleep_are_skipped() {
    let other = "1,900100,heart_rate,1774650000,\"{\"\"bpm\"\":61}\",1".to_owned();
    assert_eq!(sessions(&records(&[other.clone(), row("sleep", NIGHT), other.clone()])).len(), 1);
    let refused = read(format!("Uid,Sid,Key,Time,Value,UpdateTime\n{other}\n").as_bytes(), None, "UTC");
    assert!(matches!(refused, Err(ImportRefusal::HoldsNoSleep(_))), "{refused:?}");
}

#[test]
fn the_older_app_has_nights_and_naps_whose_times_are_those_of_the_stages() {
    let nap = r#"{"bedtime":0,"wake_up_time":0,"duration":40,"timezone":4,"items":[
    {"start_time":1774703000,"end_time":1774704600,"state":3},{"start_time":1774702200,"end_time":1774703000,"state":0}]}"#;
    let items = records(&[row("Watch_daytime_sleep", nap), row("watch_night_sleep", NIGHT)]);
    let [nap, night] = <[SleepRecord; 2]>::try_from(sessions(&items)).unwrap();
    assert_eq!(frame(&nap), "2026-03-28T13:50:00+01:00 2026-03-28T14:30:00+01:00");
    assert_eq!(stages(&nap), ["ASLEEP 13:50-14:03", "LIGHT 14:03-14:30"]);
    assert_eq!((nap.is_nap(), night.is_nap()), (Some(true), Some(false)));
}

#[test]
fn a_nap_without_stages_has_its_totals() {
    let record = only_session(&records(&[row("sleep", NAP)]));
    assert_eq!(minutes(&record), [Some(35.0), Some(0.0), None, None, None]);
    let nap = NAP.replace("\"timezone\"", "\"isNap\":true,\"timezone\"");
    assert_eq!(only_session(&records(&[row("sleep", &nap)])).is_nap(), Some(true));
}

#[test]
fn an_absent_end_is_the_time_of_the_row() {
    let night = r#"{"device_bedtime":1774648800,"timezone":22,"duration":430}"#;
    let record = only_session(&records(&[row("sleep", night)]));
    assert_eq!(frame(&record), "2026-03-28T03:30:00+05:30 2026-03-28T10:50:00+05:30");
    let night =
        r#"{"bed_timestamp":1774648800000,"out_bed_timestamp":"1774675200","timezone":-20,"duration":430}"#;
    let record = only_session(&records(&[row("sleep", night)]));
    assert_eq!(frame(&record), "2026-03-27T17:00:00-05:00 2026-03-28T00:20:00-05:00");
}

#[test]
fn an_offset_that_is_absent_or_impossible_is_that_of_the_zone() {
    // The clocks go forward in this night.
    let night = r#"{"bedtime":1774735200,"wake_up_time":1774760400,"duration":400}"#;
    let record = only_session(&records(&[row("sleep", night)]));
    assert_eq!(frame(&record), "2026-03-28T23:00:00+01:00 2026-03-29T07:00:00+02:00");
    let impossible = NIGHT.replace("\"timezone\":4", "\"timezone\":400");
    let items = records(&[row("sleep", &impossible)]);
    assert_eq!(
        notes(&items),
        ["line 2: timezone is not an offset in quarters of an hour; the specified zone was used"]
    );
    assert_eq!(frame(&accepted_session(&items)), "2026-03-27T23:00:00+01:00 2026-03-28T06:20:00+01:00");
}

#[test]
fn the_offset_of_winter_in_summer_is_corrected_in_rows_of_the_older_app() {
    let night = r#"{"bedtime":1782853200,"wake_up_time":1782878400,"timezone":4,"duration":400}"#;
    let items = records(&[row("watch_night_sleep", night), row("sleep", night)]);
    let [old, new] = <[SleepRecord; 2]>::try_from(sessions(&items)).unwrap();
    assert_eq!(frame(&old), "2026-06-30T23:00:00+02:00 2026-07-01T06:00:00+02:00");
    assert_eq!(frame(&new), "2026-06-30T22:00:00+01:00 2026-07-01T05:00:00+01:00");
    assert!(matches!(&notes(&items)[..], [note] if note.starts_with("line 2: timezone is an hour behind")));
}

#[test]
fn a_row_that_the_band_had_not_completed_gives_way_to_another_of_the_recording() {
    let early = |end: &str, start: &str| {
        let uncompleted = NIGHT.replace("\"timezone\"", "\"is_uncomplete\":true,\"timezone\"");
        row("sleep", &uncompleted.replace("1774675200", end).replace("1774648800", start))
    };
    let superseded = "recordings that the band had not completed were omitted, as other rows have them";
    let rows = [early("1774650000", "1774648740"), row("sleep", NIGHT), early("1774671000", "1774648800")];
    let items = records(&rows);
    assert_eq!(frame(&accepted_session(&items)), "2026-03-27T23:00:00+01:00 2026-03-28T06:20:00+01:00");
    assert_eq!(notes(&items), [format!("line 4: {superseded}: 2")]);
    // The longest of several is stored if none was completed.
    let items = records(&[early("1774650000", "1774648740"), early("1774671000", "1774648800")]);
    assert_eq!(frame(&accepted_session(&items)), "2026-03-27T23:00:00+01:00 2026-03-28T05:10:00+01:00");
    assert!(notes(&items).concat().contains("had not completed this recording"), "{:?}", notes(&items));
    let items = records(&[early("1774650000", "1774648500"), row("sleep", NIGHT)]);
    assert_eq!(sessions(&items).len(), 2);
    // A completed row without stages does not replace them.
    let (before, _) = NIGHT.split_once("\"items\"").unwrap();
    let bare = format!("{before}\"items\":[]}}");
    let items = records(&[early("1774671000", "1774648800"), row("sleep", &bare)]);
    assert_eq!(sessions(&items).iter().filter(|night| !night.hypnogram().is_empty()).count(), 1);
}

#[test]
fn both_names_of_the_flag_of_naps_may_occur() {
    let night = NIGHT.replace("\"timezone\"", "\"is_nap\":true,\"isNap\":true,\"timezone\"");
    assert_eq!(only_session(&records(&[row("sleep", &night)])).is_nap(), Some(true));
}

#[test]
fn unknown_states_and_impossible_stages_are_noted() {
    let night = NIGHT
        .replace("\"state\":2", "\"state\":1")
        .replace("\"end_time\":1774675200", "\"end_time\":1774675800");
    let night = night.replace("\"end_time\":1774674600", "\"end_time\":1774671000");
    let items = records(&[row("sleep", &night)]);
    let expected = [
        "line 2: stages that do not end after their start were omitted: 1",
        "line 2: stages with an unknown state were stored as UNKNOWN: 1",
        "line 2: stages that extend beyond the time in bed were trimmed: 1",
    ];
    assert_eq!(notes(&items)[..3], expected);
    assert_eq!(
        stages(&accepted_session(&items)),
        ["UNKNOWN 23:00-00:00", "LIGHT 00:00-05:10", "AWAKE 06:10-06:20"]
    );
}

#[test]
fn a_report_has_a_session_for_each_segment() {
    let report = format!(r#"{{"total_duration":465,"sleep_stage":3,"segment_details":[{NAP},{SEGMENT}]}}"#);
    let items = reports(&[&report]);
    let places: Vec<_> = items.iter().map(ImportItem::place).collect();
    assert_eq!(places, ["line 2, segment 1", "line 2, segment 2"]);
    let [nap, night] = <[SleepRecord; 2]>::try_from(sessions(&items)).unwrap();
    assert_eq!(frame(&night), "2026-03-27T23:00:00+01:00 2026-03-28T06:20:00+01:00");
    assert_eq!(minutes(&night), [430.0, 10.0, 310.0, 60.0, 60.0].map(Some));
    assert_eq!(metric(&night, MetricKind::SleepWakeups), Some(1.0));
    assert_eq!(minutes(&nap), [Some(35.0), Some(0.0), None, None, None]);
    assert!(night.hypnogram().is_empty());
}

#[test]
fn a_rem_sleep_of_0_is_unknown() {
    let segment =
        SEGMENT.replace("\"sleep_rem_duration\":60", "\"sleep_rem_duration\":0").replace("310", "370");
    let record = only_session(&reports(&[&format!(r#"{{"segment_details":[{segment}]}}"#)]));
    assert_eq!(minutes(&record), [Some(430.0), Some(10.0), Some(370.0), Some(60.0), None]);
}

#[test]
fn a_report_without_segments_is_noted_or_rejected() {
    let items = reports(&[r#"{"total_duration":0}"#, r#"{"total_duration":400,"segment_details":[]}"#]);
    assert_eq!(notes(&items), ["line 2: no sleep was recorded for this day"]);
    assert_eq!(
        rejections(&items),
        ["line 3: segment_details is missing; the times of the sleep are unknown"]
    );
}

#[test]
fn reports_of_weeks_are_skipped() {
    let value = quoted(&format!(r#"{{"segment_details":[{SEGMENT}]}}"#));
    let rows = ["weekly_report,sleep", "daily_report,steps", "daily_report,sleep"];
    let rows = rows.map(|row| format!("1,900100,{row},0,{value},1\n")).concat();
    let text = format!("Uid,Sid,Tag,Key,Time,Value,UpdateTime\n{rows}");
    assert_eq!(items(&text, None, "UTC").iter().map(ImportItem::place).collect::<Vec<_>>(), ["line 4"]);
}

#[test]
fn an_invalid_row_is_rejected() {
    for (json, reason) in [
        ("{\"wake_up_time\":1774675200}", "bedtime is missing or not a time in seconds"),
        ("{\"bedtime\":\"now\",\"wake_up_time\":1774675200}", "bedtime is missing or not a time in seconds"),
        ("{\"bedtime\":1774675200}", "time in bed: the end is not after the start"),
        (
            "{\"bedtime\":1774675200,\"wake_up_time\":1774648800}",
            "time in bed: the end is not after the start",
        ),
        (
            "{\"bedtime\":978220800,\"wake_up_time\":978249600}",
            "the start is before 2015: the clock of the band was not set",
        ),
        ("{\"bedtime\":", "Value is not JSON"),
        ("{+ACIAIg-bedtime+ACIAIg-:1}", "Value is text in UTF-7; import the file as it was exported"),
        ("", "Value is missing"),
        (
            "{\"items\":3}",
            "Value: a member has the wrong type, expected a list, at line 1, column 10 of the record",
        ),
    ] {
        let items = records(&[row("sleep", json), row("sleep", NIGHT)]);
        assert_eq!(
            (rejections(&items), sessions(&items).len()),
            (vec![format!("line 2: {reason}")], 1),
            "{json}"
        );
    }
    let items = records(&[row("", NIGHT), "1,2,sleep".to_owned()]);
    assert_eq!(
        rejections(&items),
        ["line 2: Key is missing", "line 3: the number of fields differs from the header"]
    );
}

#[test]
fn rows_may_have_any_order_and_be_repeated() {
    let (one, two) = (row("sleep", NIGHT), row("sleep", NAP));
    let [forth, back] =
        [[one.clone(), two.clone()], [two, one.clone()]].map(|rows| sessions(&records(&rows)));
    assert_eq!((forth.len(), forth[0] == back[1], forth[1] == back[0]), (2, true, true));
    assert_eq!(sessions(&records(&[one.clone(), one])).len(), 2);
}

#[test]
fn a_truncated_table_is_rejected_and_one_without_rows_is_empty() {
    let text = format!("Uid,Sid,Key,Time,Value,UpdateTime\n{}", row("sleep", NIGHT));
    for length in [text.len() - 12, text.len() - 40, 60] {
        let refused = read(&text.as_bytes()[..length], Format::MiFitness, "UTC").unwrap_err();
        assert!(matches!(refused, ImportRefusal::Damaged { .. }), "{length}: {refused}");
    }
    for header in ["Uid,Sid,Key,Time,Value,UpdateTime\n", "\u{feff}Uid,Sid,Tag,Key,Time,Value,UpdateTime\r\n"]
    {
        assert_eq!(read(header.as_bytes(), None, "UTC"), Ok(vec![]));
    }
}

#[test]
fn the_table_of_workouts_is_another() {
    for format in [None, Some(Format::MiFitness)] {
        let refused = read(b"Uid,Sid,Key,Time,Category,Value,UpdateTime\n", format, "UTC").unwrap_err();
        assert!(matches!(&refused, ImportRefusal::HoldsNoSleep(advice) if advice.contains("sport_record")));
    }
}
