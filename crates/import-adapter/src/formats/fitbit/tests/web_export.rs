//! The CSV of the web export.

use super::fitbit;
use crate::Format;
use crate::testing::{accepted_session, frame, metric, notes, rejections, sessions};
use domain::sleep::{MetricKind, SleepRecord};

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

#[test]
fn a_stray_line_between_nights_is_rejected_and_later_nights_are_read() {
    let night =
        |day: u8| format!("2026-01-{day} 11:00PM,2026-01-{} 7:00AM,440,40,3,480,100,300,40\n", day + 1);
    for stray in ["oops", "\"oops\"", "2026-01-11", "Sleep", "oops,2026-01-11", ",,"] {
        let text = format!("{HEADER}{}{stray}\n\n{}{}", night(10), night(11), night(12));
        let items = fitbit(&text, "UTC");
        assert_eq!(rejections(&items), ["line 4: the number of fields differs from the header"], "{stray}");
        assert_eq!((sessions(&items).len(), notes(&items)), (3, Vec::new()), "{stray}");
    }
    let items = fitbit(&format!("{HEADER}{}Foods\n\nBody\nDate,Weight\n2026-01-10,70\n", night(10)), "UTC");
    assert_eq!(rejections(&items), ["line 4: the number of fields differs from the header"]);
    assert_eq!(notes(&items), ["line 6: a section that is not about sleep was skipped"]);
}

#[test]
fn a_stray_line_after_the_last_night_is_rejected() {
    let night = "2026-01-10 11:00PM,2026-01-11 7:00AM,440,40,3,480,100,300,40\n";
    let items = fitbit(&format!("{HEADER}{night}oops\n"), "UTC");
    assert_eq!(rejections(&items), ["line 4: the number of fields differs from the header"]);
    assert_eq!(sessions(&items).len(), 1);
}

#[test]
fn a_second_header_among_nights_names_the_columns_of_those_after_it() {
    let text = format!("{HEADER}End Time,Start Time\n2026-01-11 7:00AM,2026-01-10 11:00PM\n");
    let night = accepted_session(&fitbit(&text, "UTC"));
    assert_eq!(frame(&night), "2026-01-10T23:00:00+00:00 2026-01-11T07:00:00+00:00");
}
