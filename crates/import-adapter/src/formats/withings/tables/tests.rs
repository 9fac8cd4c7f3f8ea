use crate::Format;
use crate::testing::{
    accepted_session, frame, metric, notes, only_session, read, read_path, rejections, sessions, stages,
};
use application::ports::import_source::{ImportItem, ImportRefusal};
use domain::sleep::{MetricKind, SleepRecord};

const HEADER: &str = "von,bis,\"leicht (s)\",\"tief (s)\",\"rem (s)\",\"wach (s)\",Aufwachen,\"Dauer des Schlafs (s)\",\
    \"Dauer bis zum Wachwerden (s)\",\"Schnarchen (s)\",Schnarchepisoden,\"Durchschnittliche Herzfrequenz\",\
    \"Herzfrequenz (min)\",\"Herzfrequenz (max)\",\"Night events\"";
const ENGLISH: &str =
    "from,to,\"light (s)\",\"deep (s)\",\"rem (s)\",\"awake (s)\",\"wake up\",\"Duration to sleep (s)\"";
const NIGHT: &str =
    "2026-03-28T23:10:00+01:00,2026-03-29T07:20:00+02:00,13200,5400,4800,2400,2,900,300,0,0,58,51,77,";
const NAP: &str = "2026-03-29T14:05:00+02:00,2026-03-29T14:50:00+02:00,2100,0,0,600,0,480,60,0,0,0,0,0,{}";
const GAPPED: &str =
    "2026-03-30T00:02:00+02:00,2026-03-30T07:02:00+02:00,15000,4800,3600,1620,1,600,0,540,3,60,52,81,";
const RAW: &str = "start,duration,value\n\
    2026-03-29T14:05:00+02:00,\"[480,2100,120]\",\"[0,1,0]\"\n\
    2026-03-28T23:10:00+01:00,\"[900,3600,5400]\",\"[0,1,2]\"\n\
    2026-03-29T01:55:00+01:00,\"[4800,9600,1200,300]\",\"[3,1,0,0]\"\n\
    2026-03-28T23:10:00+01:00,\"[900,3600,5400]\",\"[0,1,2]\"\n\
    2026-03-29T01:25:00+01:00,\"[1800]\",\"[2]\"\n\
    2026-03-29T20:40:00+02:00,[60],[0]\n";

fn table(rows: &[&str]) -> String {
    format!("{HEADER}\n{}\n", rows.join("\n"))
}

fn english(rows: &[&str]) -> Result<Vec<ImportItem>, ImportRefusal> {
    read(format!("{ENGLISH}\n{}\n", rows.join("\n")).as_bytes(), None, "Europe/Paris")
}

fn raw(rows: &[&str]) -> Result<Vec<ImportItem>, ImportRefusal> {
    read(format!("start,duration,value\n{}\n", rows.join("\n")).as_bytes(), None, "UTC")
}

fn folder(files: &[(&str, &str)]) -> Result<Vec<ImportItem>, ImportRefusal> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    read_path(folder.path(), None, "UTC").map(|(_, items)| items)
}

fn without_stages(items: &[ImportItem]) -> Vec<SleepRecord> {
    let found = sessions(items);
    assert!(found.iter().all(|night| night.hypnogram().is_empty()));
    found
}

#[test]
fn a_row_is_a_night_with_its_own_offsets_and_totals() {
    let items = read(table(&[NIGHT, NAP, GAPPED]).as_bytes(), None, "UTC").unwrap();
    let [night, nap, gapped] = <[SleepRecord; 3]>::try_from(without_stages(&items)).unwrap();
    assert_eq!(frame(&night), "2026-03-28T23:10:00+01:00 2026-03-29T07:20:00+02:00");
    assert_eq!(night.key().to_stored(), "derived:2026-03-28T22:10:00.000Z");
    assert_eq!((night.source().unwrap().as_str(), night.is_nap()), ("withings", None));
    for (kind, expected) in [
        (MetricKind::TimeNightAsleep, 23_400.0),
        (MetricKind::TimeNightAwake, 2400.0),
        (MetricKind::TimeNightLight, 13_200.0),
        (MetricKind::TimeNightDeep, 5400.0),
        (MetricKind::TimeNightRem, 4800.0),
        (MetricKind::SleepLatency, 900.0),
        (MetricKind::SleepWakeups, 2.0),
    ] {
        assert_eq!(metric(&night, kind), Some(expected), "{kind:?}");
    }
    // Other nights have REM sleep, so this 0 was measured.
    assert_eq!(metric(&nap, MetricKind::TimeNightAsleep), Some(2100.0));
    // The time that is neither is unknown, not awake.
    assert_eq!(metric(&gapped, MetricKind::TimeNightAwake), Some(1620.0));
    assert_eq!(
        notes(&items),
        [
            "line 1: the column names are not English; the columns were read by their order",
            "line 2: the import has no states of these nights, so they have no stages; import sleep.csv together with \
             raw_tracker_sleep-state.csv of the same export, or the whole zip",
        ]
    );
}

#[test]
fn a_night_and_its_states_are_one_session_in_any_order_of_files() {
    let nights = table(&[NIGHT, NAP]);
    for names in [["sleep.csv", "raw_bed_sleep-state.csv"], ["z.csv", "a.csv"]] {
        let items = folder(&[(names[0], &nights), (names[1], RAW)]).unwrap();
        let [night, nap] = <[SleepRecord; 2]>::try_from(sessions(&items)).unwrap();
        assert_eq!(
            stages(&night),
            [
                "AWAKE 23:10-23:25",
                "LIGHT 23:25-00:25",
                "DEEP 00:25-01:55",
                "REM 01:55-03:15",
                "LIGHT 03:15-05:55",
                "AWAKE 05:55-06:20",
            ],
        );
        assert_eq!(frame(&night), "2026-03-28T23:10:00+01:00 2026-03-29T07:20:00+02:00");
        assert_eq!(stages(&nap), ["AWAKE 14:05-14:13", "LIGHT 14:13-14:48", "AWAKE 14:48-14:50"]);
        assert_eq!(rejections(&items), Vec::<String>::new());
        let noted = notes(&items).join("; ");
        assert!(noted.contains("line 5: records that the import contains more than once were read once: 1"));
        assert!(noted.contains("line 7: states without any sleep were omitted: 1"), "{noted}");
    }
}

#[test]
fn states_alone_form_sessions_at_most_an_hour_apart() {
    let items = raw(&[
        "2026-01-10T23:00:00+01:00,\"[60,120,60]\",\"[1,1,2]\"",
        "2026-01-11T00:04:00+01:00,[60],[3]",
        "2026-01-11T01:05:01+01:00,[60],[1]",
    ])
    .unwrap();
    let [first, second] = <[SleepRecord; 2]>::try_from(sessions(&items)).unwrap();
    assert_eq!(stages(&first), ["LIGHT 23:00-23:03", "DEEP 23:03-23:04", "REM 00:04-00:05"]);
    assert_eq!(frame(&first), "2026-01-10T23:00:00+01:00 2026-01-11T00:05:00+01:00");
    assert_eq!(frame(&second), "2026-01-11T01:05:01+01:00 2026-01-11T01:06:01+01:00");
    assert_eq!(
        notes(&items),
        [
            "line 2: the sessions were formed from their states; import sleep.csv of the same export together with \
          this table, or the whole zip"
        ]
    );
}

#[test]
fn every_state_is_that_of_the_api() {
    let items = raw(&["2026-01-10T23:00:00+01:00,\"[60,60,60,60,60,60]\",\"[0,1,2,3,4,5]\""]).unwrap();
    let found = stages(&accepted_session(&items)).concat();
    let words = ["AWAKE", "LIGHT", "DEEP", "REM", "ASLEEP", "UNKNOWN"];
    assert!(words.iter().all(|word| found.contains(word)), "{found}");
}

#[test]
fn an_overlap_of_states_counts_once_and_a_gap_is_unknown() {
    let items = raw(&[
        "2026-01-10T23:00:00Z,\"[600,600]\",\"[1,2]\"",
        "2026-01-10T23:05:00Z,[600],[0]",
        "2026-01-10T23:25:00Z,[300],[1]",
    ])
    .unwrap();
    let expected = ["LIGHT 23:00-23:05", "AWAKE 23:05-23:15", "DEEP 23:15-23:20", "LIGHT 23:25-23:30"];
    assert_eq!(stages(&accepted_session(&items)), expected);
}

#[test]
fn a_row_that_passes_the_clock_change_goes_on_in_seconds() {
    let items = raw(&["2026-10-25T02:30:00+02:00,\"[3600,3600]\",\"[1,2]\""]).unwrap();
    assert_eq!(frame(&accepted_session(&items)), "2026-10-25T02:30:00+02:00 2026-10-25T04:30:00+02:00");
}

#[test]
fn of_two_devices_the_one_that_starts_with_the_night_has_the_stages() {
    let night = table(&["2026-01-10T23:00:00Z,2026-01-10T23:30:00Z,600,600,600,0,0,0,0,0,0,0,0,0,"]);
    let tracker = "start,duration,value\n2026-01-10T23:00:00Z,\"[600,600,600]\",\"[1,2,3]\"\n";
    let bed = "start,duration,value\n2026-01-10T22:50:00Z,[2700],[1]\n";
    let files = [
        ("sleep.csv", night.as_str()),
        ("raw_bed_sleep-state.csv", bed),
        ("raw_tracker_sleep-state.csv", tracker),
    ];
    let items = folder(&files).unwrap();
    let record = accepted_session(&items);
    assert_eq!(stages(&record), ["LIGHT 23:00-23:10", "DEEP 23:10-23:20", "REM 23:20-23:30"]);
    let noted = notes(&items).join("; ");
    assert!(noted.contains("states of other tables at the same time were omitted: 1"), "{noted}");
}

#[test]
fn states_outside_every_night_form_a_session_or_are_counted() {
    let night = table(&["2026-01-10T23:00:00Z,2026-01-10T23:30:00Z,1200,600,0,0,0,0,0,0,0,0,0,0,"]);
    let states = "start,duration,value\n2026-01-10T23:00:00Z,\"[1200,600,600]\",\"[1,2,0]\"\n\
        2026-01-11T13:00:00Z,[1800],[2]\n";
    let items = folder(&[("sleep.csv", &night), ("raw_bed_sleep-state.csv", states)]).unwrap();
    let frames: Vec<_> = sessions(&items).iter().map(frame).collect();
    assert_eq!(frames[1], "2026-01-11T13:00:00+00:00 2026-01-11T13:30:00+00:00");
    assert_eq!(frames.len(), 2);
    let noted = notes(&items).join("; ");
    for reason in [
        "no row of sleep.csv has the time of these states; the session was formed from them",
        "line 2: states before or after the night of the same time were omitted: 1",
    ] {
        assert!(noted.contains(reason), "{noted}");
    }
}

#[test]
fn the_one_state_of_an_old_mat_is_sleep_if_the_night_has_no_other_stage() {
    let night = table(&["2026-01-10T23:00:00Z,2026-01-10T23:30:00Z,1500,0,0,300,0,0,0,0,0,0,0,0,"]);
    let states = "start,duration,value\n2026-01-10T23:00:00Z,\"[300,1500]\",\"[0,1]\"\n";
    let items = folder(&[("sleep.csv", &night), ("raw_sleep-monitor_sleep-state.csv", states)]).unwrap();
    assert_eq!(stages(&accepted_session(&items)), ["AWAKE 23:00-23:05", "ASLEEP 23:05-23:30"]);
}

#[test]
fn rem_sleep_is_unknown_if_no_night_has_any() {
    let items =
        english(&["2016-01-10T23:00:00+01:00,2016-01-11T07:00:00+01:00,14400,12600,0,1800,1,300"]).unwrap();
    let record = accepted_session(&items);
    assert_eq!(metric(&record, MetricKind::TimeNightRem), None);
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(27_000.0));
    assert!(notes(&items).concat().contains("no night has REM sleep"));
}

#[test]
fn a_stage_without_a_number_leaves_the_time_asleep_unknown() {
    for blank in ["", "NA"] {
        let row =
            format!("2026-01-10T23:00:00+01:00,2026-01-11T07:00:00+01:00,14400,{blank},3600,1800,1,300");
        let record = accepted_session(&english(&[&row]).unwrap());
        assert_eq!(metric(&record, MetricKind::TimeNightLight), Some(14_400.0));
        assert_eq!(metric(&record, MetricKind::TimeNightAsleep), None);
    }
    let row = "2026-01-10T23:00:00+01:00,2026-01-11T07:00:00+01:00,many,-1,3600,1800,1,300";
    let noted = notes(&english(&[row]).unwrap()).concat();
    assert!(noted.contains("totals that are negative or not numbers were left out: 2"), "{noted}");
}

#[test]
fn times_of_an_old_export_are_read_in_the_given_zone() {
    let items = english(&["2026-03-28 23:00,2026-03-29 07:00,14400,3600,3600,1800,1,300"]).unwrap();
    assert_eq!(frame(&accepted_session(&items)), "2026-03-28T23:00:00+01:00 2026-03-29T07:00:00+02:00");
    let items = english(&["2026-03-29 02:30,2026-03-29 07:00,1440,3600,3600,1800,1,300"]).unwrap();
    assert!(notes(&items).concat().contains("skipped when the clocks went forward"));
}

#[test]
fn an_invalid_row_is_rejected_and_the_others_imported() {
    for (row, reason) in [
        (
            "2026-03-31T06:00:00+02:00,2026-03-31T06:00:00+02:00,0,0,0,0,0,0",
            "time in bed: the end is not after the start",
        ),
        (
            "2026-03-31T06:00:00+02:00,2026-03-31T05:00:00+02:00,0,0,0,0,0,0",
            "time in bed: the end is not after the start",
        ),
        ("2026-03-31T06:00:00+02:00,,0,0,0,0,0,0", "to is missing"),
        ("31/03/2026 06:00,2026-03-31T06:00:00+02:00,0,0,0,0,0,0", "from is not a date and time"),
        ("2026-03-31T06:00:00+02:00", "the number of fields differs from the header"),
    ] {
        let good = "2026-01-10T23:00:00+01:00,2026-01-11T07:00:00+01:00,14400,3600,3600,1800,1,300";
        let items = english(&[row, good]).unwrap();
        assert_eq!(rejections(&items), [format!("line 2: {reason}")]);
        assert_eq!(sessions(&items).len(), 1);
    }
}

#[test]
fn an_invalid_row_of_states_is_rejected_and_the_others_imported() {
    for (row, reason) in [
        ("never,[60],[1]", "start is not a date and time"),
        (",[60],[1]", "start is missing"),
        ("2026-01-10T22:00:00Z,[60],[7]", "unknown state"),
        ("2026-01-10T22:00:00Z,[60],awake", "value is not a list of numbers"),
        ("2026-01-10T22:00:00Z,60,[1]", "duration is not a list of numbers"),
        ("2026-01-10T22:00:00Z,\"[60,60]\",[1]", "duration and value have different numbers of elements"),
        ("2026-01-10T22:00:00Z,[-60],[1]", "a duration is negative or too long"),
        ("2026-01-10T22:00:00Z,[0],[1]", "the row: the end is not after the start"),
        ("2026-01-10T22:00:00Z,[],[]", "the row: the end is not after the start"),
    ] {
        let items = raw(&[row, "2026-01-10T23:00:00Z,[60],[1]"]).unwrap();
        assert_eq!(rejections(&items), [format!("line 2: {reason}")]);
        assert_eq!(sessions(&items).len(), 1);
    }
}

#[test]
fn rows_that_the_import_repeats_are_read_once() {
    let row = "2026-01-10T23:00:00+01:00,2026-01-11T07:00:00+01:00,14400,3600,3600,1800,1,300";
    let items = english(&[row, row]).unwrap();
    accepted_session(&items);
    assert!(
        notes(&items).contains(
            &"line 3: records that the import contains more than once were read once: 1".to_owned()
        )
    );
}

#[test]
fn nights_that_overlap_are_both_read() {
    let rows = [
        "2026-01-10T23:00:00+01:00,2026-01-11T07:00:00+01:00,14400,3600,3600,1800,1,300",
        "2026-01-10T23:00:00+01:00,2026-01-11T06:00:00+01:00,10800,3600,3600,1800,1,300",
    ];
    assert_eq!(sessions(&english(&rows).unwrap()).len(), 2);
}

#[test]
fn tables_of_other_measures_are_told_apart_by_name_or_values() {
    for text in [
        "start,duration,value\n",
        "start,duration,value\n2026-01-10T23:00:00Z,[60],[14]\n",
        "start,duration,value\n2026-01-10T23:00:00Z,[60],[0.5]\n",
        "start,duration,value\n2026-01-10T23:00:00Z,\"[60,60]\",\"[0,0]\"\n",
        "start,duration,value\n2026-01-10T23:00:00Z,[60],[0]\n2026-01-10T23:01:00Z,[60],[0]\n\
         2026-01-10T23:02:00Z,[60],[1]\n2026-01-10T23:03:00Z,[60],[7]\n2026-01-10T23:04:00Z,[60],[100]\n",
        "from,to,from (manual),to (manual),Timezone,Activity type,Data,GPS,Modified\n",
    ] {
        for format in [None, Some(Format::Fitbit)] {
            let refused = read(text.as_bytes(), format, "UTC").unwrap_err();
            let is_refused =
                matches!(refused, ImportRefusal::HoldsNoSleep(_) | ImportRefusal::OtherFormat { .. });
            assert!(is_refused, "{text}: {refused}");
        }
    }
    let night = table(&[NIGHT]);
    let laps = "start,duration,value\n2026-01-10T12:00:00Z,\"[60,60]\",\"[1,2]\"\n";
    for name in ["raw_tracker_lap-pool.csv", "raw_bed_snoring.csv"] {
        let items = folder(&[("sleep.csv", &night), (name, laps)]).unwrap();
        assert_eq!(sessions(&items).len(), 1);
        assert!(notes(&items).concat().contains(name));
    }
}

#[test]
fn a_measure_that_shows_late_changes_no_night() {
    let night = table(&[NIGHT]);
    let snoring = "start,duration,value\n2026-03-28T23:10:00+01:00,[60],[0]\n2026-03-28T23:11:00+01:00,[60],[0]\n\
        2026-03-28T23:12:00+01:00,[60],[0]\n2026-03-28T23:13:00+01:00,[60],[8]\n2026-03-28T23:14:00+01:00,[60],[100]\n";
    let items =
        folder(&[("sleep.csv", &night), ("b.csv", snoring), ("raw_bed_sleep-state.csv", RAW)]).unwrap();
    assert_eq!(stages(&sessions(&items)[0])[0], "AWAKE 23:10-23:25");
    assert!(notes(&items).iter().any(|note| note.starts_with("b.csv: this is a table of raw values")));
    assert_eq!(rejections(&items), Vec::<String>::new());
}

#[test]
fn other_headers_are_not_mistaken_for_a_translation() {
    for header in [
        ENGLISH.replace(",\"rem (s)\"", ""),
        ENGLISH.replace("\"rem (s)\"", "rem"),
        ENGLISH.replace("from", "from (s)"),
        ENGLISH.replace("\"wake up\"", "\"wake up (s)\""),
    ] {
        let text = format!("{header}\n");
        assert!(read(text.as_bytes(), None, "UTC").is_err(), "{header}");
    }
}

#[test]
fn a_table_with_its_header_only_has_no_records() {
    assert_eq!(english(&[]).unwrap(), []);
    let items = folder(&[("raw_bed_sleep-state.csv", "start,duration,value\n")]).unwrap();
    assert_eq!(items, []);
}

#[test]
fn a_table_truncated_in_a_row_is_rejected() {
    for text in
        [format!("{ENGLISH}\n2026-01-10T23:00:00+01:00,2026"), RAW.split_at(RAW.len() - 20).0.to_owned()]
    {
        let refused = read(text.as_bytes(), Format::Withings, "UTC").unwrap_err();
        assert!(matches!(refused, ImportRefusal::Damaged { .. }), "{refused}");
    }
}

#[test]
fn a_table_with_returns_is_read() {
    let text = format!("{ENGLISH}\r\n2026-01-10T23:00:00Z,2026-01-10T23:30:00Z,600,600,600,0,0,0\r\n");
    let items = read(text.as_bytes(), None, "UTC").unwrap();
    let record = accepted_session(&items);
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(1800.0));
    let plain = read(text.replace('\r', "").as_bytes(), None, "UTC").unwrap();
    assert_eq!(record, accepted_session(&plain));
    let states = "start,duration,value\r\n2026-01-10T23:00:00Z,[1800],[2]\r\n";
    let items = folder(&[("sleep.csv", &text), ("raw_tracker_sleep-state.csv", states)]).unwrap();
    assert_eq!(stages(&only_session(&items)), ["DEEP 23:00-23:30"]);
}
