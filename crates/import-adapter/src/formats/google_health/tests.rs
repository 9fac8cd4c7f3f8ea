mod api;
mod twins;

use crate::Format;
use crate::testing::{
    accepted_session, frame, items, metric, notes, read, read_path, rejections, sessions, stages,
};
use application::ports::import_source::{ImportItem, ImportRefusal};
use domain::sleep::{MetricKind, SleepRecord};
use std::fs;

const SLEEPS: &str = "sleep_id,sleep_type,minutes_in_sleep_period,minutes_after_wake_up,\
    minutes_to_fall_asleep,minutes_asleep,minutes_awake,minutes_longest_awakening,\
    minutes_to_persistent_sleep,start_utc_offset,sleep_start,end_utc_offset,sleep_end,data_source,\
    algorithm_version,sleep_created,sleep_last_updated\n";
const STAGES: &str = "sleep_id,sleep_stage_id,sleep_stage_type,start_utc_offset,sleep_stage_start,\
    end_utc_offset,sleep_stage_end,data_source,algorithm_version,sleep_stage_created,\
    sleep_stage_last_updated\n";

/// A row of the table of sessions, whose minutes are the four after the period's.
fn sleep(id: u64, minutes: &str, from: (&str, &str), to: (&str, &str)) -> String {
    let (updated, (start, offset), (end, end_offset)) = ("2026-10-28T00:00:00Z", from, to);
    format!(
        "{id},STAGES,480,{minutes},21,9,{offset},{start},{end_offset},{end},DERIVED,sleep_session_v2,{updated},{updated}\n"
    )
}

fn stage(id: u64, number: u64, word: &str, start: &str, end: &str) -> String {
    format!("{id},{number},{word},+02:00,{start},+02:00,{end},DERIVED,sleep_session_v2,x,x\n")
}

/// A night in which the clocks of central Europe went back.
fn night() -> String {
    sleep(101, "0,0,441,39", ("2026-10-24T21:00:00Z", "+02:00"), ("2026-10-25T05:00:00Z", "+01:00"))
}

/// The stages of that night, out of order.
fn night_stages() -> String {
    [
        stage(101, 3, "DEEP", "2026-10-24T22:10:30Z", "2026-10-24T23:30:30Z"),
        stage(101, 1, "AWAKE", "2026-10-24T21:00:00Z", "2026-10-24T21:09:00Z"),
        stage(101, 2, "LIGHT", "2026-10-24T21:09:00Z", "2026-10-24T22:10:30Z"),
        stage(101, 5, "rem", "2026-10-25T02:40:00Z", "2026-10-25T04:30:00Z"),
        stage(101, 4, "LIGHT", "2026-10-24T23:30:30Z", "2026-10-25T02:40:00Z"),
        stage(101, 6, "RESTLESS", "2026-10-25T04:30:00Z", "2026-10-25T05:00:00Z"),
    ]
    .concat()
}

/// Reads files of one folder, in the order of their names.
fn together(files: &[(&str, String)], zone: &str) -> Vec<ImportItem> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    read_path(folder.path(), None, zone).unwrap().1
}

fn both(rows: &str, stages: &str) -> Vec<ImportItem> {
    let tables = [("a.csv", format!("{SLEEPS}{rows}")), ("b.csv", format!("{STAGES}{stages}"))];
    together(&tables, "Europe/Berlin")
}

fn alone(rows: &str) -> Vec<ImportItem> {
    items(&format!("{SLEEPS}{rows}"), None, "Europe/Berlin")
}

/// Returns the reason for which a table of one row is rejected.
fn rejection(row: &str) -> String {
    let found = alone(row);
    assert!(sessions(&found).is_empty());
    rejections(&found).concat()
}

#[test]
fn a_night_has_its_stages_and_the_offsets_of_both_ends() {
    let night = accepted_session(&both(&night(), &night_stages()));
    assert_eq!(frame(&night), "2026-10-24T23:00:00+02:00 2026-10-25T06:00:00+01:00");
    assert_eq!(
        stages(&night),
        [
            "AWAKE 23:00-23:09",
            "LIGHT 23:09-00:10",
            "DEEP 00:10-01:30",
            "LIGHT 01:30-04:40",
            "REM 04:40-06:30",
            "AWAKE 06:30-07:00"
        ]
    );
    assert_eq!((night.source().unwrap().as_str(), night.is_nap()), ("fitbit", None));
    assert_eq!(night.key().to_stored(), "derived:2026-10-24T21:00:00.000Z");
    assert_eq!(metric(&night, MetricKind::TimeNightDeep), Some(4800.0));
    assert_eq!(metric(&night, MetricKind::TimeNightAwake), Some(39.0 * 60.0));
}

#[test]
fn the_tables_may_be_in_any_order_and_several_files() {
    let tables = |first: &str, second: &str, third: &str| {
        let stages = night_stages();
        let (half, rest) = stages.split_at(stages.find("101,5").unwrap());
        together(
            &[
                (first, format!("{STAGES}{half}")),
                (second, format!("{SLEEPS}{}", night())),
                (third, format!("{STAGES}{rest}")),
            ],
            "Europe/Berlin",
        )
    };
    let expected = accepted_session(&both(&night(), &night_stages()));
    for (first, second, third) in [("a", "b", "c"), ("c", "a", "b"), ("b", "c", "a")] {
        assert_eq!(accepted_session(&tables(first, second, third)), expected);
    }
}

#[test]
fn both_versions_of_the_header_and_other_orders_of_columns_are_read() {
    let header = "SLEEP_END,user_id,sleep_start,sleep_type,sleep_id,start_utc_offset,end_utc_offset";
    let row = "2026-10-25T05:00:00.000000Z,me,2026-10-24 21:00:00+0000,CLASSIC,101,+02:00,+01:00";
    for text in
        [format!("{header}\n{row}\n"), format!("{header}\r\n{row}\r\n"), format!("\u{feff}{header}\n{row}")]
    {
        let night = accepted_session(&items(&text, None, "UTC"));
        assert_eq!(frame(&night), "2026-10-24T23:00:00+02:00 2026-10-25T06:00:00+01:00");
    }
    let older = SLEEPS.replace("algorithm_version,", "");
    let text = format!("{older}{}", night().replace("sleep_session_v2,", ""));
    assert_eq!(accepted_session(&items(&text, None, "UTC")), accepted_session(&alone(&night())));
}

#[test]
fn sessions_alone_have_the_totals_of_their_rows_and_advice() {
    let found = alone(&night());
    let night = accepted_session(&found);
    for (kind, minutes) in [
        (MetricKind::TimeNightInBed, 480.0),
        (MetricKind::TimeNightAsleep, 441.0),
        (MetricKind::TimeNightAwake, 39.0),
    ] {
        assert_eq!(metric(&night, kind), Some(minutes * 60.0), "{kind:?}");
    }
    assert!(notes(&found).concat().starts_with("line 2: the nights have no stages; import the files"));
}

#[test]
fn totals_of_0_are_unknown_and_unreadable_ones_are_noted() {
    let at = (("2026-10-24T21:00:00Z", "+02:00"), ("2026-10-25T05:00:00Z", "+01:00"));
    let found = alone(&sleep(1, "0,0,0,0", at.0, at.1));
    assert_eq!(metric(&accepted_session(&found), MetricKind::TimeNightAsleep), None);
    assert!(notes(&found).concat().contains("all totals are 0"));
    let found = alone(&sleep(1, "0,12,x,-1", at.0, at.1));
    let note = "line 2: totals that are negative or not numbers were left out: 2";
    assert!(notes(&found).contains(&note.to_owned()), "{found:?}");
    assert_eq!(metric(&accepted_session(&found), MetricKind::SleepLatency), Some(720.0));
}

#[test]
fn a_nap_is_a_session() {
    let nap = sleep(102, "0,0,55,6", ("2026-10-25T05:00:00Z", "+01:00"), ("2026-10-25T06:01:00Z", "+01:00"));
    let naps = stage(102, 9, "ASLEEP", "2026-10-25T05:00:00Z", "2026-10-25T05:55:00Z")
        + &stage(102, 10, "Restless", "2026-10-25T05:55:00Z", "2026-10-25T06:01:00Z");
    let found = both(&(night() + &nap), &(naps + &night_stages()));
    let of_all: Vec<_> = sessions(&found).iter().map(|one| one.hypnogram().len()).collect();
    assert_eq!(of_all.len(), 2);
    assert!(of_all.contains(&6) && of_all.contains(&2), "{of_all:?}");
    assert_eq!(notes(&found), Vec::<String>::new());
}

#[test]
fn stages_alone_form_a_session_of_each_id() {
    let text = format!("{STAGES}{}", night_stages());
    let found = items(&text, None, "Europe/Berlin");
    let night = accepted_session(&found);
    assert_eq!(frame(&night), "2026-10-24T23:00:00+02:00 2026-10-25T07:00:00+02:00");
    let note = "line 2: no session has the id of these stages; the session was formed from them";
    assert_eq!((night.hypnogram().len(), notes(&found)), (6, vec![note.to_owned()]));
}

#[test]
fn rows_that_the_export_repeats_are_read_once_and_counted() {
    let found = both(&night().repeat(2), &night_stages().repeat(2));
    assert_eq!(accepted_session(&found), accepted_session(&both(&night(), &night_stages())));
    assert!(
        notes(&found).concat().ends_with("records that the import contains more than once were read once: 7")
    );
}

#[test]
fn of_two_states_of_a_session_the_later_one_is_read() {
    let later = night().replace("0,0,441,39", "0,0,400,80").replace("28T00", "29T00");
    for rows in [night() + &later, later.clone() + &night()] {
        let found = alone(&rows);
        assert_eq!(metric(&accepted_session(&found), MetricKind::TimeNightAsleep), Some(24_000.0));
        assert!(notes(&found).concat().contains("more than once were read once: 1"), "{found:?}");
    }
}

#[test]
fn two_nights_with_one_id_are_both_read() {
    let next = night().replace("10-24T", "10-25T").replace("10-25T05", "10-26T05").replace("28T00", "29T00");
    assert_eq!(sessions(&alone(&(night() + &next))).len(), 2);
}

#[test]
fn stages_beyond_their_session_are_trimmed_or_omitted_with_a_note() {
    let more = stage(101, 7, "LIGHT", "2026-10-25T04:59:00Z", "2026-10-25T05:10:00Z")
        + &stage(101, 8, "LIGHT", "2026-10-25T08:00:00Z", "2026-10-25T08:10:00Z");
    let found = both(&night(), &(night_stages() + &more));
    assert_eq!(accepted_session(&found).hypnogram().len(), 6);
    let noted = notes(&found).concat();
    assert!(noted.contains("stages that extend beyond the time in bed were trimmed: 1"), "{noted}");
    assert!(noted.contains("stages outside the session with their id were omitted: 1"), "{noted}");
}

#[test]
fn an_unknown_stage_is_unknown_and_counted() {
    let found = both(&night(), &night_stages().replace("RESTLESS", "DOZING").replace("DEEP", "UNSPECIFIED"));
    let night = accepted_session(&found);
    let unknown = stages(&night).into_iter().filter(|stage| stage.starts_with("UNKNOWN")).count();
    assert_eq!(unknown, 2);
    let note = "line 7: stages with an unknown sleep_stage_type were stored as UNKNOWN: 1";
    assert!(notes(&found).concat().contains(note), "{found:?}");
}

#[test]
fn an_invalid_row_is_rejected_and_the_others_are_read() {
    for (part, other, reason) in [
        ("101,STAGES", ",STAGES", "sleep_id is missing"),
        ("2026-10-24T21:00:00Z", "", "sleep_start is missing"),
        ("2026-10-24T21:00:00Z", "yesterday", "sleep_start is not a time in UTC"),
        ("2026-10-24T21:00:00Z", "2026-10-24T21:00:00", "sleep_start is not a time in UTC"),
        ("2026-10-25T05:00:00Z", "2026-02-30T05:00:00Z", "sleep_end is not a time in UTC"),
        ("2026-10-25T05:00:00Z", "2026-10-24T21:00:00Z", "time in bed: the end is not after the start"),
        ("+01:00", "CET", "end_utc_offset is not an offset such as +02:00"),
        (",DERIVED", "", "the number of fields differs from the header"),
    ] {
        let row = night().replace(part, other);
        assert_eq!(rejection(&row), format!("line 2: {reason}"), "{row}");
        assert_eq!(sessions(&alone(&(row + &night()))).len(), 1);
    }
}

#[test]
fn an_invalid_stage_is_rejected_and_the_others_are_read() {
    for (part, other, reason) in [
        ("101,3,", ",3,", "sleep_id is missing"),
        ("DEEP", "", "sleep_stage_type is missing"),
        ("2026-10-24T22:10:30Z", "soon", "sleep_stage_start is not a time in UTC"),
        ("2026-10-24T23:30:30Z", "2026-10-24T22:00:00Z", "the end is not after the start"),
        ("+02:00", "+99:00", "start_utc_offset is not an offset such as +02:00"),
    ] {
        let text = night_stages().replacen(part, other, 1);
        let found = both(&night(), &text);
        assert_eq!(rejections(&found), [format!("b.csv: line 2: {reason}")]);
        assert!(sessions(&found)[0].hypnogram().len() >= 5);
    }
}

#[test]
fn a_row_without_an_offset_has_that_of_the_zone() {
    let row = night().replace("+02:00", "").replace("+01:00", "");
    let night = accepted_session(&alone(&row));
    assert_eq!(frame(&night), "2026-10-24T23:00:00+02:00 2026-10-25T06:00:00+01:00");
}

#[test]
fn tables_without_rows_are_well_formed_and_truncated_ones_are_not() {
    for text in [SLEEPS, STAGES] {
        assert_eq!(read(text.as_bytes(), None, "UTC"), Ok(vec![]));
    }
    for (header, rows) in [(SLEEPS, night()), (STAGES, night_stages())] {
        let text = format!("{header}{rows}");
        let cut = text.rfind("DERIVED").unwrap();
        let refused = read(&text.as_bytes()[..cut], Format::GoogleHealth, "UTC").unwrap_err();
        assert!(matches!(refused, ImportRefusal::Damaged { .. }), "{refused}");
    }
}

#[test]
fn a_column_that_a_header_has_twice_is_named() {
    for (header, column) in [(SLEEPS, "sleep_start"), (STAGES, "sleep_stage_type")] {
        let text = header.replace('\n', &format!(",{column}\n"));
        let refused = read(text.as_bytes(), None, "UTC").unwrap_err().to_string();
        assert!(
            refused.ends_with(&format!("the header has the column {column} more than once")),
            "{refused}"
        );
    }
}

#[test]
fn a_translated_header_is_refused() {
    let text = SLEEPS.replace("sleep_start", "schlaf_beginn");
    let refused = read(format!("{text}{}", night()).as_bytes(), None, "UTC").unwrap_err();
    assert!(matches!(refused, ImportRefusal::NotThisFormat(_)), "{refused}");
}

#[test]
fn other_tables_of_the_export_are_refused_with_advice() {
    for header in [
        "sleep_id,sleep_score_id,data_source,score_utc_offset,score_time,overall_score",
        "exercise_id,exercise_start,exercise_end,utc_offset",
        "creation_date,sleep_type,deep_sleep,rem_sleep,sleep_duration,sleep_start_time,schedule_variability",
        "type,sleep_start,sleep_end,temperature_samples,nightly_temperature",
        "timestamp,mean_dba,max_dba,min_dba",
        "timestamp,full_sleep_breathing_rate",
        "DATE,UPDATED_AT,STRESS_SCORE,SLEEP_POINTS",
        "date,readiness_score_value",
    ] {
        let refused = read(format!("{header}\n").as_bytes(), None, "UTC").unwrap_err();
        assert!(matches!(refused, ImportRefusal::HoldsNoSleep(_)), "{header}: {refused}");
    }
}
