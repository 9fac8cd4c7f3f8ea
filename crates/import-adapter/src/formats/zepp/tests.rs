use crate::Format;
use crate::testing::{
    accepted_session, frame, items, metric, notes, only_session, read, rejections, sessions,
};
use application::ports::import_source::{ImportItem, ImportRefusal};
use domain::sleep::{MetricKind, SleepRecord};

const HEADER: &str = "\u{feff}date,deepSleepTime,shallowSleepTime,wakeTime,start,stop,REMTime,naps";
const NIGHT: &str = "2026-03-28,82,251,9,2026-03-27 22:11:00+0000,2026-03-28 05:18:00+0000,85,";

fn zepp(rows: &[&str]) -> Vec<ImportItem> {
    items(&format!("{HEADER}\n{}\n", rows.join("\n")), None, "Europe/Berlin")
}

fn rejection(row: &str) -> String {
    let items = zepp(&[row]);
    assert!(sessions(&items).is_empty());
    rejections(&items).concat()
}

fn seconds(record: &SleepRecord) -> [Option<f64>; 5] {
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
fn a_night_is_read_in_universal_time_with_the_minutes_of_its_columns() {
    let record = only_session(&zepp(&[NIGHT]));
    assert_eq!(frame(&record), "2026-03-27T23:11:00+01:00 2026-03-28T06:18:00+01:00");
    assert_eq!(seconds(&record), [418.0, 9.0, 251.0, 82.0, 85.0].map(Some));
    assert_eq!((record.source().unwrap().as_str(), record.is_nap()), ("zepp", Some(false)));
    assert_eq!(record.key().to_stored(), "derived:2026-03-27T22:11:00.000Z");
    assert!(record.hypnogram().is_empty());
}

#[test]
fn the_offsets_of_a_night_are_those_of_the_zone_at_start_and_end() {
    let row = "2026-03-29,82,251,9,2026-03-28 22:11:00+0000,2026-03-29 05:18:00+0000,85,";
    let record = only_session(&zepp(&[row]));
    assert_eq!(frame(&record), "2026-03-28T23:11:00+01:00 2026-03-29T07:18:00+02:00");
}

#[test]
fn a_written_offset_other_than_zero_applies() {
    let row = NIGHT.replace("22:11:00+0000", "22:11:00+0530").replace("05:18:00+0000", "05:18:00+0530");
    let record = only_session(&zepp(&[&row]));
    assert_eq!(frame(&record), "2026-03-27T22:11:00+05:30 2026-03-28T05:18:00+05:30");
}

#[test]
fn a_day_without_a_night_is_noted() {
    let empty = "2026-03-29,0,0,null,2026-03-28 23:00:00+0000,2026-03-28 23:00:00+0000,0,";
    let items = zepp(&[empty, NIGHT]);
    assert_eq!(notes(&items), ["line 2: no night was recorded for this day"]);
    assert_eq!((sessions(&items).len(), rejections(&items).len()), (1, 0));
}

#[test]
fn naps_are_sessions_however_their_list_is_quoted() {
    let nap = r#"[{"start":"2026-03-28 12:05:00+0000","end":"2026-03-28 12:40:18+0000"}]"#;
    let with_backslashes = format!("\"{}\"", nap.replace('"', "\\\""));
    let doubled = format!("\"{}\"", nap.replace('"', "\"\""));
    for list in [with_backslashes.as_str(), &doubled, nap] {
        let items = zepp(&[&format!("{NIGHT}{list}"), NIGHT]);
        assert_eq!((notes(&items).len(), rejections(&items).len()), (0, 0), "{list}");
        let [night, found, _] = <[SleepRecord; 3]>::try_from(sessions(&items)).unwrap();
        assert_eq!(seconds(&night)[0], Some(418.0));
        assert_eq!(frame(&found), "2026-03-28T13:05:00+01:00 2026-03-28T13:40:18+01:00");
        assert_eq!((found.is_nap(), seconds(&found)), (Some(true), [None; 5]));
    }
}

#[test]
fn each_nap_is_accepted_or_rejected_at_its_place() {
    let list = r#""[{\"start\":\"2026-03-28 12:05:00+0000\",\"end\":\"2026-03-28 12:05:18+0000\"},{\"start\":\"14:00\"},
        {\"start\":\"2026-03-28 15:00:00+0000\",\"end\":\"2026-03-28 14:00:00+0000\"},{\"end\":\"2026-03-28 14:00:00+0000\"}]""#;
    let items = zepp(&[&format!("{NIGHT}{}", list.replace("\n        ", ""))]);
    let places: Vec<_> = items.iter().map(ImportItem::place).collect();
    assert_eq!(places, ["line 2", "line 2, nap 1", "line 2, nap 2", "line 2, nap 3", "line 2, nap 4"]);
    assert_eq!(
        rejections(&items),
        [
            "line 2, nap 2: start is not a date and time with an offset",
            "line 2, nap 3: time in bed: the end is not after the start",
            "line 2, nap 4: start is missing",
        ]
    );
}

#[test]
fn a_night_remains_if_its_naps_are_unreadable() {
    for list in [r#""[{\"start\":]""#, "[1]", "many", r#""[{\"start\":\"2026"#] {
        let items = zepp(&[&format!("{NIGHT}{list}")]);
        assert_eq!(rejections(&items), ["line 2, naps: naps is not a list of naps in JSON"], "{list}");
        assert_eq!(sessions(&items).len(), 1, "{list}");
    }
    for list in ["[]", "\"[]\"", "null", "\"\""] {
        assert_eq!(seconds(&only_session(&zepp(&[&format!("{NIGHT}{list}")])))[0], Some(418.0), "{list}");
    }
}

#[test]
fn a_day_without_a_night_may_have_naps() {
    let empty = "2026-03-29,0,0,0,2026-03-28 23:00:00+0000,2026-03-28 23:00:00+0000,0,\
        [{\"start\":1774785600,\"end\":1774787400}]";
    let items = zepp(&[empty]);
    assert_eq!(frame(&accepted_session(&items)), "2026-03-29T14:00:00+02:00 2026-03-29T14:30:00+02:00");
}

#[test]
fn the_old_table_has_seconds_and_no_rem_sleep() {
    let text = "date,lastSyncTime,deepSleepTime,shallowSleepTime,wakeTime,start,stop\n\
        2019-01-11,1547190000,82,336,9,1547158260,1547183880\n";
    let record = only_session(&items(text, None, "Asia/Kolkata"));
    assert_eq!(frame(&record), "2019-01-11T03:41:00+05:30 2019-01-11T10:48:00+05:30");
    assert_eq!(seconds(&record), [Some(418.0), Some(9.0), Some(336.0), Some(82.0), None]);
    assert_eq!(record.is_nap(), None);
}

#[test]
fn zero_means_unknown_where_a_device_does_not_measure() {
    let rem = NIGHT.replace(",85,", ",0,").replace(",251,", ",336,");
    assert_eq!(
        seconds(&only_session(&zepp(&[&rem]))),
        [Some(418.0), Some(9.0), Some(336.0), Some(82.0), None]
    );
    let awake = NIGHT.replace(",9,", ",0,");
    assert_eq!(seconds(&only_session(&zepp(&[&awake])))[1], None);
    let filled = NIGHT.replace(",9,", ",0,").replace(",251,", ",260,");
    assert_eq!(seconds(&only_session(&zepp(&[&filled])))[1], Some(0.0));
    let none = NIGHT.replace("82,251,9", "0,0,0").replace(",85,", ",0,");
    let items = zepp(&[&none]);
    assert_eq!(seconds(&accepted_session(&items)), [None; 5]);
    assert_eq!(
        notes(&items),
        ["line 2: all totals are 0, which says nothing about the night; they were left out"]
    );
}

#[test]
fn impossible_minutes_are_left_out_and_noted() {
    for (wake, note) in [
        ("1774828800", "totals of more than a day were omitted: 1"),
        ("-9", "totals that are negative or not numbers were left out: 1"),
        ("many", "totals that are negative or not numbers were left out: 1"),
        ("90", "the totals contradict the time in bed and were dropped"),
    ] {
        let items = zepp(&[&NIGHT.replace(",9,", &format!(",{wake},"))]);
        assert_eq!(notes(&items), [format!("line 2: {note}")]);
        assert_eq!(seconds(&accepted_session(&items))[1], None);
    }
}

#[test]
fn rows_may_have_any_order_and_columns_any_place() {
    let other = NIGHT.replace("03-28", "03-27").replace("03-27 22", "03-26 22");
    let [one, two] = [[NIGHT, &other], [&other, NIGHT]].map(|rows| sessions(&zepp(&rows)));
    assert_eq!((one.len(), one[0] == two[1], one[1] == two[0]), (2, true, true));
    let text = "naps,STOP,start,shallowSleepTime,deepSleepTime,date\n\
        \"[{\\\"start\\\":\\\"2026-03-28 12:05:00+0000\\\",\\\"end\\\":\\\"2026-03-28 12:40:00+0000\\\"}]\",\
        2026-03-28 05:18:00+0000,2026-03-27 22:11:00+0000,251,82,2026-03-28\n";
    assert_eq!(sessions(&items(text, None, "UTC")).len(), 2);
}

#[test]
fn an_invalid_row_is_rejected() {
    let at = "2026-03-27 22:11:00+0000";
    for (from, to, reason) in [
        (at, "", "start is missing"),
        (at, "27.03.2026 22:11", "start is not a date and time with an offset"),
        (at, "2026-03-27 22:11:00", "start is not a date and time with an offset"),
        (at, "99999999999999999999", "start is not a date and time with an offset"),
        (at, "2026-03-28 05:18:00+0000", "time in bed: the end is not after the start"),
        (at, "2026-03-28 06:18:00+0000", "time in bed: the end is not after the start"),
        (",85,", ",85", "the number of fields differs from the header"),
    ] {
        assert_eq!(rejection(&NIGHT.replace(from, to)), format!("line 2: {reason}"));
    }
}

#[test]
fn a_truncated_table_is_rejected_and_one_without_rows_is_empty() {
    let text = format!("{HEADER}\n2026-03-28,82,251,9,2026-03-27 22");
    let refused = read(text.as_bytes(), None, "UTC").unwrap_err();
    assert!(matches!(refused, ImportRefusal::Damaged { .. }), "{refused}");
    assert_eq!(read(HEADER.as_bytes(), None, "UTC"), Ok(vec![]));
}

#[test]
fn the_other_tables_of_the_export_are_named() {
    for (header, name) in [
        ("date,time,stage,hr,respiratory_rate", "SLEEP_MINUTE"),
        ("date,start,stop,distance,calories,steps", "ACTIVITY_STAGE"),
        ("date,steps,distance,runDistance,calories", "(ACTIVITY)"),
    ] {
        for format in [None, Some(Format::Zepp)] {
            let refused = read(format!("\u{feff}{header}\n").as_bytes(), format, "UTC").unwrap_err();
            let is_named = matches!(&refused, ImportRefusal::HoldsNoSleep(advice) if advice.contains(name));
            assert!(is_named, "{refused}");
        }
    }
}

#[test]
fn the_other_tables_of_an_unpacked_export_are_skipped() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("SLEEP_1.csv", format!("{HEADER}\n{NIGHT}\n")),
        (
            "SLEEP_MINUTE_1.csv",
            "date,time,stage,hr,respiratory_rate\n2026-03-28,00:10,LIGHT,61,14\n".to_owned(),
        ),
        ("HEARTRATE_AUTO_1.csv", "date,time,heartRate\n2026-03-28,00:10,61\n".to_owned()),
        ("USER_1.csv", "userId,gender\n1,1\n".to_owned()),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let (format, items) = crate::testing::read_path(folder.path(), None, "UTC").unwrap();
    assert_eq!((format, sessions(&items).len(), rejections(&items).len()), ("zepp", 1, 0));
}

#[test]
fn the_time_asleep_of_a_night_with_unreadable_rem_sleep_is_unknown() {
    for rem in ["abc", "-1", "2000"] {
        let items = zepp(&[&NIGHT.replace(",85,", &format!(",{rem},"))]);
        assert_eq!(seconds(&accepted_session(&items))[0], None, "{rem}");
    }
    let without = NIGHT.replace(",85,", ",null,");
    assert_eq!(seconds(&accepted_session(&zepp(&[&without])))[0], Some(333.0));
}
