//! Changes of a person's records.

use crate::Harness;
use crate::fixture::{
    catalogue_key, conflict, log, log_id, now, seconds, session, session_id, supplement, user, user_id,
};
use application::ports::storage::{Change, ChangePageQuery, UniqueKey};
use chrono::{DateTime, TimeDelta, Utc};
use domain::change::ChangePosition;
use domain::data_kind::DataKind;
use domain::id::UserId;
use domain::sleep::SleepSession;
use domain::supplement::IntakeLog;
use domain::user::User;
use std::collections::HashMap;
use std::time::Duration;
use uuid::Uuid;

mod ahead;
mod unit;

pub(crate) use ahead::*;
pub(crate) use unit::*;

async fn prepare(harness: &Harness) {
    for number in [1, 2] {
        harness.store_user(&user(number)).await;
        harness.store_supplement(&catalogue_key(number), &supplement(number)).await;
    }
}

/// Reads all changes of a person after a position, in pages of this size, and checks their order.
async fn follow(
    harness: &Harness,
    person: UserId,
    mut after: Option<ChangePosition>,
    kinds: &[DataKind],
    limit: u32,
) -> Vec<(ChangePosition, Change)> {
    let mut listed: Vec<(ChangePosition, Change)> = Vec::new();
    loop {
        let query = ChangePageQuery { user_id: person, after, kinds: kinds.to_vec(), limit };
        let page = harness.changes.changes(query).await.unwrap();
        assert!(page.changes.len() <= usize::try_from(limit).unwrap());
        for (position, change) in page.changes {
            assert!(after < Some(position), "{position:?} after {after:?}");
            after = Some(position);
            listed.push((position, change));
        }
        if !page.has_more {
            return listed;
        }
    }
}

/// Reads all changes of the first person.
async fn all(harness: &Harness) -> Vec<(ChangePosition, Change)> {
    follow(harness, user_id(1), None, &DataKind::ALL, 100).await
}

/// Returns the kind and id of each change, and whether it is a deletion.
fn subjects(listed: &[(ChangePosition, Change)]) -> Vec<(DataKind, Uuid, bool)> {
    listed
        .iter()
        .map(|(position, change)| (position.kind, position.id, matches!(change, Change::Deleted)))
        .collect()
}

fn profile() -> (DataKind, Uuid, bool) {
    (DataKind::Profile, user_id(1).as_uuid(), false)
}

fn slept(number: u64) -> (DataKind, Uuid, bool) {
    (DataKind::Sleep, session_id(number).as_uuid(), false)
}

fn took(number: u64) -> (DataKind, Uuid, bool) {
    (DataKind::Supplements, log_id(number).as_uuid(), false)
}

fn deletion((kind, id, _): (DataKind, Uuid, bool)) -> (DataKind, Uuid, bool) {
    (kind, id, true)
}

async fn store_session(harness: &Harness, session: SleepSession) {
    harness.store_sessions(user_id(1), &[session]).await;
}

async fn store_log(harness: &Harness, log: IntakeLog) {
    harness.store_logs(user_id(1), &[log]).await;
}

pub(crate) async fn update_profile(harness: &Harness, person: &User) {
    assert!(commit!(harness, users().update(person)));
}

async fn update_session(harness: &Harness, session: &SleepSession) {
    assert!(commit!(harness, sleep().update(user_id(1), session)));
}

async fn delete_session(harness: &Harness, number: u64) -> u64 {
    commit!(harness, sleep().delete(user_id(1), &[session_id(number)]))
}

async fn delete_log(harness: &Harness, number: u64) -> u64 {
    commit!(harness, intake_logs().delete(user_id(1), &[log_id(number)]))
}

pub(crate) async fn an_unchanged_person_is_listed_once(harness: &Harness) {
    prepare(harness).await;
    let listed = all(harness).await;
    let first = ChangePosition { number: 0, kind: DataKind::Profile, id: user_id(1).as_uuid() };
    assert_eq!(listed, [(first, Change::Profile(Box::new(user(1))))]);
    assert_eq!(follow(harness, user_id(1), Some(first), &DataKind::ALL, 9).await, []);
    assert_eq!(follow(harness, user_id(3), None, &DataKind::ALL, 9).await, []);
}

pub(crate) async fn changes_are_listed_in_the_order_of_their_storage(harness: &Harness) {
    prepare(harness).await;
    store_log(harness, log(5, 1, now())).await;
    store_session(harness, session(9, 600)).await;
    store_session(harness, session(2, 0)).await;
    update_profile(harness, &user(1)).await;
    store_log(harness, log(1, 2, now())).await;
    let listed = all(harness).await;
    assert_eq!(subjects(&listed), [took(5), slept(9), slept(2), profile(), took(1)]);
}

pub(crate) async fn a_change_has_the_current_record(harness: &Harness) {
    prepare(harness).await;
    let (session, log) = (session(1, 0), log(2, 2, seconds(-5)));
    store_session(harness, session.clone()).await;
    store_log(harness, log.clone()).await;
    let person = User { created_at: seconds(-9), ..user(1) };
    update_profile(harness, &person).await;
    let listed: Vec<Change> = all(harness).await.into_iter().map(|(_, change)| change).collect();
    let [Change::Session(row), Change::Log { supplement: label, log: row_of_log }, Change::Profile(found)] =
        listed.as_slice()
    else {
        panic!("{listed:?}");
    };
    assert_eq!(**found, person);
    assert_eq!(**label, supplement(2));
    assert_eq!((row_of_log.id, row_of_log.created_at_micros), (log.id, seconds(-5).timestamp_micros()));
    assert!((row_of_log.servings - log.record.servings().get()).abs() < f64::EPSILON);
    let bed = session.record.time_in_bed();
    assert_eq!(row.id, session.id);
    assert_eq!((row.started_at_millis, row.ended_at_millis), (bed.start_millis(), bed.end_millis()));
    assert_eq!((row.offset_at_start, row.offset_at_end), (bed.offset_at_start(), bed.offset_at_end()));
    assert_eq!((row.source.as_deref(), row.is_nap), (Some("tracker"), Some(false)));
    assert_eq!(row.updated_at_millis, session.updated_at.timestamp_millis());
    assert_eq!(row.stages.to_vec(), session.record.packed_stages());
    assert_eq!(row.metrics.to_vec(), session.record.packed_metrics());
}

pub(crate) async fn an_update_moves_a_record_to_the_end(harness: &Harness) {
    prepare(harness).await;
    harness.store_sessions(user_id(1), &[session(1, 0), session(2, 600)]).await;
    store_log(harness, log(1, 1, now())).await;
    let seen = all(harness).await.last().map(|(position, _)| *position);
    update_session(harness, &session(1, 60)).await;
    assert_eq!(subjects(&all(harness).await), [profile(), slept(2), took(1), slept(1)]);
    let later = follow(harness, user_id(1), seen, &DataKind::ALL, 9).await;
    assert_eq!(subjects(&later), [slept(1)]);
    assert!(commit!(harness, intake_logs().update(user_id(1), &log(1, 2, now()))));
    assert_eq!(subjects(&all(harness).await), [profile(), slept(2), slept(1), took(1)]);
}

pub(crate) async fn records_of_one_statement_are_listed_by_id(harness: &Harness) {
    prepare(harness).await;
    let sessions = [session(4, 0), session(2, 600), session(9, 1200), session(3, 1800)];
    harness.store_sessions(user_id(1), &sessions).await;
    commit!(harness, sleep().delete(user_id(1), &[session_id(9), session_id(2)]));
    let listed = all(harness).await;
    assert_eq!(subjects(&listed), [profile(), slept(3), slept(4), deletion(slept(2)), deletion(slept(9))]);
    assert_eq!(listed[1].0.number, listed[2].0.number);
    assert_eq!(listed[3].0.number, listed[4].0.number);
}

pub(crate) async fn a_deletion_is_listed_until_the_record_is_stored_again(harness: &Harness) {
    prepare(harness).await;
    store_session(harness, session(1, 0)).await;
    assert_eq!(delete_session(harness, 1).await, 1);
    assert_eq!(subjects(&all(harness).await), [profile(), deletion(slept(1))]);
    store_session(harness, session(1, 0)).await;
    assert_eq!(subjects(&all(harness).await), [profile(), slept(1)]);
    let before = all(harness).await.last().map(|(position, _)| *position);
    assert_eq!(delete_session(harness, 1).await, 1);
    let later = follow(harness, user_id(1), before, &DataKind::ALL, 9).await;
    assert_eq!(subjects(&later), [deletion(slept(1))]);
    // Within one unit of work.
    let mut unit = harness.begin().await;
    unit.sleep().insert(user_id(1), &[session(1, 0)]).await.unwrap();
    unit.sleep().delete(user_id(1), &[session_id(1)]).await.unwrap();
    unit.sleep().insert(user_id(1), &[session(1, 0), session(2, 600)]).await.unwrap();
    unit.commit().await.unwrap();
    assert_eq!(subjects(&all(harness).await), [profile(), slept(1), slept(2)]);
}

pub(crate) async fn deletions_of_every_kind_are_listed(harness: &Harness) {
    prepare(harness).await;
    store_session(harness, session(1, 0)).await;
    // A session and a log may have the same id.
    harness.store_logs(user_id(1), &[log(1, 1, now()), log(2, 1, now())]).await;
    assert_eq!(delete_log(harness, 1).await, 1);
    assert_eq!(subjects(&all(harness).await), [profile(), slept(1), took(2), deletion(took(1))]);
    assert_eq!(delete_session(harness, 1).await, 1);
    assert_eq!(subjects(&all(harness).await), [profile(), took(2), deletion(took(1)), deletion(slept(1))]);
    store_log(harness, log(1, 1, now())).await;
    assert_eq!(subjects(&all(harness).await), [profile(), took(2), deletion(slept(1)), took(1)]);
}

pub(crate) async fn a_record_that_was_not_there_leaves_no_deletion(harness: &Harness) {
    prepare(harness).await;
    harness.store_sessions(user_id(2), &[session(1, 0)]).await;
    assert_eq!(delete_session(harness, 1).await, 0);
    assert_eq!(delete_log(harness, 1).await, 0);
    assert_eq!(subjects(&all(harness).await), [profile()]);
}

/// Stores and deletes records of every kind.
async fn store_many(harness: &Harness) {
    let sessions: Vec<_> =
        (1..=7).map(|number| session(number, i64::try_from(number).unwrap() * 600)).collect();
    let logs: Vec<_> = (1..=6).map(|number| log(number, 1 + number % 2, now())).collect();
    harness.store_sessions(user_id(1), &sessions).await;
    harness.store_logs(user_id(1), &logs).await;
    update_profile(harness, &user(1)).await;
    for number in [3, 6] {
        assert_eq!(delete_session(harness, number).await, 1);
        assert_eq!(delete_log(harness, number).await, 1);
    }
    update_session(harness, &session(1, 9000)).await;
    store_log(harness, log(7, 2, now())).await;
}

pub(crate) async fn pages_of_any_size_contain_every_change_once_in_ascending_order(harness: &Harness) {
    prepare(harness).await;
    store_many(harness).await;
    let expected = all(harness).await;
    assert_eq!(expected.len(), 15);
    for limit in 1..=16 {
        assert_eq!(follow(harness, user_id(1), None, &DataKind::ALL, limit).await, expected, "{limit}");
    }
    for (index, (position, _)) in expected.iter().enumerate() {
        let rest = follow(harness, user_id(1), Some(*position), &DataKind::ALL, 4).await;
        assert_eq!(rest, expected[index + 1..], "{index}");
    }
    let query =
        |limit| ChangePageQuery { user_id: user_id(1), after: None, kinds: DataKind::ALL.to_vec(), limit };
    assert!(harness.changes.changes(query(14)).await.unwrap().has_more);
    assert!(!harness.changes.changes(query(15)).await.unwrap().has_more);
}

pub(crate) async fn unrequested_kinds_are_left_out_and_do_not_fill_a_page(harness: &Harness) {
    prepare(harness).await;
    store_many(harness).await;
    let everything = all(harness).await;
    let [profile, sleep, supplements] = DataKind::ALL;
    for kinds in [vec![profile], vec![sleep], vec![supplements, profile], vec![sleep, supplements]] {
        let mut expected = everything.clone();
        expected.retain(|(position, _)| kinds.contains(&position.kind));
        for limit in [1, 2, 100] {
            assert_eq!(follow(harness, user_id(1), None, &kinds, limit).await, expected, "{kinds:?} {limit}");
        }
        let limit = u32::try_from(expected.len()).unwrap();
        let query = ChangePageQuery { user_id: user_id(1), after: None, kinds, limit };
        assert!(!harness.changes.changes(query).await.unwrap().has_more);
    }
    assert_eq!(follow(harness, user_id(1), None, &[], 9).await, []);
}

pub(crate) async fn changes_of_other_people_are_not_listed(harness: &Harness) {
    prepare(harness).await;
    store_many(harness).await;
    let listed = follow(harness, user_id(2), None, &DataKind::ALL, 9).await;
    assert_eq!(subjects(&listed), [(DataKind::Profile, user_id(2).as_uuid(), false)]);
}

pub(crate) async fn rolled_back_changes_are_not_listed(harness: &Harness) {
    prepare(harness).await;
    store_session(harness, session(1, 0)).await;
    let before = all(harness).await;
    let mut unit = harness.begin().await;
    unit.sleep().insert(user_id(1), &[session(2, 600)]).await.unwrap();
    unit.sleep().delete(user_id(1), &[session_id(1)]).await.unwrap();
    unit.users().update(&user(1)).await.unwrap();
    assert_eq!(all(harness).await, before);
    unit.rollback().await.unwrap();
    assert_eq!(all(harness).await, before);
}

pub(crate) async fn rows_of_a_failed_batch_are_not_listed(harness: &Harness) {
    prepare(harness).await;
    store_session(harness, session(1, 0)).await;
    let before = all(harness).await;
    let mut unit = harness.begin().await;
    let rows = [session(2, 600), session(1, 1200)];
    assert_eq!(conflict(unit.sleep().insert(user_id(1), &rows).await), UniqueKey::SleepSession);
    unit.commit().await.unwrap();
    assert_eq!(all(harness).await, before);
}

pub(crate) async fn the_second_of_two_units_of_work_of_a_person_waits(harness: &Harness) {
    prepare(harness).await;
    let mut first = harness.begin().await;
    first.sleep().insert(user_id(1), &[session(9, 0)]).await.unwrap();
    let own = harness.clone();
    let mut second = tokio::spawn(async move { store_log(&own, log(1, 1, now())).await });
    // The second waits until the first ends; a page read in the meantime contains nothing of either.
    assert!(tokio::time::timeout(Duration::from_millis(100), &mut second).await.is_err());
    let seen = all(harness).await;
    assert_eq!(subjects(&seen), [profile()]);
    first.commit().await.unwrap();
    second.await.unwrap();
    let after = seen.last().map(|(position, _)| *position);
    let later = follow(harness, user_id(1), after, &DataKind::ALL, 9).await;
    assert_eq!(subjects(&later), [slept(9), took(1)]);
    assert!(later[0].0.number < later[1].0.number);
}

/// Stores, changes and deletes a few records of the first person; each number has separate records.
async fn write_some(harness: Harness, number: u64) {
    let start = i64::try_from(number).unwrap() * 3000;
    let numbers = [number * 10, number * 10 + 1, number * 10 + 2];
    for (own, offset) in numbers.into_iter().zip([0, 600, 1200]) {
        store_session(&harness, session(own, start + offset)).await;
        store_log(&harness, log(own, 1, now())).await;
    }
    update_session(&harness, &session(numbers[0], start + 1800)).await;
    assert_eq!(delete_session(&harness, numbers[1]).await, 1);
    assert_eq!(delete_log(&harness, numbers[2]).await, 1);
}

pub(crate) async fn a_reader_that_follows_racing_writers_misses_nothing(harness: &Harness) {
    prepare(harness).await;
    let writers: Vec<_> = (1..=8).map(|number| tokio::spawn(write_some(harness.clone(), number))).collect();
    let mut listed: HashMap<(DataKind, Uuid), (ChangePosition, Change)> = HashMap::new();
    let mut after = None;
    loop {
        // Checked before the page is read, so that the last page is read after the last commit.
        let is_over = writers.iter().all(tokio::task::JoinHandle::is_finished);
        for (position, change) in follow(harness, user_id(1), after, &DataKind::ALL, 3).await {
            after = Some(position);
            listed.insert((position.kind, position.id), (position, change));
        }
        if is_over {
            break;
        }
    }
    for writer in writers {
        writer.await.unwrap();
    }
    let mut listed: Vec<_> = listed.into_values().collect();
    listed.sort_by_key(|(position, _)| *position);
    assert_eq!(listed, all(harness).await);
    assert_eq!(listed.len(), 1 + 8 * 6);
}

pub(crate) async fn deletions_are_forgotten_up_to_the_limit(harness: &Harness) {
    prepare(harness).await;
    harness.store_sessions(user_id(1), &[session(1, 0), session(2, 600), session(3, 1200)]).await;
    for number in 1..=3 {
        assert_eq!(delete_session(harness, number).await, 1);
    }
    // The deletion times are from the store's clock; whatever they are, they lie between these.
    let ever: DateTime<Utc> = "9000-01-01T00:00:00Z".parse().unwrap();
    let changes = &harness.changes;
    assert_eq!(changes.forget_deletions(now() - TimeDelta::days(20_000), 9).await.unwrap(), 0);
    assert_eq!(changes.forget_deletions(ever, 2).await.unwrap(), 2);
    assert_eq!(subjects(&all(harness).await), [profile(), deletion(slept(3))]);
    assert_eq!(changes.forget_deletions(ever, 2).await.unwrap(), 1);
    assert_eq!(changes.forget_deletions(ever, 2).await.unwrap(), 0);
    assert_eq!(subjects(&all(harness).await), [profile()]);
}
