use super::{Join, JoinNames, JoinedSession, JoinedStage};
use crate::collections::Collection as _;
use crate::source::{Items, Notes};
use crate::testing::{notes, sessions, stages};
use application::ports::import_source::ImportItem;
use chrono::{DateTime, TimeDelta, Utc};
use domain::sleep::{MetricKind, SourceTotals, Stage, TimeInBed};
use std::time::Duration;

fn at(minute: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_768_086_000 + minute * 60, 0).unwrap()
}

fn join() -> Join {
    let (unit, source, without_stages) = ("line", "ring", "import both tables");
    Join::new(JoinNames { unit, source, without_stages })
}

fn session(start: i64, end: i64) -> JoinedSession {
    let time_in_bed = TimeInBed::new(at(start), at(end), None, None).unwrap();
    let totals = SourceTotals::default();
    JoinedSession { time_in_bed, source: crate::session::source("ring").unwrap(), is_nap: None, totals }
}

fn stage(stage: Stage, start: i64, end: i64) -> JoinedStage {
    JoinedStage { stage, start: at(start), end: at(end), offset: None }
}

fn emitted(join: &mut Join) -> Vec<ImportItem> {
    let mut items = Items::default();
    while join.next_session(&mut items).is_some() {}
    items.take()
}

#[test]
fn a_session_and_its_stages_are_joined_in_any_order_of_rows() {
    let add = |join: &mut Join, row: usize| match row {
        0 => join.add_session("a", 1, session(0, 60), Notes::default()).unwrap(),
        1 => join.add_stage("a", 2, stage(Stage::Deep, 20, 60)).unwrap(),
        _ => join.add_stage("a", 3, stage(Stage::Light, 0, 20)).unwrap(),
    };
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
        let mut join = join();
        for row in order {
            add(&mut join, row);
        }
        let items = emitted(&mut join);
        assert_eq!(stages(&sessions(&items)[0]), ["LIGHT 23:00-23:20", "DEEP 23:20-00:00"]);
        assert_eq!((items.len(), items[0].place()), (1, "line 1"));
    }
}

#[test]
fn a_row_that_the_import_repeats_is_read_once_and_counted() {
    let mut join = join();
    for number in [1, 2, 3] {
        join.add_session("a", number, session(0, 60), Notes::default()).unwrap();
        join.add_stage("a", number + 10, stage(Stage::Light, 0, 60)).unwrap();
    }
    let items = emitted(&mut join);
    assert_eq!(sessions(&items).len(), 1);
    assert_eq!(notes(&items), ["line 2: records that the import contains more than once were read once: 4"]);
}

#[test]
fn two_sessions_with_one_id_have_the_stages_that_they_overlap() {
    let mut join = join();
    join.add_session("a", 1, session(0, 60), Notes::default()).unwrap();
    join.add_session("a", 2, session(600, 660), Notes::default()).unwrap();
    join.add_stage("a", 3, stage(Stage::Light, 0, 60)).unwrap();
    join.add_stage("a", 4, stage(Stage::Rem, 600, 661)).unwrap();
    join.add_stage("a", 5, stage(Stage::Rem, 300, 310)).unwrap();
    let items = emitted(&mut join);
    let found: Vec<_> = sessions(&items).iter().map(stages).collect();
    assert_eq!(found, [["LIGHT 23:00-00:00"], ["REM 09:00-10:00"]]);
    assert_eq!(
        notes(&items),
        [
            "line 2: stages that extend beyond the time in bed were trimmed: 1",
            "line 5: stages outside the session with their id were omitted: 1"
        ]
    );
}

#[test]
fn stages_without_a_session_form_one() {
    let mut join = join();
    join.add_stage("a", 7, stage(Stage::Light, 30, 60)).unwrap();
    join.add_stage("a", 8, stage(Stage::Deep, 0, 30)).unwrap();
    let items = emitted(&mut join);
    assert_eq!(stages(&sessions(&items)[0]), ["DEEP 23:00-23:30", "LIGHT 23:30-00:00"]);
    let note = "line 7: no session has the id of these stages; the session was formed from them";
    assert_eq!(notes(&items), [note]);
}

#[test]
fn sessions_without_any_stage_have_their_totals_and_one_note() {
    let mut join = join();
    let totals = SourceTotals { asleep: Some(Duration::from_mins(50)), ..SourceTotals::default() };
    for (id, start) in [("a", 0), ("b", 600)] {
        let session = JoinedSession { totals, ..session(start, start + 60) };
        join.add_session(id, 1, session, Notes::default()).unwrap();
    }
    let items = emitted(&mut join);
    assert_eq!(notes(&items), ["line 1: import both tables"]);
    for record in sessions(&items) {
        assert_eq!(crate::testing::metric(&record, MetricKind::TimeNightAsleep), Some(3000.0));
        assert!(!record.key().is_given());
    }
}

#[test]
fn stages_with_too_many_ids_are_refused_and_leave_room_for_sessions() {
    let mut join = join();
    let one = stage(Stage::Light, 0, 60);
    for id in 0..200_000 {
        join.add_stage(&id.to_string(), id, one).unwrap();
    }
    assert!(join.add_stage("a", 1, one).is_err());
    join.add_session("a", 1, session(600, 660), Notes::default()).unwrap();
}

#[test]
fn a_stage_that_ends_before_it_starts_is_rejected() {
    assert!(join().add_stage("a", 1, stage(Stage::Light, 10, 10)).is_err());
}

#[test]
fn the_stages_of_united_ids_are_those_of_one_session() {
    for order in [[("b", "a"), ("c", "b")], [("c", "b"), ("b", "a")], [("b", "a"), ("c", "a")]] {
        let mut join = join();
        join.add_stage("b", 2, stage(Stage::Light, 0, 20)).unwrap();
        join.add_stage("c", 3, stage(Stage::Deep, 20, 60)).unwrap();
        for (id, with) in order {
            join.unite(id, with).unwrap();
        }
        // Nothing changes for ids that are already united.
        join.unite("a", "c").unwrap();
        join.add_session("a", 1, session(0, 60), Notes::default()).unwrap();
        let items = emitted(&mut join);
        assert_eq!(stages(&sessions(&items)[0]), ["LIGHT 23:00-23:20", "DEEP 23:20-00:00"]);
        assert_eq!(items.len(), 1);
    }
}

#[test]
fn comparisons_of_overlapping_sessions_of_one_id_with_its_stages_are_limited() {
    let mut join = join();
    join.add_session("b", 1, session(0, 60), Notes::default()).unwrap();
    join.add_stage("b", 1, stage(Stage::Deep, 0, 60)).unwrap();
    for number in 0..100 {
        join.add_session("a", number, session(0, 2000 + i64::try_from(number).unwrap()), Notes::default())
            .unwrap();
    }
    for number in 0..40_000 {
        let start = at(0) + TimeDelta::milliseconds(number);
        let stage =
            JoinedStage { stage: Stage::Light, start, end: start + TimeDelta::milliseconds(1), offset: None };
        join.add_stage("a", 1, stage).unwrap();
    }
    let items = emitted(&mut join);
    let reason = "too many sessions have the same stages";
    let is_expected = |item: &&ImportItem| matches!(item, ImportItem::Rejected(why) if why.reason == reason);
    assert_eq!((items.len(), items.iter().filter(is_expected).count()), (101, 84));
    assert_eq!(sessions(&items).len(), 1);
}

#[test]
fn a_long_chain_of_united_ids_is_followed_once() {
    let mut join = join();
    for number in 0..100_000 {
        join.unite(&number.to_string(), &(number + 1).to_string()).unwrap();
    }
    let last = join.representative(99_999);
    assert_eq!(join.representative(0), last);
    assert!(join.united.values().all(|with| *with == last));
}
