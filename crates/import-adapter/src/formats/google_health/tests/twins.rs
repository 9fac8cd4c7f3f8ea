//! Nights that Fitbit's JSON of the same import contains, and rows with the offset +00:00.

use super::{
    ImportItem, SLEEPS, STAGES, SleepRecord, accepted_session, alone, frame, items, metric, night,
    night_stages, notes, rejections, sessions, sleep, stages, together,
};
use domain::id::SleepSessionId;
use domain::sleep::{MetricKind, Reconciliation, SleepSession, reconcile};
use proptest::prelude::{any, prop, prop_assert_eq, proptest};

const SAME: &str = "nights that the JSON of the same import contains as well were read from there";
const RICHER: &str = "nights of the JSON of the same import have the stages of this table";

fn log(id: u64, start: &str, end: &str, level: &str) -> String {
    let data = if level.is_empty() {
        String::new()
    } else {
        format!(r#"{{"dateTime":"{start}:00.000","level":"{level}","seconds":3600}}"#)
    };
    format!(
        r#"{{"logId":{id},"startTime":"{start}:00.000","endTime":"{end}:00.000","mainSleep":true,
        "levels":{{"data":[{data}]}}}}"#
    )
}

/// Reads logs and both tables, the logs before or after the tables.
fn import(logs: &[String], rows: &str, stage_rows: &str, json: &str, zone: &str) -> Vec<ImportItem> {
    let logs = format!("[{}]", logs.join(","));
    let (rows, stage_rows) = (format!("{SLEEPS}{rows}"), format!("{STAGES}{stage_rows}"));
    together(&[(json, logs), ("b.csv", rows), ("c.csv", stage_rows)], zone)
}

fn keys(found: &[ImportItem]) -> Vec<String> {
    sessions(found).iter().map(|session| session.key().to_stored()).collect()
}

#[test]
fn a_night_of_both_is_the_log_wherever_the_files_are() {
    for json in ["a.json", "d.json"] {
        for (start, end) in [("23:00", "06:00"), ("22:48", "05:31"), ("23:00", "04:00")] {
            let (start, end) = (format!("2026-10-24T{start}"), format!("2026-10-25T{end}"));
            let found =
                import(&[log(5, &start, &end, "deep")], &night(), &night_stages(), json, "Europe/Berlin");
            assert_eq!(keys(&found), ["given:5"]);
            assert_eq!(notes(&found), [format!("b.csv: line 2: {SAME}: 1")]);
        }
    }
}

#[test]
fn nights_that_share_less_than_half_are_both_read() {
    for (start, end) in [("2026-10-25T05:59", "2026-10-25T07:00"), ("2026-10-24T16:00", "2026-10-25T01:00")] {
        let found =
            import(&[log(5, start, end, "deep")], &night(), &night_stages(), "a.json", "Europe/Berlin");
        assert_eq!((sessions(&found).len(), notes(&found)), (2, vec![]));
    }
}

#[test]
fn a_night_of_a_journey_is_the_log_with_the_offsets_of_the_table() {
    for (json, level) in [("a.json", "deep"), ("d.json", "deep"), ("a.json", "")] {
        let log = log(5, "2026-10-24T23:00", "2026-10-25T06:00", level);
        let found = import(&[log], &night(), &night_stages(), json, "America/New_York");
        let of_both = "2026-10-24T23:00:00+02:00 2026-10-25T06:00:00+01:00";
        let expected = if level.is_empty() { vec![of_both; 2] } else { vec![of_both] };
        assert_eq!(frames(&found), expected);
        let written = "the offset is that of this night in the table UserSleeps of the same import";
        assert!(notes(&found).concat().contains(written));
        if level.is_empty() {
            assert_eq!(stages(&sessions(&found)[1])[..2], ["AWAKE 23:00-23:09", "LIGHT 23:09-00:10"]);
        }
    }
}

#[test]
fn of_two_states_of_a_row_the_later_one_has_the_offsets_of_the_log() {
    let log = [log(5, "2026-10-20T23:00", "2026-10-21T06:00", "deep")];
    let row = |instant: &str, end: &str, offset, updated| {
        sleep(101, "0,0,441,39", (instant, offset), (end, offset)).replace("2026-10-28T00", updated)
    };
    let late = row("2026-10-20T21:00:00Z", "2026-10-21T04:00:00Z", "+02:00", "2026-10-29T00");
    let early = row("2026-10-20T22:00:00Z", "2026-10-21T05:00:00Z", "+01:00", "2026-10-28T00");
    for (rows, zone) in [(format!("{early}{late}"), "Europe/Berlin"), (format!("{late}{early}"), "UTC")] {
        let found = import(&log, &rows, "", "a.json", zone);
        assert_eq!(frames(&found), ["2026-10-20T23:00:00+02:00 2026-10-21T06:00:00+02:00"], "{zone}");
    }
}

#[test]
fn a_log_that_begins_in_a_repeated_hour_has_the_offset_of_the_table() {
    let row =
        sleep(101, "0,0,441,39", ("2026-10-25T01:30:00Z", "+01:00"), ("2026-10-25T05:00:00Z", "+01:00"));
    let log = log(5, "2026-10-25T02:30", "2026-10-25T06:00", "deep");
    let found = import(&[log], &row, "", "a.json", "Europe/Berlin");
    assert_eq!(frames(&found), ["2026-10-25T02:30:00+01:00 2026-10-25T06:00:00+01:00"]);
}

#[test]
fn a_part_of_a_night_of_the_json_is_no_further_session() {
    let whole = log(5, "2026-10-24T12:00", "2026-10-25T08:00", "deep");
    let found = import(&[whole], &night(), &night_stages(), "a.json", "Europe/Berlin");
    assert_eq!(keys(&found), ["given:5"]);
    assert_eq!(notes(&found), [format!("b.csv: line 2: {SAME}: 1")]);
}

#[test]
fn a_part_with_stages_of_a_night_without_them_is_read() {
    let whole = log(5, "2026-10-24T12:00", "2026-10-25T08:00", "");
    let found = import(&[whole], &night(), &night_stages(), "a.json", "Europe/Berlin");
    assert_eq!((sessions(&found).len(), notes(&found)), (2, vec![]));
}

#[test]
fn a_log_without_stages_has_those_of_the_table() {
    for (start, end) in [("2026-10-24T23:00", "2026-10-25T06:00"), ("2026-10-24T22:55", "2026-10-25T05:50")] {
        let log = log(5, start, end, "");
        let found = import(&[log], &night(), &night_stages(), "a.json", "Europe/Berlin");
        let [log, night] = <[SleepRecord; 2]>::try_from(sessions(&found)).unwrap();
        assert_eq!(night.time_in_bed(), log.time_in_bed());
        assert_eq!((log.hypnogram().len(), night.hypnogram().len()), (0, 6));
        assert!(!night.key().is_given());
        assert_eq!(notes(&found), [format!("b.csv: line 2: {RICHER}: 1")]);
    }
}

fn stored(record: &SleepRecord) -> [SleepSession; 1] {
    let id = SleepSessionId::from_uuid(uuid::Uuid::from_u128(1));
    [SleepSession { id, record: record.clone(), updated_at: record.time_in_bed().end() }]
}

#[test]
fn a_log_and_its_stages_are_one_session_also_when_they_are_imported_again() {
    let log = log(5, "2026-10-24T22:55", "2026-10-25T05:50", "");
    let found = import(&[log], &night(), &night_stages(), "a.json", "Europe/Berlin");
    let [log, night] = <[SleepRecord; 2]>::try_from(sessions(&found)).unwrap();
    let decision = reconcile(&stored(&log), &night);
    assert!(matches!(decision, Reconciliation::Replace { removes, .. } if removes.is_empty()));
    for again in [log, night.clone()] {
        assert!(matches!(reconcile(&stored(&night), &again), Reconciliation::Unchanged(_)));
    }
}

#[test]
fn a_log_and_a_night_of_a_later_import_are_one_session() {
    let log = format!("[{}]", log(5, "2026-10-24T23:00", "2026-10-25T06:00", "deep"));
    // The end of the stages shows which of the two hours after the clock change is meant.
    let log = log.replace("3600", "28800");
    let log = accepted_session(&items(&log, None, "Europe/Berlin"));
    let tables = import(&[], &night(), &night_stages(), "a.json", "Europe/Berlin");
    let answers = items(&format!("[{}]", super::api::NIGHT), None, "Europe/Berlin");
    for later in [tables, answers].map(|found| accepted_session(&found)) {
        assert!(matches!(reconcile(&stored(&log), &later), Reconciliation::Unchanged(_)));
        assert!(matches!(reconcile(&stored(&later), &log), Reconciliation::Replace { .. }));
    }
}

#[test]
fn a_log_without_totals_has_those_of_the_table_if_its_time_is_the_same() {
    let read = |start| {
        let log = log(5, start, "2026-10-25T06:00", "");
        import(&[log], &night(), "", "a.json", "Europe/Berlin")
    };
    let found = read("2026-10-24T23:00");
    assert_eq!(metric(&sessions(&found)[1], MetricKind::TimeNightAsleep), Some(441.0 * 60.0));
    let found = read("2026-10-24T22:55");
    assert_eq!(sessions(&found).len(), 1);
    assert!(notes(&found).concat().contains(SAME));
}

#[test]
fn the_log_that_shares_most_is_the_twin() {
    let logs = [
        log(5, "2026-10-24T23:00", "2026-10-25T02:50", ""),
        log(6, "2026-10-24T23:30", "2026-10-25T06:00", "rem"),
    ];
    let found = import(&logs, &night(), &night_stages(), "a.json", "Europe/Berlin");
    assert_eq!(keys(&found), ["given:5", "given:6"]);
}

fn without_offset(day: u32, start: &str, end: &str) -> String {
    let (start, end) = (format!("2026-01-{day}T{start}Z"), format!("2026-01-{}T{end}Z", day + 1));
    sleep(u64::from(day), "0,0,400,20", (&start, "+00:00"), (&end, "+00:00"))
}

fn frames(found: &[ImportItem]) -> Vec<String> {
    assert_eq!(rejections(found), Vec::<String>::new());
    sessions(found).iter().map(frame).collect()
}

#[test]
fn rows_without_a_known_offset_are_local_times_if_the_json_shows_it() {
    let rows = without_offset(10, "23:05:00", "06:05:00") + &without_offset(12, "22:00:30", "06:00:00");
    let log = log(5, "2026-01-10T23:05", "2026-01-11T06:05", "deep");
    let of_second = "12,1,DEEP,+00:00,2026-01-12T22:30:00Z,+00:00,2026-01-12T23:30:00Z,DERIVED,,,\n";
    let found = import(&[log], &rows, of_second, "a.json", "America/Los_Angeles");
    assert_eq!(
        frames(&found),
        [
            "2026-01-10T23:05:00-08:00 2026-01-11T06:05:00-08:00",
            "2026-01-12T22:00:30-08:00 2026-01-13T06:00:00-08:00"
        ]
    );
    let second = &sessions(&found)[1];
    assert_eq!(stages(second), ["DEEP 22:30-23:30"]);
    assert_eq!(second.key().to_stored(), "derived:2026-01-13T06:00:30.000Z");
    let noted = notes(&found);
    assert!(noted.contains(&format!("b.csv: line 2: {SAME}: 1")), "{noted:?}");
    let local = "b.csv: line 3: nights with the offset +00:00 whose times are local times, as the JSON of the \
        same import shows; they were read in the zone given for the import: 1";
    assert!(noted.contains(&local.to_owned()), "{noted:?}");
}

#[test]
fn rows_without_a_known_offset_are_instants_if_the_json_shows_it() {
    let rows = without_offset(10, "22:05:00", "05:05:00") + &without_offset(12, "22:00:00", "06:00:00");
    let log = log(5, "2026-01-10T23:05", "2026-01-11T06:05", "deep");
    let found = import(&[log], &rows, "", "a.json", "Europe/Berlin");
    assert_eq!(frames(&found)[1..], ["2026-01-12T23:00:00+01:00 2026-01-13T07:00:00+01:00"]);
    assert!(notes(&found).concat().contains("they have the offset of the zone given for the import: 1"));
}

#[test]
fn rows_without_a_known_offset_are_read_as_written_without_evidence() {
    let rows = without_offset(10, "23:05:00", "06:05:00") + &without_offset(12, "22:00:00", "06:00:00");
    let expected = [
        "2026-01-10T23:05:00+00:00 2026-01-11T06:05:00+00:00",
        "2026-01-12T22:00:00+00:00 2026-01-13T06:00:00+00:00",
    ];
    let note =
        "which the export also writes where it does not know the offset; their times were read as UTC: 2";
    let found = items(&format!("{SLEEPS}{rows}"), None, "America/Los_Angeles");
    assert_eq!(frames(&found), expected);
    assert!(notes(&found).concat().contains(note));
    // One night speaks for local times and one for instants.
    let more = without_offset(20, "23:00:00", "07:00:00") + &without_offset(22, "07:00:00", "15:00:00");
    let logs = [
        log(5, "2026-01-20T23:00", "2026-01-21T07:00", "rem"),
        log(6, "2026-01-21T23:00", "2026-01-22T07:00", "rem"),
    ];
    let more = more.replace("2026-01-23T15", "2026-01-22T15");
    let found = import(&logs, &(rows + &more), "", "a.json", "America/Los_Angeles");
    assert_eq!(frames(&found)[2..], expected);
    assert!(notes(&found).concat().contains(note), "{found:?}");
}

#[test]
fn the_offset_0_is_right_where_the_zone_has_it() {
    let found =
        items(&format!("{SLEEPS}{}", without_offset(10, "23:05:00", "06:05:00")), None, "Europe/London");
    assert_eq!(frames(&found), ["2026-01-10T23:05:00+00:00 2026-01-11T06:05:00+00:00"]);
    assert!(!notes(&found).concat().contains("+00:00"));
    assert!(!notes(&alone(&night())).concat().contains("+00:00"));
    assert_eq!(accepted_session(&alone(&night())).is_nap(), None);
}

#[test]
fn the_json_alone_is_read_as_before() {
    let logs = format!("[{}]", log(5, "2026-01-10T23:05", "2026-01-11T06:05", "deep"));
    let night = accepted_session(&items(&logs, None, "Europe/Berlin"));
    assert_eq!(
        (night.key().to_stored().as_str(), stages(&night)),
        ("given:5", vec!["DEEP 23:05-00:05".to_owned()])
    );
}

/// Sums the amounts of the notes with this text.
fn noted(found: &[ImportItem], text: &str) -> usize {
    let amount = |item: &ImportItem| match item {
        ImportItem::Note(note) if note.reason == text => note.amount,
        _ => None,
    };
    usize::try_from(found.iter().filter_map(amount).sum::<u64>()).unwrap()
}

proptest! {
    #[test]
    fn a_night_is_one_session_whichever_tables_contain_it(
        nights in prop::collection::vec((any::<[bool; 4]>(), 0..120_u32), 1..18),
        is_json_first in any::<bool>(),
    ) {
        let (mut logs, mut rows, mut stage_rows, mut count, mut both) = (vec![], vec![], vec![], 0, 0);
        for (day, ([in_json, in_table, has_levels, has_stages], late)) in (10..).zip(nights) {
            let clock = format!("2026-01-{day}T{:02}:{:02}", 20 + late / 60, late % 60);
            if in_json {
                let level = if has_levels { "light" } else { "" };
                logs.push(log(day, &clock, &format!("2026-01-{}T05:30", day + 1), level));
            }
            if in_table {
                let (start, end) = (format!("2026-01-{day}T20:00:00Z"), format!("2026-01-{}T05:00:00Z", day + 1));
                rows.push(sleep(day, "0,0,400,20", (&start, "+01:00"), (&end, "+01:00")));
                if has_stages {
                    stage_rows.push(super::stage(day, 1, "REM", &start, &end));
                }
            }
            count += usize::from(in_json || in_table);
            both += usize::from(in_json && in_table);
        }
        let json = if is_json_first { "a.json" } else { "d.json" };
        let found = import(&logs, &rows.concat(), &stage_rows.concat(), json, "Europe/Berlin");
        let (same, richer) = (noted(&found, SAME), noted(&found, RICHER));
        prop_assert_eq!((sessions(&found).len(), same + richer), (count + richer, both));
    }
}
