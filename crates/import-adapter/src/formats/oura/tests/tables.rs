use crate::Format;
use crate::testing::{
    frame, items, metric, notes, only_session, read, recognised, rejections, sessions, stages,
};
use application::ports::import_source::{ImportItem, ImportRefusal};
use domain::sleep::{MetricKind, SleepRecord};

const MODEL: &str = "id;average_breath;average_heart_rate;average_hrv;awake_time;bedtime_end;bedtime_start;day;\
    deep_sleep_duration;efficiency;heart_rate;latency;light_sleep_duration;lowest_heart_rate;period;\
    rem_sleep_duration;restless_periods;sleep_phase_5_min;time_in_bed;total_sleep_duration;type";
const NIGHT: &str = "aaaa0001;13.9;55.2;61;600;2026-03-28T01:40:00.000+01:00;2026-03-28T00:40:00.000+01:00;\
    2026-03-28;900;83;\"{\"\"interval\"\": 300, \"\"items\"\": [60, null, 58]}\";300;1500;50;0;600;12;422211122334;\
    3600;3000;long_sleep";
const NAP: &str = "aaaa0002;14.1;;;300;2026-03-28T14:30:00+01:00;2026-03-28T14:00:00+01:00;2026-03-28;0;83;;120;\
    1500;;1;0;4;422222;1800;1500;late_nap";
const REST: &str = "aaaa0003;;;;1800;2026-03-28T20:30:00+01:00;2026-03-28T20:00:00+01:00;2026-03-28;0;0;{};0;0;;2;0;\
    0;444444;1800;0;rest";
const DELETED: &str = "aaaa0004;0;0;0;0;2026-03-29T03:00:00+02:00;2026-03-29T00:30:00+01:00;2026-03-29;0;0;;0;0;0;0;\
    0;0;;0;0;deleted";
/// Columns that suffice.
const SHORT: &str = "id;bedtime_end;bedtime_start;sleep_phase_5_min;total_sleep_duration;type";

fn model(rows: &[&str]) -> String {
    format!("{MODEL}\r\n{}\r\n", rows.join("\r\n"))
}

fn short(row: &str) -> Vec<ImportItem> {
    items(&format!("{SHORT}\n{row}\n"), None, "Europe/Berlin")
}

const TRENDS: &str = "date,Sleep Score,Total Sleep Duration,Total Bedtime,Awake Time,REM Sleep Duration,\
    Light Sleep Duration,Deep Sleep Duration,Sleep Efficiency,Sleep Latency,Sleep Timing,Sleep Timing,Bedtime Start,\
    Bedtime End,Average HRV";
const DAY: &str = "2026-03-01,81,25200,27000,1800,5400,14400,5400,93,420,12600,,2026-02-28T23:05:30+01:00,\
    2026-03-01T06:35:30+01:00,58";

fn trends(rows: &[&str]) -> Result<Vec<ImportItem>, ImportRefusal> {
    read(format!("{TRENDS}\n{}\n", rows.join("\n")).as_bytes(), None, "UTC")
}

#[test]
fn a_row_is_the_document_of_the_api() {
    let found = items(&model(&[NIGHT, NAP, REST, DELETED]), None, "UTC");
    let [night, nap] = <[SleepRecord; 2]>::try_from(sessions(&found)).unwrap();
    assert_eq!(frame(&night), "2026-03-28T00:40:00+01:00 2026-03-28T01:40:00+01:00");
    assert_eq!(
        stages(&night),
        [
            "AWAKE 00:40-00:45",
            "LIGHT 00:45-01:00",
            "DEEP 01:00-01:15",
            "LIGHT 01:15-01:25",
            "REM 01:25-01:35",
            "AWAKE 01:35-01:40",
        ]
    );
    assert_eq!((night.is_nap(), nap.is_nap()), (Some(false), Some(true)));
    assert_eq!(night.key().to_stored(), "given:aaaa0001");
    assert_eq!(night.source().unwrap().as_str(), "oura");
    assert_eq!(
        notes(&found),
        [
            "line 4: it is rest, not sleep, and was left out",
            "line 5: it was deleted in Oura's app and was left out",
        ]
    );
    let document = r#"{"data":[{"id":"aaaa0001","type":"long_sleep","bedtime_start":"2026-03-28T00:40:00.000+01:00",
        "bedtime_end":"2026-03-28T01:40:00.000+01:00","sleep_phase_5_min":"422211122334","awake_time":600,
        "total_sleep_duration":3000,"deep_sleep_duration":900,"light_sleep_duration":1500,"rem_sleep_duration":600,
        "latency":300}],"next_token":null}"#;
    assert_eq!(only_session(&items(document, None, "UTC")), night);
}

#[test]
fn the_table_may_have_commas_a_byte_order_mark_or_quoted_lines() {
    let expected = items(&model(&[NIGHT, NAP]), None, "UTC");
    let quoted = |line: &str| format!("\"{}\"", line.replace('"', "\"\""));
    let commas = model(&[NIGHT, NAP]).replace(", ", " ").replace(';', ",");
    let commas =
        commas.replace("\"\"interval\"\": 300 \"\"items\"\": [60 null 58]", "\"\"items\"\": [60, null]");
    for text in [
        model(&[NIGHT, NAP]).replace('\r', ""),
        format!("\u{feff}{}", model(&[NIGHT, NAP])),
        format!("{}\n{}\n{}\n", quoted(MODEL), quoted(NIGHT), quoted(NAP)),
        format!("{MODEL}\n{}\n{NAP}\n", quoted(NIGHT)),
        model(&[NIGHT, NAP]).replace("\"{", "{").replace("}\"", "}").replace("\"\"", "\""),
        commas,
    ] {
        assert_eq!(items(&text, None, "UTC"), expected, "{text}");
    }
}

#[test]
fn totals_without_phases_are_those_of_the_columns() {
    let row = NIGHT.replace("422211122334", "");
    let record = only_session(&items(&model(&[&row]).replace(";3000;", ";3000.0;"), None, "UTC"));
    for (kind, expected) in [
        (MetricKind::TimeNightAsleep, 3000.0),
        (MetricKind::TimeNightAwake, 600.0),
        (MetricKind::TimeNightLight, 1500.0),
        (MetricKind::TimeNightDeep, 900.0),
        (MetricKind::TimeNightRem, 600.0),
        (MetricKind::SleepLatency, 300.0),
    ] {
        assert_eq!(metric(&record, kind), Some(expected), "{kind:?}");
    }
}

#[test]
fn phases_that_a_spreadsheet_made_a_number_are_left_out() {
    let found = short("a;2026-03-28T08:00:00Z;2026-03-28T00:00:00Z;4.42211E+30;25200;long_sleep");
    assert!(sessions(&found)[0].hypnogram().is_empty());
    assert_eq!(notes(&found), ["line 2: sleep_phase_5_min is not a string and was left out"]);
}

#[test]
fn words_for_no_value_are_absent() {
    for word in ["", "null", "nan", "NaN"] {
        let found = short(&format!(
            "{word};2026-03-28T08:00:00+01:00;2026-03-28T00:00:00+01:00;{word};{word};{word}"
        ));
        let record = only_session(&found);
        assert_eq!(record.key().to_stored(), "derived:2026-03-27T23:00:00.000Z");
        assert_eq!((record.is_nap(), metric(&record, MetricKind::TimeNightAsleep)), (None, None));
    }
}

#[test]
fn an_invalid_row_is_rejected_and_the_others_imported() {
    for (row, reason) in [
        (
            "b;2026-03-28T00:00:00Z;2026-03-28T00:00:00Z;;;sleep",
            "time in bed: the end is not after the start",
        ),
        (
            "b;2026-03-27T00:00:00Z;2026-03-28T00:00:00Z;;;sleep",
            "time in bed: the end is not after the start",
        ),
        ("b;;2026-03-28T00:00:00Z;;;sleep", "bedtime_end is missing"),
        ("b;2026-03-28T00:00:00Z;28.03.2026;;;sleep", "bedtime_start is not a date and time"),
        ("2026-03-28T00:00:00Z;2026-03-28T00:00:00Z;;;sleep", "the number of fields differs from the header"),
    ] {
        let found = short(&format!("{row}\na;2026-03-28T08:00:00Z;2026-03-28T00:00:00Z;;;sleep"));
        assert_eq!(rejections(&found), [format!("line 2: {reason}")]);
        assert_eq!(sessions(&found).len(), 1);
    }
}

#[test]
fn rows_of_one_day_are_each_a_session_in_any_order_and_zone() {
    let rows = "b;2026-03-28T15:00:00-05:00;2026-03-28T14:00:00-05:00;;;sleep\n\
        a;2026-03-28T08:00:00+01:00;2026-03-28T00:00:00+01:00;;;long_sleep";
    let frames: Vec<_> = sessions(&short(rows)).iter().map(frame).collect();
    let expected = [
        "2026-03-28T14:00:00-05:00 2026-03-28T15:00:00-05:00",
        "2026-03-28T00:00:00+01:00 2026-03-28T08:00:00+01:00",
    ];
    assert_eq!(frames, expected);
}

#[test]
fn a_day_of_trends_is_its_main_night() {
    let record = only_session(&trends(&[DAY, "2026-03-02,,,,,,,,,,,,,,"]).unwrap());
    assert_eq!(frame(&record), "2026-02-28T23:05:30+01:00 2026-03-01T06:35:30+01:00");
    assert_eq!(record.key().to_stored(), "derived:2026-02-28T22:05:30.000Z");
    assert_eq!(record.is_nap(), Some(false));
    for (kind, expected) in [
        (MetricKind::TimeNightAsleep, 25_200.0),
        (MetricKind::TimeNightAwake, 1800.0),
        (MetricKind::TimeNightRem, 5400.0),
        (MetricKind::SleepLatency, 420.0),
    ] {
        assert_eq!(metric(&record, kind), Some(expected), "{kind:?}");
    }
    let older = TRENDS.replace("Sleep Duration", "Sleep Time");
    assert_eq!(only_session(&items(&format!("{older}\n{DAY}\n"), None, "UTC")), record);
}

#[test]
fn a_day_of_trends_without_times_is_rejected() {
    let found = trends(&["2026-03-03,75,23400,25200,1800,4800,14100,4500,93,600,,,,,52", DAY]).unwrap();
    let reason = "Bedtime Start or Bedtime End is missing; import sleepmodel.csv of the account's export";
    assert_eq!(rejections(&found), [format!("line 2: {reason}")]);
    assert_eq!(sessions(&found).len(), 1);
    let found = trends(&[&DAY.replace("2026-02-28T23:05:30+01:00", "yesterday")]).unwrap();
    assert_eq!(rejections(&found), ["line 2: Bedtime Start is not a date and time"]);
    let refused = trends(&["2026-03-02,,,,,,,,,,,,,,"]).unwrap_err();
    assert!(matches!(refused, ImportRefusal::HoldsNoSleep(_)), "{refused}");
}

#[test]
fn tables_without_sessions_are_refused_with_advice() {
    for header in [
        "id;contributors;day;score;timestamp",
        "id;day;optimal_bedtime;recommendation;status",
        "id;class_5_min;day;score",
        "id;day;end_datetime;heart_rate;mood;start_datetime;type",
        "date,Sleep Score,Total Sleep Duration",
        "date,Sleep Score,Total Sleep Time",
    ] {
        let refused = read(format!("{header}\n").as_bytes(), None, "UTC").unwrap_err();
        let is_advice =
            matches!(&refused, ImportRefusal::HoldsNoSleep(text) if text.contains("sleepmodel.csv"));
        assert!(is_advice, "{header}: {refused}");
    }
}

#[test]
fn a_table_with_its_header_only_has_no_sessions() {
    for header in [MODEL, SHORT, TRENDS] {
        assert_eq!(recognised(&format!("{header}\n")), Ok("oura"));
        assert_eq!(items(&format!("{header}\n"), None, "UTC"), []);
    }
}

#[test]
fn a_table_truncated_in_a_row_is_rejected() {
    for text in [format!("{MODEL}\n{}", NIGHT.split_at(90).0), format!("{TRENDS}\n{}", DAY.split_at(50).0)] {
        let refused = read(text.as_bytes(), Format::Oura, "UTC").unwrap_err();
        assert!(matches!(refused, ImportRefusal::Damaged { .. }), "{refused}");
    }
}
