use crate::Format;
use crate::testing::{
    accepted_session, frame, metric, notes, only_session, read, read_path, rejections, sessions, stages,
};
use application::ports::import_source::{ImportItem, ImportRefusal};
use domain::sleep::{MetricKind, SleepRecord, SleepSource};

const APP: &str = "com.sec.android.app.shealth";
const TITLE: &str = "com.samsung.shealth.sleep,7006011,11\n";
const HEADER: &str = "combined_id,sleep_type,sleep_latency,efficiency,sleep_score,sleep_duration,total_rem_duration,\
    total_light_duration,com.samsung.health.sleep.start_time,com.samsung.health.sleep.update_time,\
    com.samsung.health.sleep.create_time,com.samsung.health.sleep.time_offset,com.samsung.health.sleep.deviceuuid,\
    com.samsung.health.sleep.pkg_name,com.samsung.health.sleep.end_time,com.samsung.health.sleep.datauuid\n";
const STAGE_TITLE: &str = "com.samsung.health.sleep_stage,7006011,7\n";
const STAGE_HEADER: &str = "create_sh_ver,start_time,sleep_id,custom,modify_sh_ver,update_time,create_time,stage,\
    time_offset,deviceuuid,pkg_name,end_time,datauuid\n";
const COMBINED: &str = "com.samsung.shealth.sleep_combined,7006011,9\n\
    start_time,time_offset,efficiency,sleep_score,pkg_name,sleep_duration,end_time,datauuid,update_time\n";

/// A row of the table of sleep; `start` and `end` are in UTC.
struct Row<'a> {
    id: &'a str,
    start: &'a str,
    end: &'a str,
    group: &'a str,
    sums: &'a str,
    updated: &'a str,
    offset: &'a str,
    package: &'a str,
}

const NIGHT: Row<'static> = Row {
    id: "n1",
    start: "2026-10-01 21:30:00.000",
    end: "2026-10-02 04:30:00.000",
    group: "",
    sums: "600000,91.0,78,420,90,240",
    updated: "2026-10-02 04:41:10.120",
    offset: "UTC+0200",
    package: APP,
};

impl Row<'_> {
    fn text(&self) -> String {
        let Self { id, start, end, group, sums, updated, offset, package } = self;
        format!("{group},-1,{sums},{start},{updated},{updated},{offset},aB3,{package},{end},{id},\n")
    }
}

fn sleep(rows: &[Row<'_>]) -> String {
    format!("{TITLE}{HEADER}{}", rows.iter().map(Row::text).collect::<String>())
}

fn stage(session: &str, code: &str, start: &str, end: &str) -> String {
    format!(",{start},{session},,,{end},{end},{code},UTC+0200,aB3,{APP},{end},s,\n")
}

fn stage_table(rows: &[String]) -> String {
    format!("{STAGE_TITLE}{STAGE_HEADER}{}", rows.concat())
}

/// Stages of the night, the first two in the wrong order.
fn stages_of_night() -> String {
    stage_table(&[
        stage("n1", "40002", "2026-10-01 21:45:00.000", "2026-10-02 01:45:00.000"),
        stage("n1", "40001", "2026-10-01 21:30:00.000", "2026-10-01 21:45:00.000"),
        stage("n1", "40003", "2026-10-02 01:45:00.000", "2026-10-02 03:00:00.000"),
        stage("n1", "40004", "2026-10-02 03:00:00.000", "2026-10-02 04:30:00.000"),
    ])
}

fn read_files(texts: &[&str]) -> Vec<ImportItem> {
    let folder = tempfile::tempdir().unwrap();
    for (number, text) in texts.iter().enumerate() {
        std::fs::write(folder.path().join(format!("{number}.csv")), text).unwrap();
    }
    read_path(folder.path(), None, "America/New_York").unwrap().1
}

fn read_text(text: &str) -> Vec<ImportItem> {
    read(text.as_bytes(), None, "America/New_York").unwrap()
}

fn source(record: &SleepRecord) -> &str {
    record.source().map(SleepSource::as_str).unwrap()
}

#[test]
fn a_night_has_utc_times_shown_in_its_offset_and_its_stages() {
    for [first, second] in [[0, 1], [1, 0]] {
        let texts = [sleep(&[NIGHT]), stages_of_night()];
        let record = only_session(&read_files(&[&texts[first], &texts[second]]));
        assert_eq!(frame(&record), "2026-10-01T23:30:00+02:00 2026-10-02T06:30:00+02:00");
        assert_eq!(
            stages(&record),
            ["AWAKE 23:30-23:45", "LIGHT 23:45-03:45", "DEEP 03:45-05:00", "REM 05:00-06:30"]
        );
        assert_eq!((source(&record), record.is_nap()), ("samsung health", None));
        assert_eq!(record.key().to_stored(), "derived:2026-10-01T21:30:00.000Z");
        assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(405.0 * 60.0));
    }
}

#[test]
fn the_columns_without_a_table_in_front_or_in_capitals_are_the_same() {
    let expected = accepted_session(&read_text(&sleep(&[NIGHT])));
    for text in [
        sleep(&[NIGHT]).replace("com.samsung.health.sleep.", ""),
        sleep(&[NIGHT]).replace("com.samsung.health.sleep.", "com.samsung.shealth.sleep."),
        sleep(&[NIGHT]).replace("\ncombined_id", "\n\u{feff}combined_id"),
        sleep(&[NIGHT]).replace("datauuid\n", "datauuid,\n"),
        sleep(&[NIGHT]).replace('\n', "\r\n"),
        sleep(&[NIGHT]).replace(",\n", "\n"),
        sleep(&[NIGHT]).replace("com.samsung.shealth.sleep,7006011,11", "com.samsung.health.sleep,7006011"),
        format!("\u{feff}{}", sleep(&[NIGHT])),
    ] {
        assert_eq!(accepted_session(&read_text(&text)), expected, "{text}");
    }
}

#[test]
fn a_night_without_stages_has_its_totals_and_a_note() {
    let items = read_text(&sleep(&[NIGHT]));
    let record = accepted_session(&items);
    for (kind, seconds) in [
        (MetricKind::TimeNightLight, 14_400.0),
        (MetricKind::TimeNightRem, 5400.0),
        (MetricKind::SleepLatency, 600.0),
    ] {
        assert_eq!(metric(&record, kind), Some(seconds), "{kind:?}");
    }
    assert_eq!(metric(&record, MetricKind::TimeNightDeep), None);
    assert_eq!(
        notes(&items),
        [
            "line 3: the nights have no stages; import the file com.samsung.health.sleep_stage of the same export \
            together with this one, or the whole zip"
        ]
    );
}

#[test]
fn unknown_sums_are_absent() {
    for sums in [",,,,,", "-1,0.0,,,,", "-1,0.0,0,,,"] {
        let record = accepted_session(&read_text(&sleep(&[Row { sums, ..NIGHT }])));
        assert!(record.metrics().are_of_time_in_bed_alone(), "{sums}");
    }
    let items = read_text(&sleep(&[Row { sums: "9,91.0,78,420,many,-5", ..NIGHT }]));
    assert_eq!(
        notes(&items)[1..],
        [
            "line 3: a sleep_latency below one second, which is not in milliseconds, was omitted",
            "line 3: totals that are negative or not numbers were left out: 2"
        ]
    );
}

/// The columns of an export of 2026.
const ALL_COLUMNS: &str = "total_sleep_time_weight,original_efficiency,mental_recovery,wake_score,factor_01,factor_02,\
    factor_03,factor_04,factor_05,factor_06,factor_07,factor_08,factor_09,factor_10,deep_score,\
    integrated_id,latency_weight,has_sleep_data,bedtime_detection_delay,sleep_efficiency_with_latency,\
    wakeup_time_detection_delay,total_rem_duration,combined_id,nap_score,sleep_type,sleep_latency,\
    data_version,latency_score,deep_weight,rem_weight,physical_recovery,original_wake_up_time,\
    movement_awakening,is_integrated,original_bed_time,goal_bed_time,quality,extra_data,wake_weight,\
    rem_score,goal_wake_up_time,sleep_cycle,total_light_duration,efficiency,sleep_score,\
    sleep_duration,stage_analyzed_type,total_sleep_time_score,com.samsung.health.sleep.create_sh_ver,\
    com.samsung.health.sleep.start_time,com.samsung.health.sleep.custom,\
    com.samsung.health.sleep.modify_sh_ver,com.samsung.health.sleep.update_time,\
    com.samsung.health.sleep.create_time,com.samsung.health.sleep.client_data_id,\
    com.samsung.health.sleep.client_data_ver,com.samsung.health.sleep.time_offset,\
    com.samsung.health.sleep.deviceuuid,com.samsung.health.sleep.comment,\
    com.samsung.health.sleep.pkg_name,com.samsung.health.sleep.end_time,\
    com.samsung.health.sleep.datauuid";

#[test]
fn a_row_of_all_columns_is_read_by_their_names() {
    let value = |column: &str| match column.rsplit('.').next() {
        Some("start_time") => NIGHT.start,
        Some("end_time") => NIGHT.end,
        Some("time_offset") => NIGHT.offset,
        Some("datauuid") => NIGHT.id,
        Some("pkg_name") => NIGHT.package,
        Some("total_light_duration") => "240",
        Some("total_rem_duration") => "90",
        Some("sleep_latency") => "600000",
        _ => "",
    };
    let row = ALL_COLUMNS.split(',').map(value).collect::<Vec<_>>().join(",");
    let items = read_text(&format!("{TITLE}{ALL_COLUMNS}\n{row},\n"));
    assert_eq!(accepted_session(&items), accepted_session(&read_text(&sleep(&[NIGHT]))));
}

#[test]
fn times_may_have_other_forms() {
    let expected = frame(&accepted_session(&read_text(&sleep(&[NIGHT]))));
    for (start, end, offset) in [
        ("2026-10-01 21:30:00", "2026-10-02 04:30", "UTC+02:00"),
        ("1790890200000", "1790915400000", "7200000"),
    ] {
        let items = read_text(&sleep(&[Row { start, end, offset, ..NIGHT }]));
        assert_eq!(frame(&accepted_session(&items)), expected);
    }
    let items = read_text(&sleep(&[Row { offset: "-18000000", ..NIGHT }]));
    assert!(frame(&accepted_session(&items)).starts_with("2026-10-01T16:30:00-05:00"));
}

#[test]
fn the_offset_of_a_row_applies_to_both_ends_of_a_night_of_a_clock_change() {
    let row = Row { start: "2026-10-24 21:00:00.000", end: "2026-10-25 05:00:00.000", ..NIGHT };
    let record = accepted_session(&read_text(&sleep(&[row])));
    assert_eq!(frame(&record), "2026-10-24T23:00:00+02:00 2026-10-25T07:00:00+02:00");
}

#[test]
fn a_row_without_an_offset_has_that_of_the_given_zone() {
    let items = read_text(&sleep(&[Row { offset: "", ..NIGHT }]));
    assert_eq!(frame(&accepted_session(&items)), "2026-10-01T17:30:00-04:00 2026-10-02T00:30:00-04:00");
    assert!(notes(&items).concat().contains("time_offset is missing"));
}

#[test]
fn rows_with_different_offsets_each_have_their_own() {
    let other = Row {
        id: "n2",
        start: "2026-10-03 21:30:00.000",
        end: "2026-10-04 04:30:00.000",
        offset: "UTC+0530",
        ..NIGHT
    };
    let frames: Vec<_> = sessions(&read_text(&sleep(&[NIGHT, other]))).iter().map(frame).collect();
    assert!(frames[0].contains("+02:00") && frames[1].contains("+05:30"), "{frames:?}");
}

const PART: Row<'static> = Row {
    id: "p1",
    start: "2026-10-02 21:00:00.000",
    end: "2026-10-02 23:30:00.000",
    group: "g",
    sums: "-1,0.0,,150,0,150",
    ..NIGHT
};
const NEXT_PART: Row<'static> = Row {
    id: "p2",
    start: "2026-10-03 00:15:00.000",
    end: "2026-10-03 04:15:00.000",
    group: "g",
    sums: "-1,0.0,,240,240,0",
    ..NIGHT
};

fn combined(id: &str, start: &str, end: &str) -> String {
    format!("{start},UTC+0200,88.0,70,{APP},390,{end},{id},2026-10-03 05:10:00.000,\n")
}

fn stages_of_parts() -> String {
    stage_table(&[
        stage("p2", "40004", "2026-10-03 00:15:00.000", "2026-10-03 04:15:00.000"),
        stage("p1", "40002", "2026-10-02 21:00:00.000", "2026-10-02 23:30:00.000"),
    ])
}

#[test]
fn the_parts_of_a_combined_night_are_one_session_with_a_gap() {
    let whole = format!("{COMBINED}{}", combined("g", "2026-10-02 21:00:00.000", "2026-10-03 04:15:00.000"));
    for texts in [
        vec![sleep(&[PART, NEXT_PART]), stages_of_parts(), whole.clone()],
        vec![whole.clone(), stages_of_parts(), sleep(&[NEXT_PART, PART])],
        vec![sleep(&[PART, NEXT_PART]), stages_of_parts()],
    ] {
        let texts: Vec<_> = texts.iter().map(String::as_str).collect();
        let items = read_files(&texts);
        let record = accepted_session(&items);
        assert_eq!(frame(&record), "2026-10-02T23:00:00+02:00 2026-10-03T06:15:00+02:00");
        assert_eq!(stages(&record), ["LIGHT 23:00-01:30", "REM 02:15-06:15"]);
        let [note] = <[String; 1]>::try_from(notes(&items)).unwrap();
        assert!(
            note.ends_with("rows that are parts of a night, which the app combined, were joined: 2"),
            "{note}"
        );
    }
}

#[test]
fn a_combined_night_has_the_sums_of_its_parts_and_the_bounds_of_its_row() {
    let whole = format!("{COMBINED}{}", combined("g", "2026-10-02 20:50:00.000", "2026-10-03 04:20:00.000"));
    let record = accepted_session(&read_files(&[&sleep(&[PART, NEXT_PART]), &whole]));
    assert_eq!(frame(&record), "2026-10-02T22:50:00+02:00 2026-10-03T06:20:00+02:00");
    assert_eq!(metric(&record, MetricKind::TimeNightLight), Some(9000.0));
    assert_eq!(metric(&record, MetricKind::TimeNightRem), Some(14_400.0));
}

#[test]
fn a_combined_night_without_parts_is_a_session_unless_another_overlaps_it() {
    let rows = [
        combined("g1", "2026-10-01 21:40:00.000", "2026-10-02 04:20:00.000"),
        combined("g2", "2026-10-05 21:40:00.000", "2026-10-06 04:20:00.000"),
    ];
    let table = format!("{COMBINED}{}", rows.concat());
    let items = read_files(&[&sleep(&[NIGHT]), &stages_of_night(), &table]);
    let frames: Vec<_> = sessions(&items).iter().map(frame).collect();
    assert_eq!(
        frames,
        [
            "2026-10-01T23:30:00+02:00 2026-10-02T06:30:00+02:00",
            "2026-10-05T23:40:00+02:00 2026-10-06T06:20:00+02:00"
        ]
    );
    assert_eq!(
        notes(&items),
        ["2.csv: line 3: combined nights that the table of sleep contains as well were read from there: 1"]
    );
    assert_eq!(sessions(&read_text(&table)).len(), 2);
}

#[test]
fn a_combined_night_at_another_time_than_its_parts_is_not_theirs() {
    let table = format!("{COMBINED}{}", combined("g", "2026-10-01 21:40:00.000", "2026-10-02 04:20:00.000"));
    let items = read_files(&[&sleep(&[NIGHT, PART, NEXT_PART]), &table]);
    let mut frames: Vec<_> = sessions(&items).iter().map(frame).collect();
    frames.sort();
    assert_eq!(
        frames,
        [
            "2026-10-01T23:30:00+02:00 2026-10-02T06:30:00+02:00",
            "2026-10-02T23:00:00+02:00 2026-10-03T06:15:00+02:00"
        ]
    );
    assert!(notes(&items).concat().contains("were read from there: 1"), "{:?}", notes(&items));
}

#[test]
fn parts_that_cannot_be_one_night_stay_sessions() {
    let far = Row { start: "2026-11-03 00:15:00.000", end: "2026-11-03 04:15:00.000", ..NEXT_PART };
    let other = Row { package: "org.example.sleep", ..NEXT_PART };
    for part in [far, other] {
        assert_eq!(sessions(&read_text(&sleep(&[PART, part]))).len(), 2);
    }
}

#[test]
fn a_repeated_row_is_read_once_in_its_latest_state() {
    let later = Row { end: "2026-10-02 05:00:00.000", updated: "2026-10-03 04:41:10.120", ..NIGHT };
    for rows in [
        [NIGHT, later],
        [Row { end: "2026-10-02 05:00:00.000", updated: "2026-10-03 04:41:10.120", ..NIGHT }, NIGHT],
    ] {
        let items = read_text(&sleep(&rows));
        assert!(frame(&accepted_session(&items)).ends_with("2026-10-02T07:00:00+02:00"));
        assert!(notes(&items).concat().contains("more than once were read once: 1"), "{:?}", notes(&items));
    }
    let text = sleep(&[NIGHT]);
    let items = read_files(&[&text, &stages_of_night(), &text, &stages_of_night()]);
    assert_eq!(stages(&accepted_session(&items)).len(), 4);
    assert_eq!(notes(&items).len(), 2);
}

#[test]
fn an_id_that_two_nights_have_loses_neither() {
    let other = Row { start: "2026-10-03 21:30:00.000", end: "2026-10-04 04:30:00.000", ..NIGHT };
    let table = stage_table(&[stage("n1", "40003", "2026-10-03 22:00:00.000", "2026-10-03 23:00:00.000")]);
    let records = sessions(&read_files(&[&sleep(&[NIGHT, other]), &table]));
    let found: Vec<_> = records.iter().map(stages).collect();
    assert_eq!(found, [vec![], vec!["DEEP 00:00-01:00"]]);
}

#[test]
fn a_night_that_was_synchronised_twice_is_one_session() {
    let copy = Row { id: "n2", ..NIGHT };
    let table = stage_table(&[
        stage("n2", "40003", "2026-10-01 22:00:00.000", "2026-10-01 23:00:00.000"),
        stage("n1", "40003", "2026-10-01 22:00:00.000", "2026-10-01 23:00:00.000"),
    ]);
    let items = read_files(&[&sleep(&[NIGHT, copy]), &table]);
    assert_eq!(stages(&accepted_session(&items)), ["DEEP 00:00-01:00"]);
    let counted = notes(&items).iter().filter(|note| note.contains("were read once: 1")).count();
    assert_eq!(counted, 2);
}

#[test]
fn nights_of_different_apps_stay_different_sources() {
    let other = Row { id: "n2", package: "org.example.sleep", ..NIGHT };
    let records = sessions(&read_text(&sleep(&[NIGHT, other])));
    assert_eq!(records.iter().map(source).collect::<Vec<_>>(), ["samsung health", "org.example.sleep"]);
}

#[test]
fn a_nap_that_overlaps_the_night_by_a_minute_is_a_session() {
    let nap = Row {
        id: "n2",
        start: "2026-10-02 04:29:00.000",
        end: "2026-10-02 05:00:00.000",
        sums: "-1,0.0,,40,,",
        ..NIGHT
    };
    let records = sessions(&read_text(&sleep(&[NIGHT, nap])));
    assert_eq!(records.len(), 2);
    assert!(records.iter().all(|record| record.is_nap().is_none()));
}

#[test]
fn stages_without_their_session_form_one_with_a_note() {
    let items = read_text(&stages_of_night());
    let record = accepted_session(&items);
    assert_eq!(frame(&record), "2026-10-01T23:30:00+02:00 2026-10-02T06:30:00+02:00");
    assert_eq!(
        notes(&items),
        ["line 3: no session has the id of these stages; the session was formed from them"]
    );
}

#[test]
fn an_unknown_stage_is_stored_as_unknown_and_noted() {
    let (start, end) = ("2026-10-01 21:30:00.000", "2026-10-02 04:30:00.000");
    let table = stage_table(&[stage("n1", "40005", start, end)]);
    let items = read_files(&[&sleep(&[NIGHT]), &table]);
    assert_eq!(stages(&accepted_session(&items)), ["UNKNOWN 23:30-06:30"]);
    assert_eq!(notes(&items)[0], "1.csv: line 3: stages with an unknown code were stored as UNKNOWN: 1");
    let whole = stage_table(&[stage("n1", "40003.0", start, end)]);
    assert_eq!(stages(&sessions(&read_text(&whole))[0]), ["DEEP 23:30-06:30"]);
}

#[test]
fn overlapping_stages_are_resolved_as_in_every_format() {
    let table = stage_table(&[
        stage("n1", "40002", "2026-10-01 21:30:00.000", "2026-10-02 04:30:00.000"),
        stage("n1", "40001", "2026-10-01 22:00:00.000", "2026-10-01 22:30:00.000"),
        stage("n1", "40003", "2026-10-02 04:00:00.000", "2026-10-02 05:00:00.000"),
    ]);
    let items = read_files(&[&sleep(&[NIGHT]), &table]);
    assert_eq!(
        stages(&accepted_session(&items)),
        ["LIGHT 23:30-00:00", "AWAKE 00:00-00:30", "LIGHT 00:30-06:00", "DEEP 06:00-06:30"]
    );
    assert_eq!(notes(&items), ["0.csv: line 3: stages that extend beyond the time in bed were trimmed: 1"]);
}

#[test]
fn an_invalid_row_is_rejected_and_the_others_are_read() {
    for (row, reason) in [
        (Row { end: "", ..NIGHT }, "end_time is missing"),
        (Row { end: NIGHT.start, ..NIGHT }, "time in bed: the end is not after the start"),
        (Row { start: "01.10.2026 21:30", ..NIGHT }, "start_time is not a date and time"),
        (
            Row { start: "1970-01-01 00:00:00.000", ..NIGHT },
            "start_time is in 1970, which stands for an unknown time",
        ),
        (Row { offset: "CEST", ..NIGHT }, "time_offset is not an offset such as UTC+0200"),
        (Row { id: "", ..NIGHT }, "datauuid is missing"),
        (Row { end: "2026-10-02 04:30:00,000", ..NIGHT }, "the number of fields differs from the header"),
    ] {
        let other = Row { id: "n9", start: "2026-10-05 21:30:00", end: "2026-10-06 04:30:00", ..NIGHT };
        let items = read_text(&sleep(&[row, other]));
        assert_eq!(rejections(&items), [format!("line 3: {reason}")]);
        assert_eq!(sessions(&items).len(), 1);
    }
}

#[test]
fn an_invalid_stage_is_rejected_and_the_others_are_read() {
    let (start, end) = ("2026-10-01 21:30:00.000", "2026-10-02 04:30:00.000");
    for (row, reason) in [
        (stage("", "40002", start, end), "sleep_id is missing"),
        (stage("n1", "", start, end), "stage is missing"),
        (stage("n1", "40002", end, start), "the end is not after the start"),
        (stage("n1", "40002", "never", end), "start_time is not a date and time"),
    ] {
        let items = read_text(&stage_table(&[row, stage("n1", "40003", start, end)]));
        assert_eq!(rejections(&items), [format!("line 3: {reason}")]);
        assert_eq!(sessions(&items).len(), 1);
    }
}

#[test]
fn a_table_without_rows_is_read_as_empty() {
    for text in [sleep(&[]), stage_table(&[]), COMBINED.to_owned()] {
        assert_eq!(read(text.as_bytes(), None, "UTC"), Ok(vec![]));
    }
}

#[test]
fn a_table_that_is_truncated_or_has_no_header_is_rejected() {
    let text = sleep(&[NIGHT]);
    let row = format!("{TITLE}{HEADER}{}", NIGHT.text().chars().take(40).collect::<String>());
    for damaged in [row, text.replace(HEADER, ""), text.replace("_time", "_tid"), TITLE.repeat(2)] {
        let refused = read(damaged.as_bytes(), None, "UTC").unwrap_err();
        assert!(matches!(refused, ImportRefusal::Damaged { .. }), "{refused}");
    }
}

#[test]
fn a_column_that_a_header_has_twice_is_rejected() {
    let text = sleep(&[NIGHT]).replace("combined_id", "start_time");
    let refused = read(text.as_bytes(), None, "UTC").unwrap_err().to_string();
    assert_eq!(refused, "damaged at line 2, column 1: the header has the column start_time more than once");
}

#[test]
fn another_table_of_the_app_is_rejected_with_advice() {
    let unprefixed =
        "start_time,time_offset,end_time,datauuid\n2022-09-02 00:03,7200000,2022-09-02 07:00,x\n";
    for text in [
        "com.samsung.shealth.sleep_goal,7006011,3\nbed_time,wake_up_time\n",
        "com.samsung.shealth.sleep_raw_data,7006011,3\ndata,start_time\n",
        unprefixed,
        HEADER,
    ] {
        for format in [None, Some(Format::SamsungHealth)] {
            let refused = read(text.as_bytes(), format, "UTC").unwrap_err();
            assert!(matches!(refused, ImportRefusal::HoldsNoSleep(_)), "{text}: {refused}");
        }
    }
    for text in ["com.samsung.shealth.stress,7006011,3\nstart_time,end_time\n", "com.samsung.shealth.sleep\n"]
    {
        let refused = read(text.as_bytes(), None, "UTC").unwrap_err();
        assert!(matches!(refused, ImportRefusal::NotThisFormat(_)), "{text}: {refused}");
    }
}
