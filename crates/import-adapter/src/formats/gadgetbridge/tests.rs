use crate::Format;
use crate::test_support::database;
use crate::testing::{
    accepted_session, frame, metric, notes, only_session, read, read_path, rejections, sessions, stages,
};
use application::ports::import_source::{ImportItem, ImportRefusal};
use domain::sleep::{MetricKind, SleepRecord, SleepSource};

const BASE: &str =
    "CREATE TABLE DEVICE (_id INTEGER PRIMARY KEY, NAME TEXT NOT NULL, IDENTIFIER TEXT NOT NULL);
    CREATE TABLE USER (_id INTEGER PRIMARY KEY, NAME TEXT NOT NULL);
    INSERT INTO DEVICE VALUES (1, 'Band X', 'AA:00'), (2, 'Watch G', 'AA:01');";

/// Tables of one kind of watch, as Gadgetbridge creates them.
fn xiaomi(rows: &str) -> String {
    format!(
        "CREATE TABLE XIAOMI_SLEEP_TIME_SAMPLE (TIMESTAMP INTEGER NOT NULL, DEVICE_ID INTEGER NOT NULL,
        USER_ID INTEGER NOT NULL, WAKEUP_TIME INTEGER, IS_AWAKE INTEGER, TOTAL_DURATION INTEGER,
        DEEP_SLEEP_DURATION INTEGER, LIGHT_SLEEP_DURATION INTEGER, REM_SLEEP_DURATION INTEGER,
        AWAKE_DURATION INTEGER, PRIMARY KEY (TIMESTAMP, DEVICE_ID) ON CONFLICT REPLACE) WITHOUT ROWID;
        CREATE TABLE XIAOMI_SLEEP_STAGE_SAMPLE (TIMESTAMP INTEGER NOT NULL, DEVICE_ID INTEGER NOT NULL,
        USER_ID INTEGER NOT NULL, STAGE INTEGER, PRIMARY KEY (TIMESTAMP, DEVICE_ID) ON CONFLICT REPLACE) WITHOUT ROWID;
        {rows}"
    )
}

fn garmin(rows: &str) -> String {
    format!(
        "CREATE TABLE GARMIN_EVENT_SAMPLE (TIMESTAMP INTEGER, DEVICE_ID INTEGER, USER_ID INTEGER, EVENT INTEGER,
        EVENT_TYPE INTEGER, DATA INTEGER, PRIMARY KEY (TIMESTAMP, DEVICE_ID, EVENT)) WITHOUT ROWID;
        CREATE TABLE GARMIN_SLEEP_STAGE_SAMPLE (TIMESTAMP INTEGER, DEVICE_ID INTEGER, USER_ID INTEGER, STAGE INTEGER);
        CREATE TABLE GARMIN_NAP_SAMPLE (TIMESTAMP INTEGER, DEVICE_ID INTEGER, USER_ID INTEGER, END_TIMESTAMP INTEGER);
        {rows}"
    )
}

/// Sessions and stages with lengths of `kind`.
fn ring(kind: &str, rows: &str) -> String {
    format!(
        "CREATE TABLE {kind}_SLEEP_SESSION_SAMPLE (TIMESTAMP INTEGER, DEVICE_ID INTEGER, WAKEUP_TIME INTEGER);
        CREATE TABLE {kind}_SLEEP_STAGE_SAMPLE (TIMESTAMP INTEGER, DEVICE_ID INTEGER, DURATION INTEGER, STAGE INTEGER);
        {rows}"
    )
}

fn huawei(rows: &str) -> String {
    format!(
        "CREATE TABLE HUAWEI_SLEEP_STATS_SAMPLE (TIMESTAMP INTEGER, DEVICE_ID INTEGER, WAKEUP_TIME INTEGER,
        BED_TIME INTEGER, RISING_TIME INTEGER);
        CREATE TABLE HUAWEI_SLEEP_STAGE_SAMPLE (TIMESTAMP INTEGER, DEVICE_ID INTEGER, STAGE INTEGER);
        {rows}"
    )
}

fn gadgetbridge(tables: &str, zone: &str) -> Vec<ImportItem> {
    read(&database(&format!("{BASE}{tables}")), None, zone).unwrap()
}

fn source(record: &SleepRecord) -> &str {
    record.source().map(SleepSource::as_str).unwrap()
}

/// 2026-03-10T22:00:00Z.
const BED: i64 = 1_773_180_000_000;
const HOUR: i64 = 3_600_000;
const MINUTE: i64 = 60_000;

#[test]
fn a_night_of_xiaomi_has_the_stages_that_start_in_it() {
    let items = gadgetbridge(
        &xiaomi(
            "INSERT INTO XIAOMI_SLEEP_TIME_SAMPLE VALUES (1773180000000,1,1,1773208800000,0,450,90,270,90,30);
            INSERT INTO XIAOMI_SLEEP_STAGE_SAMPLE VALUES (1773196200000,1,1,3), (1773180000000,1,1,3),
            (1773183600000,1,1,2), (1773189000000,1,1,5), (1773190800000,1,1,4), (1773183600000,2,1,5);",
        ),
        "Europe/Berlin",
    );
    assert_eq!(
        notes(&items),
        ["the table XIAOMI_SLEEP_STAGE_SAMPLE: stages outside every session were omitted: 1"]
    );
    let record = accepted_session(&items);
    assert_eq!(frame(&record), "2026-03-10T23:00:00+01:00 2026-03-11T07:00:00+01:00");
    let expected = [
        "LIGHT 23:00-00:00",
        "DEEP 00:00-01:30",
        "AWAKE 01:30-02:00",
        "REM 02:00-03:30",
        "LIGHT 03:30-07:00",
    ];
    assert_eq!(stages(&record), expected);
    assert_eq!((source(&record), record.is_nap()), ("Band X", None));
    assert_eq!(record.key().to_stored(), "derived:2026-03-10T22:00:00.000Z");
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(27_000.0));
}

#[test]
fn totals_are_used_only_without_stages_and_zeros_are_unknown() {
    let items = gadgetbridge(
        &xiaomi(&format!(
            "INSERT INTO XIAOMI_SLEEP_TIME_SAMPLE VALUES ({BED},1,1,{},0,450,90,270,90,30), ({},1,1,{},0,0,0,0,0,0),
            ({},1,1,{},NULL,NULL,NULL,NULL,NULL,NULL);",
            BED + 8 * HOUR,
            BED + 15 * HOUR,
            BED + 16 * HOUR,
            BED + 18 * HOUR,
            BED + 19 * HOUR,
        )),
        "UTC",
    );
    let found = sessions(&items);
    let asleep: Vec<_> = found.iter().map(|one| metric(one, MetricKind::TimeNightAsleep)).collect();
    assert_eq!(asleep, [Some(27_000.0), None, None]);
    assert_eq!(metric(&found[0], MetricKind::TimeNightAwake), Some(1800.0));
    assert_eq!(
        notes(&items),
        ["record 2: all totals are 0, which says nothing about the night; they were left out"]
    );
}

#[test]
fn the_columns_of_totals_may_be_missing() {
    let items = gadgetbridge(
        &format!(
            "CREATE TABLE XIAOMI_SLEEP_TIME_SAMPLE (TIMESTAMP INTEGER, DEVICE_ID INTEGER, WAKEUP_TIME INTEGER);
            INSERT INTO XIAOMI_SLEEP_TIME_SAMPLE VALUES ({BED}, 1, {});",
            BED + HOUR
        ),
        "UTC",
    );
    assert!(only_session(&items).metrics().are_of_time_in_bed_alone());
}

#[test]
fn codes_that_mean_nothing_are_unknown_stages() {
    let items = gadgetbridge(
        &xiaomi(&format!(
            "INSERT INTO XIAOMI_SLEEP_TIME_SAMPLE VALUES ({BED},1,1,{},0,NULL,NULL,NULL,NULL,NULL);
            INSERT INTO XIAOMI_SLEEP_STAGE_SAMPLE VALUES ({BED},1,1,0), ({},1,1,9), ({},1,1,NULL), ({},1,1,2), (-5,1,1,2);",
            BED + 4 * HOUR,
            BED + HOUR,
            BED + 2 * HOUR,
            BED + 3 * HOUR,
        )),
        "UTC",
    );
    let record = accepted_session(&items);
    let expected = ["UNKNOWN 22:00-23:00", "UNKNOWN 23:00-00:00", "UNKNOWN 00:00-01:00", "DEEP 01:00-02:00"];
    assert_eq!(stages(&record), expected);
    let expected = [
        "record 1: stages with an unknown code were stored as UNKNOWN: 2",
        "the table XIAOMI_SLEEP_STAGE_SAMPLE: stages with an unreadable time or length were omitted: 1",
    ];
    assert_eq!(notes(&items), expected);
}

#[test]
fn a_night_of_garmin_lies_between_its_events_and_its_stages_end_at_their_times() {
    let items = gadgetbridge(
        &garmin(
            "INSERT INTO GARMIN_EVENT_SAMPLE VALUES (1773271800000,2,1,74,1,1), (1773266400000,2,1,74,0,1),
            (1773266400000,2,1,0,0,1);
            INSERT INTO GARMIN_SLEEP_STAGE_SAMPLE VALUES (1773268200000,2,1,2), (1773270000000,2,1,3), (1773271800000,2,1,1);
            INSERT INTO GARMIN_NAP_SAMPLE VALUES (1773320400000,2,1,1773322200000);",
        ),
        "UTC",
    );
    assert_eq!((notes(&items), rejections(&items)), (vec![], vec![]));
    let [night, nap] = <[SleepRecord; 2]>::try_from(sessions(&items)).unwrap();
    assert_eq!(stages(&night), ["LIGHT 22:00-22:30", "DEEP 22:30-23:00", "AWAKE 23:00-23:30"]);
    assert_eq!(
        (frame(&nap).as_str(), nap.is_nap()),
        ("2026-03-12T13:00:00+00:00 2026-03-12T13:30:00+00:00", Some(true))
    );
    assert_eq!((source(&night), source(&nap), night.is_nap()), ("Watch G", "Watch G", None));
}

#[test]
fn an_end_of_sleep_may_be_missing_but_not_a_start() {
    let start = |at: i64| format!("INSERT INTO GARMIN_EVENT_SAMPLE VALUES ({at},2,1,74,0,1);");
    let stop = |at: i64| format!("INSERT INTO GARMIN_EVENT_SAMPLE VALUES ({at},2,1,74,1,1);");
    let stage = format!(
        "INSERT INTO GARMIN_SLEEP_STAGE_SAMPLE VALUES ({},2,1,2), ({},2,1,4);",
        BED + HOUR,
        BED + 2 * HOUR
    );
    let rows = [
        start(BED),
        stage,
        start(BED + 24 * HOUR),
        start(BED + 48 * HOUR),
        stop(BED + 56 * HOUR),
        stop(BED + 60 * HOUR),
    ];
    let items = gadgetbridge(&garmin(&rows.concat()), "UTC");
    let expected = [
        "record 1: a start of sleep has neither an end nor stages",
        "record 2: an end of sleep has no start",
    ];
    let reasons: Vec<_> =
        rejections(&items).iter().map(|one| one.split_once(": ").unwrap().1.to_owned()).collect();
    assert_eq!(reasons.len(), 2);
    assert!(expected.iter().all(|one| reasons.iter().any(|reason| one.ends_with(reason))), "{reasons:?}");
    let [open, whole] = <[SleepRecord; 2]>::try_from(sessions(&items)).unwrap();
    assert_eq!(stages(&open), ["LIGHT 22:00-23:00", "REM 23:00-00:00"]);
    assert_eq!(frame(&whole), "2026-03-12T22:00:00+00:00 2026-03-13T06:00:00+00:00");
    assert!(
        notes(&items)[0].ends_with("the end of the sleep is missing; the end of its last stage was used")
    );
}

#[test]
fn a_watch_that_measured_no_stages_has_none() {
    let items = gadgetbridge(
        &garmin(&format!(
            "INSERT INTO GARMIN_EVENT_SAMPLE VALUES ({BED},2,1,74,0,-1), ({},2,1,74,1,-1);
            INSERT INTO GARMIN_SLEEP_STAGE_SAMPLE VALUES ({},2,1,1);",
            BED + HOUR,
            BED + MINUTE
        )),
        "UTC",
    );
    assert_eq!(notes(&items), ["record 1: the watch measured no stages in this session"]);
    assert!(accepted_session(&items).hypnogram().is_empty());
}

#[test]
fn the_minutes_of_huawei_form_stages_from_going_to_bed_to_rising() {
    let minute = |number: i64, stage: i64| {
        format!("INSERT INTO HUAWEI_SLEEP_STAGE_SAMPLE VALUES ({}, 1, {stage});", BED + number * MINUTE)
    };
    let codes = [4, 4, 1, 1, 1, 3, 3, 2, 5, 7];
    let rows: Vec<_> = (0..).zip(codes).map(|(number, code)| minute(number, code)).collect();
    let night = format!(
        "INSERT INTO HUAWEI_SLEEP_STATS_SAMPLE VALUES ({}, 1, {}, {BED}, {});",
        BED + 2 * MINUTE + 30_000,
        BED + 9 * MINUTE,
        BED + 10 * MINUTE
    );
    let items = gadgetbridge(&huawei(&format!("{night}{}", rows.concat())), "UTC");
    let record = accepted_session(&items);
    assert_eq!(frame(&record), "2026-03-10T22:00:00+00:00 2026-03-10T22:10:00+00:00");
    let expected = [
        "AWAKE 22:00-22:02",
        "LIGHT 22:02-22:05",
        "DEEP 22:05-22:07",
        "REM 22:07-22:08",
        "ASLEEP 22:08-22:09",
        "UNKNOWN 22:09-22:10",
    ];
    assert_eq!(stages(&record), expected);
    assert_eq!(notes(&items), ["record 1: stages with an unknown code were stored as UNKNOWN: 1"]);
}

#[test]
fn unknown_times_of_huawei_are_absent() {
    let end = BED + HOUR;
    let night = format!(
        "INSERT INTO HUAWEI_SLEEP_STATS_SAMPLE VALUES ({BED}, 1, {end}, -1000, 0), (-1000, 1, {end}, 0, 0);"
    );
    let items = gadgetbridge(&huawei(&night), "UTC");
    assert_eq!(rejections(&items), ["record 2: TIMESTAMP is not a time"]);
    let found: Vec<_> = sessions(&items).iter().map(frame).collect();
    assert_eq!(found, ["2026-03-10T22:00:00+00:00 2026-03-10T23:00:00+00:00"]);
}

#[test]
fn rings_and_cmf_state_the_lengths_of_stages_in_minutes_and_seconds() {
    for (kind, unit, codes) in [("COLMI", 30, [2, 3, 4, 5]), ("CMF", 1800, [2, 1, 3, 7])] {
        let stage = |index: i64, code: i64, length: i64| {
            let start = BED + index * 30 * MINUTE;
            format!("INSERT INTO {kind}_SLEEP_STAGE_SAMPLE VALUES ({start}, 1, {length}, {code});")
        };
        let rows = [
            format!("INSERT INTO {kind}_SLEEP_SESSION_SAMPLE VALUES ({BED}, 1, {});", BED + 2 * HOUR),
            stage(0, codes[0], unit),
            stage(1, codes[1], unit),
            stage(2, codes[2], unit),
            stage(3, codes[3], 2 * unit),
            stage(1, codes[1], -3),
        ];
        let items = gadgetbridge(&ring(kind, &rows.concat()), "UTC");
        let found = stages(&accepted_session(&items));
        assert_eq!(found[..3], ["LIGHT 22:00-22:30", "DEEP 22:30-23:00", "REM 23:00-23:30"], "{kind}");
        assert_eq!(found[3], if kind == "CMF" { "UNKNOWN 23:30-00:00" } else { "AWAKE 23:30-00:00" });
        let noted = notes(&items);
        assert!(
            noted.iter().any(|note| note.contains("beyond the time in bed were trimmed: 1")),
            "{noted:?}"
        );
        assert!(
            noted.iter().any(|note| note.contains("unreadable time or length were omitted: 1")),
            "{noted:?}"
        );
    }
}

/// A session of Huami with these minutes, stages and totals.
fn huami(start: u16, end: u16, parts: &[(u16, u8)], totals: [u16; 4]) -> Vec<u8> {
    let mut data = vec![0_u8; 594];
    data[4..8].copy_from_slice(&1_773_187_200_u32.to_le_bytes());
    data[10..12].copy_from_slice(&start.to_le_bytes());
    data[12..14].copy_from_slice(&end.to_le_bytes());
    data[0x54] = u8::try_from(parts.len()).unwrap();
    for (index, (start, kind)) in parts.iter().enumerate() {
        let at = 0x56 + 5 * index;
        data[at..at + 2].copy_from_slice(&start.to_le_bytes());
        data[at + 4] = *kind;
    }
    for (index, minutes) in totals.iter().enumerate() {
        data[0x24a + 2 * index..0x24c + 2 * index].copy_from_slice(&minutes.to_le_bytes());
    }
    data
}

fn of_huami(values: &[Vec<u8>]) -> Vec<ImportItem> {
    let hexadecimal =
        |value: &[u8]| value.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
    let row = |(index, value): (i64, &Vec<u8>)| {
        let (at, value) = (BED + index, hexadecimal(value));
        format!("INSERT INTO HUAMI_SLEEP_SESSION_SAMPLE VALUES ({at}, 1, 1, X'{value}');")
    };
    let rows: Vec<_> = (0..).zip(values).map(row).collect();
    let columns = "TIMESTAMP INTEGER, DEVICE_ID INTEGER, USER_ID INTEGER, DATA BLOB";
    let table = format!("CREATE TABLE HUAMI_SLEEP_SESSION_SAMPLE ({columns});");
    gadgetbridge(&format!("{table}{}", rows.concat()), "UTC")
}

#[test]
fn a_value_of_huami_contains_the_night_with_its_stages() {
    let parts = [(1320, 4), (1380, 5), (1440, 7), (1450, 8), (1500, 2)];
    let items = of_huami(&[huami(1320, 1800, &parts, [50, 60, 60, 10])]);
    assert_eq!(notes(&items), ["record 1: stages with an unknown code were stored as UNKNOWN: 1"]);
    let record = accepted_session(&items);
    assert_eq!(frame(&record), "2026-03-10T22:00:00+00:00 2026-03-11T06:00:00+00:00");
    let expected = [
        "LIGHT 22:00-23:00",
        "DEEP 23:00-00:00",
        "AWAKE 00:00-00:10",
        "REM 00:10-01:00",
        "UNKNOWN 01:00-06:00",
    ];
    assert_eq!(stages(&record)[..5], expected);
}

#[test]
fn a_value_of_huami_without_stages_has_its_totals_or_is_rejected() {
    let record = only_session(&of_huami(&[huami(1320, 1800, &[], [90, 270, 90, 30])]));
    for (kind, minutes) in [
        (MetricKind::TimeNightRem, 90.0),
        (MetricKind::TimeNightLight, 270.0),
        (MetricKind::TimeNightDeep, 90.0),
        (MetricKind::TimeNightAwake, 30.0),
        (MetricKind::TimeNightAsleep, 450.0),
    ] {
        assert_eq!(metric(&record, kind), Some(minutes * 60.0), "{kind:?}");
    }
    let whole = huami(1320, 1800, &[(1320, 4)], [0; 4]);
    let mut too_many = whole.clone();
    too_many[0x54] = 0xff;
    let none = huami(1320, 1320, &[(1320, 4)], [0; 4]);
    let empty = huami(1320, 1800, &[], [0; 4]);
    let items = of_huami(&[empty, vec![], whole[..50].to_vec(), too_many, none]);
    let mut reasons: Vec<_> =
        rejections(&items).iter().map(|one| one.split_once(": ").unwrap().1.to_owned()).collect();
    let damaged = "DATA is not a session of sleep";
    let mut expected = [
        "DATA has neither stages nor totals: the sleep was not finished",
        damaged,
        damaged,
        damaged,
        "time in bed: the end is not after the start",
    ];
    expected.sort_unstable();
    reasons.sort_unstable();
    assert_eq!(reasons, expected);
}

#[test]
fn an_invalid_session_is_rejected_and_the_others_are_read() {
    let items = gadgetbridge(
        &ring(
            "COLMI",
            &format!(
                "INSERT INTO COLMI_SLEEP_SESSION_SAMPLE VALUES ({BED}, 1, {}), ({BED}, 7, {}), ('x', 1, 5), ({BED}, 1, NULL),
                ({BED}, 1, {BED}), ({BED}, 'x', {}), ({BED}, 1, {});",
                BED + HOUR,
                BED + HOUR,
                BED + HOUR,
                BED + 9000 * HOUR
            ),
        ),
        "UTC",
    );
    let sources: Vec<_> = sessions(&items).iter().map(|one| source(one).to_owned()).collect();
    assert_eq!(sources, ["Band X", "gadgetbridge", "gadgetbridge"]);
    let reasons = rejections(&items).join("; ");
    for reason in [
        "TIMESTAMP is not a time",
        "WAKEUP_TIME is not a time: the sleep was not finished",
        "time in bed: the end is not after the start",
        "time in bed: longer than seven days",
    ] {
        assert!(reasons.contains(reason), "{reasons}");
    }
}

#[test]
fn nights_of_several_watches_are_sessions_of_several_sources() {
    let tables = format!(
        "{}{}",
        xiaomi(&format!(
            "INSERT INTO XIAOMI_SLEEP_TIME_SAMPLE (TIMESTAMP, DEVICE_ID, USER_ID, WAKEUP_TIME) VALUES ({BED},1,1,{});",
            BED + HOUR
        )),
        garmin(&format!("INSERT INTO GARMIN_NAP_SAMPLE VALUES ({BED},2,1,{});", BED + HOUR))
    );
    let items = gadgetbridge(&tables, "UTC");
    let found: Vec<_> = items.iter().map(|item| item.place().to_owned()).collect();
    assert_eq!(found, ["record 1", "record 2"]);
    let sources: Vec<_> = sessions(&items).iter().map(|one| source(one).to_owned()).collect();
    assert_eq!(sources, ["Band X", "Watch G"]);
}

#[test]
fn a_database_without_sleep_is_noted() {
    let note = "the database: it has no sleep of a kind of watch that can be imported; synchronise the watch, then \
        export again";
    assert_eq!(notes(&gadgetbridge(&xiaomi(""), "UTC")), [note]);
    let stage = format!("INSERT INTO XIAOMI_SLEEP_STAGE_SAMPLE VALUES ({BED},1,1,3);");
    let orphan = "the table XIAOMI_SLEEP_STAGE_SAMPLE: stages outside every session were omitted: 1";
    assert_eq!(notes(&gadgetbridge(&xiaomi(&stage), "UTC")), [orphan, note]);
}

#[test]
fn the_stages_of_overlapping_sessions_are_compared_a_limited_number_of_times() {
    let numbers = "WITH RECURSIVE number (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM number LIMIT 40000)";
    let rows = format!(
        "INSERT INTO XIAOMI_SLEEP_TIME_SAMPLE {numbers} SELECT {BED} + i, 1, 1, {BED} + 60000000, 0, 0, 0, 0, 0, 0
            FROM number WHERE i < 100;
        INSERT INTO XIAOMI_SLEEP_STAGE_SAMPLE {numbers} SELECT {BED} + 1000 + i * 1000, 1, 1, 3 FROM number;"
    );
    let rejected = rejections(&gadgetbridge(&xiaomi(&rows), "UTC"));
    let is_expected = |reason: &&String| reason.ends_with("too many sessions have the same stages");
    assert_eq!((rejected.len(), rejected.iter().filter(is_expected).count()), (100, 84));
}

#[test]
fn a_view_or_a_missing_column_in_place_of_a_table_is_refused() {
    for (tables, reason) in [
        (
            "CREATE VIEW XIAOMI_SLEEP_TIME_SAMPLE AS SELECT 1 AS TIMESTAMP, 1 AS DEVICE_ID, 2 AS WAKEUP_TIME;",
            "XIAOMI_SLEEP_TIME_SAMPLE is not an ordinary table",
        ),
        (
            "CREATE TABLE XIAOMI_SLEEP_TIME_SAMPLE (TIMESTAMP INTEGER, DEVICE_ID INTEGER);",
            "the table XIAOMI_SLEEP_TIME_SAMPLE has no column WAKEUP_TIME",
        ),
        (
            "CREATE TABLE COLMI_SLEEP_SESSION_SAMPLE (TIMESTAMP INTEGER, DEVICE_ID INTEGER, WAKEUP_TIME INTEGER);
            CREATE TABLE COLMI_SLEEP_STAGE_SAMPLE (TIMESTAMP INTEGER, DEVICE_ID INTEGER, STAGE INTEGER AS (1));",
            "the table COLMI_SLEEP_STAGE_SAMPLE has no column STAGE",
        ),
    ] {
        let refused = read(&database(&format!("{BASE}{tables}")), None, "UTC").unwrap_err();
        assert!(refused.to_string().ends_with(reason), "{refused}");
    }
}

#[test]
fn other_and_damaged_databases_are_refused() {
    for sql in [
        "CREATE TABLE USER (_id INTEGER); CREATE TABLE DEVICE (_id INTEGER);",
        "CREATE TABLE XIAOMI_SLEEP_TIME_SAMPLE (a);",
    ] {
        let refused = read(&database(sql), Format::Gadgetbridge, "UTC").unwrap_err();
        assert!(matches!(refused, ImportRefusal::NotThisFormat(_)), "{refused}");
    }
    let row = |number: i64| {
        let start = BED + number * 24 * HOUR;
        format!("INSERT INTO COLMI_SLEEP_SESSION_SAMPLE VALUES ({start}, 1, {});", start + HOUR)
    };
    let rows = (0..2000).map(row).collect::<Vec<_>>().concat();
    let mut bytes = database(&format!("{BASE}{}", ring("COLMI", &rows)));
    let middle = bytes.len() / 2;
    bytes[middle..middle + 9000].fill(0xff);
    let refused = read(&bytes, None, "UTC").unwrap_err();
    assert!(matches!(refused, ImportRefusal::Damaged { .. }), "{refused}");
    let refused = read(&bytes[..bytes.len() / 2], None, "UTC").unwrap_err();
    assert!(matches!(refused, ImportRefusal::Damaged { .. }), "{refused}");
    let refused = read(b"SQLite format 3\0 but no database", Format::Gadgetbridge, "UTC").unwrap_err();
    assert!(matches!(refused, ImportRefusal::Damaged { .. }), "{refused}");
}

#[test]
fn the_database_is_found_in_the_folder_of_a_backup() {
    let folder = tempfile::tempdir().unwrap();
    let night = format!("INSERT INTO COLMI_SLEEP_SESSION_SAMPLE VALUES ({BED}, 1, {});", BED + HOUR);
    let bytes = database(&format!("{BASE}{}", ring("COLMI", &night)));
    std::fs::create_dir(folder.path().join("database")).unwrap();
    std::fs::write(folder.path().join("database/Gadgetbridge"), bytes).unwrap();
    std::fs::write(folder.path().join("gadgetbridge.json"), r#"{"backupVersion":1}"#).unwrap();
    let (format, items) = read_path(folder.path(), None, "UTC").unwrap();
    assert_eq!((format, items[0].place()), ("gadgetbridge", "database/Gadgetbridge: record 1"));
    assert_eq!(sessions(&items).len(), 1);
    assert!(notes(&items).concat().contains("skipped: 1 (gadgetbridge.json)"));
}

#[test]
fn a_session_with_too_many_stages_is_rejected() {
    let night = format!(
        "INSERT INTO COLMI_SLEEP_SESSION_SAMPLE VALUES ({BED}, 1, {}), ({BED}, 2, {});",
        BED + HOUR,
        BED + HOUR
    );
    let stages = format!(
        "WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 20160)
        INSERT INTO COLMI_SLEEP_STAGE_SAMPLE SELECT {BED} + n, 1, 1, 2 FROM number;"
    );
    let items = gadgetbridge(&ring("COLMI", &format!("{night}{stages}")), "UTC");
    assert_eq!(rejections(&items), ["record 1: more than 20160 stages in one session"]);
    assert_eq!(sessions(&items).len(), 1);
}
