use crate::Format;
use crate::testing::{
    accepted_session, frame, items, metric, notes, only_session, read, read_path, recognised, rejections,
    sessions, stages,
};
use application::ports::import_source::ImportItem;
use domain::sleep::MetricKind;

const NIGHT: &str = r#"{"fitnessActivity":"sleep","startTime":"2026-03-10T21:30:00Z","endTime":"2026-03-11T05:30:00Z","duration":"28800s",
    "segment":[{"fitnessActivity":"sleep","startTime":"2026-03-10T21:30:00Z","endTime":"2026-03-11T01:00:00Z"},
    {"fitnessActivity":"sleep.awake","startTime":"2026-03-11T01:00:00Z","endTime":"2026-03-11T01:30:00Z"},
    {"fitnessActivity":"sleep","startTime":"2026-03-11T01:30:00Z","endTime":"2026-03-11T05:30:00Z"}]}"#;

fn fit(text: &str) -> Vec<ImportItem> {
    items(text, None, "Europe/Berlin")
}

fn rejection(text: &str) -> String {
    let items = items(text, Format::GoogleFit, "UTC");
    assert!(sessions(&items).is_empty());
    rejections(&items).concat()
}

#[test]
fn a_night_has_its_segments_as_stages_and_the_offsets_of_the_zone() {
    let record = only_session(&fit(NIGHT));
    assert_eq!(frame(&record), "2026-03-10T22:30:00+01:00 2026-03-11T06:30:00+01:00");
    assert_eq!(stages(&record), ["ASLEEP 22:30-02:00", "AWAKE 02:00-02:30", "ASLEEP 02:30-06:30"]);
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(450.0 * 60.0));
    assert_eq!((record.source().unwrap().as_str(), record.is_nap()), ("google fit", None));
    assert_eq!(record.key().to_stored(), "derived:2026-03-10T21:30:00.000Z");
}

#[test]
fn a_night_with_a_clock_change_has_two_offsets() {
    let text = r#"{"fitnessActivity":"sleep","startTime":"2026-03-28T22:00:00.250Z","endTime":"2026-03-29T05:00:00Z"}"#;
    let record = only_session(&fit(text));
    assert_eq!(frame(&record), "2026-03-28T23:00:00.250+01:00 2026-03-29T07:00:00+02:00");
}

#[test]
fn a_session_without_segments_has_only_its_time_in_bed() {
    for segments in ["", r#","segment":[]"#, r#","segment":null"#] {
        let text = format!(
            r#"{{"fitnessActivity":"sleep","startTime":"2026-03-10T12:00:00Z","endTime":"2026-03-10T12:15:00Z","duration":"900s"{segments},
            "aggregate":[{{"metricName":"com.google.calories.expended","floatValue":17.5}}]}}"#
        );
        let record = only_session(&fit(&text));
        assert!(record.hypnogram().is_empty() && record.metrics().are_of_time_in_bed_alone(), "{segments}");
    }
}

#[test]
fn time_between_segments_is_unknown_and_segments_may_lack_an_activity() {
    let text =
        NIGHT.replace(r#""fitnessActivity":"sleep","startTime":"2026-03-1"#, r#""startTime":"2026-03-1"#);
    let text = text.replacen('{', r#"{"fitnessActivity":"sleep","#, 1);
    let without_awake = text.replace("2026-03-11T01:30:00Z\"}", "2026-03-11T01:00:00Z\"}");
    let items = fit(&without_awake);
    let record = accepted_session(&items);
    assert_eq!(stages(&record), ["ASLEEP 22:30-02:00", "ASLEEP 02:30-06:30"]);
    assert_eq!(metric(&record, MetricKind::TimeNightAwake), None);
    let reason = "record 1: segments without a readable start and a later end were omitted: 1";
    assert_eq!(notes(&items), [reason]);
}

#[test]
fn each_activity_of_sleep_is_a_stage_in_any_case_and_another_is_unknown() {
    for (activity, stage) in
        [("sleep.light", "LIGHT"), ("sleep.deep", "DEEP"), ("Sleep.REM", "REM"), ("sleep.awake", "AWAKE")]
    {
        let record = only_session(&fit(&NIGHT.replace("sleep.awake", activity)));
        assert_eq!(stages(&record)[1], format!("{stage} 02:00-02:30"));
    }
    let items = fit(&NIGHT.replace("sleep.awake", "walking"));
    assert_eq!(stages(&accepted_session(&items))[1], "UNKNOWN 02:00-02:30");
    let reason = "record 1: segments with an unknown fitnessActivity were stored as UNKNOWN: 1";
    assert_eq!(notes(&items), [reason]);
}

#[test]
fn segments_are_cut_at_the_session_and_overlaps_are_awake() {
    let items = fit(&NIGHT.replace(r#""2026-03-11T01:30:00Z"}"#, r#""2026-03-11T02:00:00Z"}"#));
    assert_eq!(
        stages(&accepted_session(&items)),
        ["ASLEEP 22:30-02:00", "AWAKE 02:00-03:00", "ASLEEP 03:00-06:30"]
    );
    let long = NIGHT.replacen("05:30:00Z", "01:15:00Z", 1);
    let items = fit(&long);
    assert_eq!(stages(&accepted_session(&items)), ["ASLEEP 22:30-02:00", "AWAKE 02:00-02:15"]);
    assert_eq!(notes(&items), ["record 1: segments outside the session were omitted: 1"]);
}

#[test]
fn segments_without_readable_times_are_omitted_and_noted() {
    for (from, to) in [
        ("2026-03-11T01:30:00Z\"}", "never\"}"),
        (r#""2026-03-11T01:30:00Z"}"#, "7}"),
        ("01:30:00Z\"}", "00:30:00Z\"}"),
    ] {
        let items = fit(&NIGHT.replace(from, to));
        let reason = "record 1: segments without a readable start and a later end were omitted: 1";
        assert_eq!(notes(&items), [reason], "{to}");
        assert_eq!(accepted_session(&items).hypnogram().len(), 2, "{to}");
    }
}

#[test]
fn invalid_sessions_are_rejected_with_their_reason() {
    for (from, to, reason) in [
        ("2026-03-11T05:30:00Z\",\"duration", "2026-03-10T05:30:00Z\",\"duration", "time in bed: "),
        (
            "\"2026-03-10T21:30:00Z\",\"endTime\":\"2026-03-11T05",
            "\"never\",\"endTime\":\"2026-03-11T05",
            "startTime is not a date and time",
        ),
        ("\"endTime\":\"2026-03-11T05:30:00Z\",\"duration\"", "\"duration\"", "endTime is missing"),
        ("\"segment\":[", "\"segment\":[7,", ""),
    ] {
        let found = rejection(&NIGHT.replace(from, to));
        assert!(found.starts_with(&format!("record 1: {reason}")), "{to}: {found}");
    }
    let two = format!("{NIGHT}\n{}", NIGHT.replacen("\"sleep\"", "\"biking\"", 1));
    assert_eq!(rejections(&fit(&two)), ["record 2: fitnessActivity is not sleep"]);
}

#[test]
fn a_truncated_file_is_refused() {
    assert!(read(&NIGHT.as_bytes()[..NIGHT.len() - 3], None, "UTC").is_err());
}

#[test]
fn only_sessions_of_sleep_are_recognised() {
    assert_eq!(recognised(NIGHT), Ok("google-fit"));
    for text in [
        NIGHT.replacen("\"sleep\"", "\"biking\"", 1),
        r#"{"fitnessActivity":"sleep"}"#.to_owned(),
        r#"{"Data Source":"derived:com.google.weight:com.google.android.gms:merge_weight","Data Points":[]}"#
            .to_owned(),
    ] {
        assert!(recognised(&text).is_err(), "{text}");
    }
}

#[test]
fn a_folder_of_an_export_has_its_sessions_and_their_copies_have_the_same_keys() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("2026-03-10T22_30_00+01_00_SLEEP.json", NIGHT);
    write("2026-03-10T22_30_00+01_00_SLEEP(1).json", NIGHT);
    write("2026-03-10T18_00_00+01_00_BIKING.json", &NIGHT.replacen("\"sleep\"", "\"biking\"", 1));
    let (format, items) = read_path(folder.path(), None, "Asia/Tokyo").unwrap();
    let found = sessions(&items);
    assert_eq!((format, found.len(), rejections(&items).len()), ("google-fit", 2, 0));
    assert_eq!(found[0], found[1]);
    assert_eq!(frame(&found[0]), "2026-03-10T22:30:00+01:00 2026-03-11T06:30:00+01:00");
}

#[test]
fn the_name_of_a_file_has_the_offset_of_a_night_in_another_zone() {
    let folder = tempfile::tempdir().unwrap();
    let frame_of = |name: &str, zone: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, NIGHT).unwrap();
        frame(&only_session(&read_path(&path, None, zone).unwrap().1))
    };
    let in_denver = "2026-03-10T15:30:00-06:00 2026-03-10T23:30:00-06:00";
    let name = "2026-03-10T15_30_00-06_00_SLEEP.json";
    assert_eq!(frame_of(name, "Europe/Berlin"), in_denver);
    assert_eq!(frame_of(name, "America/Denver"), in_denver);
    let in_berlin = "2026-03-10T22:30:00+01:00 2026-03-11T06:30:00+01:00";
    for name in ["renamed.json", "2026-03-10T15_31_00-06_00_SLEEP.json"] {
        assert_eq!(frame_of(name, "Europe/Berlin"), in_berlin, "{name}");
    }
}
