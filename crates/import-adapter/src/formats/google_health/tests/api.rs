//! Answers of the Google Health API.

use super::{
    Format, ImportItem, ImportRefusal, SleepRecord, accepted_session, frame, items, metric, notes, read,
    rejections, sessions, stages,
};
use crate::testing::only_session;
use domain::sleep::MetricKind;

/// A night in which the clocks of central Europe went back, as a reconciled answer with doubled summaries.
pub(super) const NIGHT: &str = r#"{"dataPointName":"users/1000000000000000001/dataTypes/sleep/dataPoints/2000000000000000011",
 "sleep":{"interval":{"startTime":"2026-10-24T21:00:00Z","startUtcOffset":"7200s","endTime":"2026-10-25T05:00:00Z",
  "endUtcOffset":"3600s"},"type":"STAGES","stages":[
  {"startTime":"2026-10-24T21:00:00Z","endTime":"2026-10-24T21:09:00Z","type":"AWAKE"},
  {"startTime":"2026-10-24T21:09:00Z","endTime":"2026-10-24T22:10:30Z","type":"LIGHT"},
  {"startTime":"2026-10-24T22:10:30.000000000Z","endTime":"2026-10-24T23:30:30Z","type":"SLEEP_STAGE_DEEP"},
  {"startTime":"2026-10-24T23:30:30Z","endTime":"2026-10-25T02:40:00Z","type":"LIGHT"},
  {"startTime":"2026-10-25T02:40:00Z","endTime":"2026-10-25T04:30:00Z","type":"REM"},
  {"startTime":"2026-10-25T04:30:00Z","endTime":"2026-10-25T05:00:00Z","type":"AWAKE"}],
  "shortAwakenings":[{"startTime":"2026-10-24T23:50:00Z","endTime":"2026-10-24T23:51:00Z","type":"LIGHT"}],
  "metadata":{"stagesStatus":"SUCCEEDED","processed":true,"mainSleep":true},
  "summary":{"minutesInSleepPeriod":"480","minutesAsleep":"441","minutesAwake":"39","minutesToFallAsleep":"0",
   "stagesSummary":[{"type":"DEEP","minutes":"80"},{"type":"DEEP","minutes":"80"}]}}}"#;

const NAP: &str = r#"{"name":"users/me/dataTypes/sleep/dataPoints/2000000000000000013",
 "dataSource":{"recordingMethod":"DERIVED","device":{"displayName":"Made Up"},"platform":"FITBIT"},
 "sleep":{"interval":{"startTime":"2026-10-25T13:10:30Z","startUtcOffset":"3600s","endTime":"2026-10-25T14:11:30Z",
  "endUtcOffset":"3600s"},"type":"CLASSIC","metadata":{"stagesStatus":"REJECTED_NAP","nap":true},
  "summary":{"minutesAsleep":55,"minutesAwake":6}}}"#;

fn page(points: &[&str]) -> Vec<ImportItem> {
    items(&format!(r#"{{"dataPoints":[{}],"nextPageToken":""}}"#, points.join(",")), None, "Europe/Berlin")
}

#[test]
fn a_night_has_its_stages_without_the_short_awakenings() {
    let night = only_session(&page(&[NIGHT]));
    assert_eq!(frame(&night), "2026-10-24T23:00:00+02:00 2026-10-25T06:00:00+01:00");
    assert_eq!(stages(&night)[2..4], ["DEEP 00:10-01:30", "LIGHT 01:30-04:40"]);
    assert_eq!((night.source().unwrap().as_str(), night.is_nap()), ("fitbit", Some(false)));
    assert_eq!(night.key().to_stored(), "derived:2026-10-24T21:00:00.000Z");
    assert_eq!(metric(&night, MetricKind::TimeNightAsleep), Some(441.0 * 60.0));
    assert_eq!(metric(&night, MetricKind::TimeNightAwake), Some(39.0 * 60.0));
}

#[test]
fn a_nap_without_stages_has_the_totals_of_its_summary() {
    let nap = only_session(&page(&[NAP]));
    assert_eq!((nap.is_nap(), nap.hypnogram().len()), (Some(true), 0));
    assert_eq!(metric(&nap, MetricKind::TimeNightAsleep), Some(3300.0));
    for (flags, expected) in [
        (r#""nap":false"#, Some(false)),
        (r#""mainSleep":false"#, None),
        (r#""main":true"#, Some(false)),
        ("", None),
    ] {
        let text = NAP.replace(r#""stagesStatus":"REJECTED_NAP","nap":true"#, flags);
        assert_eq!(only_session(&page(&[&text])).is_nap(), expected, "{flags}");
    }
}

#[test]
fn pages_lists_and_lines_of_points_are_read() {
    let expected = sessions(&page(&[NIGHT, NAP]));
    let lines = format!("{}\n{}\n", NIGHT.replace('\n', ""), NAP.replace('\n', ""));
    for text in [format!("[{NIGHT},{NAP}]"), lines, format!(r#"{{"dataPoints":[{NIGHT},{NAP}]}}"#)] {
        assert_eq!(sessions(&items(&text, None, "Europe/Berlin")), expected, "{text}");
    }
    assert_eq!(sessions(&items(NAP, None, "Europe/Berlin")), expected[1..]);
    assert_eq!(items(r#"{"dataPoints":[],"nextPageToken":""}"#, None, "UTC"), []);
}

#[test]
fn a_page_that_others_follow_is_noted() {
    let text = format!(r#"{{"dataPoints":[{NAP}],"nextPageToken":"abc"}}"#);
    let found = items(&text, None, "UTC");
    assert_eq!(notes(&found), ["record 1: this answer is followed by further pages; import them as well"]);
    assert_eq!(sessions(&found).len(), 1);
}

#[test]
fn points_of_other_writers_have_their_source_and_their_id() {
    let writer = r#""platform":"HEALTH_CONNECT","application":{"packageName":"org.example.sleep"}"#;
    let other = NAP.replace(r#""platform":"FITBIT""#, writer);
    let found = sessions(&page(&[NAP, &other]));
    let of_all =
        found.iter().map(|one: &SleepRecord| (one.key().to_stored(), one.source().unwrap().as_str()));
    assert_eq!(
        of_all.collect::<Vec<_>>(),
        [
            ("derived:2026-10-25T13:10:30.000Z".to_owned(), "fitbit"),
            ("given:2000000000000000013".to_owned(), "org.example.sleep")
        ]
    );
}

#[test]
fn a_point_without_a_package_has_the_platform_as_its_source() {
    let found = page(&[&NAP.replace("FITBIT", "GOOGLE_WEB_API")]);
    assert_eq!(only_session(&found).source().unwrap().as_str(), "google web api");
    let found = page(&[&NAP.replace("FITBIT", " ")]);
    assert_eq!(only_session(&found).source().unwrap().as_str(), "fitbit");
}

#[test]
fn a_point_without_offsets_has_those_of_the_zone() {
    let text =
        NAP.replace(r#""startUtcOffset":"3600s","#, "").replace(r#""endUtcOffset":"3600s""#, r#""x":1"#);
    assert_eq!(frame(&only_session(&page(&[&text]))), "2026-10-25T14:10:30+01:00 2026-10-25T15:11:30+01:00");
    let text = NAP.replace("3600s", "-12600.0s");
    assert_eq!(frame(&only_session(&page(&[&text]))), "2026-10-25T09:40:30-03:30 2026-10-25T10:41:30-03:30");
}

#[test]
fn unreadable_and_unknown_stages_are_noted() {
    let text =
        NIGHT.replacen("2026-10-24T21:09:00Z", "later", 1).replacen(r#""REM""#, r#""DOZING""#, 1).replacen(
            r#""endTime":"2026-10-25T05:00:00Z","type""#,
            r#""endTime":"2026-10-25T05:01:00Z","type""#,
            1,
        );
    let found = page(&[&text]);
    assert_eq!(accepted_session(&found).hypnogram().len(), 5);
    assert_eq!(
        notes(&found),
        [
            "record 1: stages whose times are unreadable or not in order were omitted: 1",
            "record 1: stages with an unknown type were stored as UNKNOWN: 1",
            "record 1: stages that extend beyond the time in bed were trimmed: 1",
            "record 1: the stages cover less than 90 percent of the log; its own totals were kept"
        ]
    );
}

#[test]
fn an_invalid_point_is_rejected_and_the_others_are_read() {
    for (part, other, reason) in [
        (r#","endTime":"2026-10-25T14:11:30Z""#, "", "endTime is missing; the sleep was not over"),
        (r#""startTime":"2026-10-25T13:10:30Z","#, "", "startTime is missing"),
        ("2026-10-25T13:10:30Z", "yesterday", "startTime is not a time in UTC"),
        ("2026-10-25T14:11:30Z", "2026-10-25T13:10:30Z", "time in bed: the end is not after the start"),
        (
            r#""startUtcOffset":"3600s""#,
            r#""startUtcOffset":"1h""#,
            "startUtcOffset is not an offset such as 7200s",
        ),
        (
            r#""endUtcOffset":"3600s""#,
            r#""endUtcOffset":3600"#,
            "endUtcOffset is not an offset such as 7200s",
        ),
        (r#""interval":"#, r#""duration":"#, "interval is missing"),
        (
            r#""summary":{"#,
            r#""stages":{"x":1},"summary":{"#,
            "a member has the wrong type, expected a list, at line 3, column 87 of the record",
        ),
    ] {
        let found = page(&[NIGHT, &NAP.replace(part, other)]);
        let rejected = rejections(&found).concat();
        let (expected, is_exact) =
            reason.split_once(", at ").map_or((reason, true), |(reason, _)| (reason, false));
        assert!(rejected.starts_with(&format!("record 2: {expected}")), "{rejected}");
        assert!(!is_exact || rejected.ends_with(expected), "{rejected}");
        assert_eq!(sessions(&found).len(), 1);
    }
}

#[test]
fn points_of_other_types_are_skipped_or_refused_with_advice() {
    let steps = r#"{"name":"users/me/dataTypes/steps/dataPoints/4","steps":{"count":"7"}}"#;
    let found = page(&[steps, NAP, steps]);
    assert_eq!(notes(&found), ["record 1: data points of other types than sleep were skipped: 2"]);
    assert_eq!(sessions(&found).len(), 1);
    let text = format!(r#"{{"dataPoints":[{steps}]}}"#);
    for format in [None, Some(Format::GoogleHealth)] {
        let refused = read(text.as_bytes(), format, "UTC").unwrap_err();
        assert!(matches!(refused, ImportRefusal::HoldsNoSleep(_)), "{refused}");
    }
    let refused = read(br#"{"dataPoints":[{"value":1}]}"#, None, "UTC").unwrap_err();
    assert!(matches!(refused, ImportRefusal::NotThisFormat(_)), "{refused}");
}
