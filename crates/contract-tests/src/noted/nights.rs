//! Nights that imports scored anew under other keys, undone in a random order.

use super::undo::Dice;
use super::{
    Harness, ImportChange, RecordReference, SleepSession, import_id, note, persons_import, was_session,
};
use crate::fixture::{Counting, DistinctIds, now_millis, session_id, user, user_id};
use application::import::{UndoImport, Undone};
use application::ports::storage::{Import, UnitOfWork};
use chrono::{DateTime, TimeDelta, Utc};
use domain::import::ImportState;
use domain::sleep::{
    Hypnogram, Reconciliation, SessionKey, SleepRecord, SleepRecordHead, SleepSource, TimeInBed, reconcile,
};
use std::sync::Arc;

fn minute(minute: u64) -> DateTime<Utc> {
    now_millis() + TimeDelta::minutes(i64::try_from(minute).unwrap())
}

/// A night without a key of its source.
fn night(start: u64, end: u64) -> SleepRecord {
    let time_in_bed = TimeInBed::new(minute(start), minute(end), None, None).unwrap();
    let head = SleepRecordHead {
        key: SessionKey::derived_from(time_in_bed.start()),
        source: SleepSource::parse("watch").ok(),
        time_in_bed,
        is_nap: None,
    };
    SleepRecord::from_stages(head, Hypnogram::empty()).unwrap()
}

/// Stores a record in the name of an import, under a new id of this number where it is new.
async fn store(unit: &mut dyn UnitOfWork, import: u64, number: u64, record: SleepRecord) {
    let person = user_id(1);
    let known = unit.sleep().find_candidates(person, &[record.head().clone()]).await.unwrap();
    let (changes, removes, is_new) = match reconcile(&known, &record) {
        Reconciliation::Unchanged(_) => return,
        Reconciliation::Replace { id, removes } => (id, removes, false),
        Reconciliation::Insert { removes } => (session_id(number), removes, true),
    };
    let was = |id| {
        let before = known.iter().find(|session| session.id == id).cloned();
        ImportChange { record: RecordReference::Session(id), before: before.map(was_session) }
    };
    unit.sleep().delete(person, &removes).await.unwrap();
    let session = SleepSession { id: changes, record, updated_at: now_millis() };
    if is_new {
        unit.sleep().insert(person, &[session]).await.unwrap();
    } else {
        assert!(unit.sleep().update(person, &session).await.unwrap());
    }
    let notes: Vec<_> = removes.into_iter().chain([changes]).map(was).collect();
    note(unit, import, &notes).await;
}

async fn nights(harness: &Harness) -> Vec<(u64, u64)> {
    let mut unit = harness.begin().await;
    let all = night(0, 10_000).head().clone();
    let found = unit.sleep().find_candidates(user_id(1), &[all]).await.unwrap();
    unit.rollback().await.unwrap();
    let minutes = |at: DateTime<Utc>| u64::try_from((at - now_millis()).num_minutes()).unwrap();
    let mut nights: Vec<_> = found
        .iter()
        .map(|session| session.record.time_in_bed())
        .map(|time| (minutes(time.start()), minutes(time.end())))
        .collect();
    nights.sort_unstable();
    nights
}

fn assert_apart(nights: &[(u64, u64)], seed: u64) {
    assert!(nights.windows(2).all(|two| two[0].1 <= two[1].0), "{nights:?} of {seed}");
}

/// Imports a few nights each time, undoes all imports but the first in a random order, and compares.
async fn there_and_back(harness: &Harness, seed: u64) {
    let mut dice = Dice(seed);
    let (mut imports, mut before) = (Vec::new(), Vec::new());
    for import in seed * 10 + 1..seed * 10 + 6 {
        let mut unit = harness.begin().await;
        unit.imports().insert(&persons_import(import)).await.unwrap();
        for place in 0..=dice.roll(3) {
            let start = dice.roll(6) * 100;
            let record = night(start, start + 90 * (1 + dice.roll(5)));
            store(unit.as_mut(), import, import * 10 + place, record).await;
        }
        unit.commit().await.unwrap();
        if imports.is_empty() {
            before = nights(harness).await;
        }
        imports.push(import);
    }
    let first = imports.remove(0);
    let undo = UndoImport::new(harness.factory.clone(), Arc::new(DistinctIds), Arc::new(Counting::default()));
    while !imports.is_empty() {
        let index = dice.roll(imports.len().try_into().unwrap());
        let import = imports.remove(index.try_into().unwrap());
        assert_eq!(undo.run(import_id(import), None).await.unwrap().left, 0, "{seed}");
        assert_apart(&nights(harness).await, seed);
    }
    assert_eq!(nights(harness).await, before, "{seed}");
    undo.run(import_id(first), None).await.unwrap();
    assert_eq!(nights(harness).await, []);
}

pub(crate) async fn nights_that_were_scored_anew_come_back_in_whatever_order_imports_are_undone(
    harness: &Harness,
) {
    harness.store_user(&user(1)).await;
    for seed in 0..20 {
        there_and_back(harness, seed).await;
    }
}

pub(crate) async fn an_undoing_that_broke_off_keeps_its_notes_and_is_finished_by_another(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let mut unit = harness.begin().await;
    unit.imports().insert(&persons_import(1)).await.unwrap();
    for number in 0..50 {
        store(unit.as_mut(), 1, number + 1, night(number * 100, number * 100 + 60)).await;
    }
    // As a program leaves it that is killed, or an older one that knows of no undoing.
    let undoing = Import { state: ImportState::Undoing, ended_at: Some(now_millis()), ..persons_import(1) };
    assert!(unit.imports().update(&undoing).await.unwrap());
    unit.commit().await.unwrap();
    let ever: DateTime<Utc> = "9000-01-01T00:00:00Z".parse().unwrap();
    let mut unit = harness.begin().await;
    assert_eq!(unit.imports().forget_noted_before(ever, 9).await.unwrap(), 0);
    unit.commit().await.unwrap();
    // Asked twice at once: what the one takes back, the other does not count.
    let undo = Arc::new(UndoImport::new(
        harness.factory.clone(),
        Arc::new(DistinctIds),
        Arc::new(Counting::default()),
    ));
    let tasks: Vec<_> = (0..2)
        .map(|_| {
            let undo = undo.clone();
            tokio::spawn(async move { undo.run(import_id(1), None).await })
        })
        .collect();
    let mut taken_back = 0;
    for task in tasks {
        // The second one may come when the first is done.
        taken_back += task.await.unwrap().map_or(0, Undone::taken_back);
    }
    assert_eq!(taken_back, 50);
    assert_eq!(nights(harness).await, []);
    let mut unit = harness.begin().await;
    assert_eq!(unit.imports().find(import_id(1)).await.unwrap().unwrap().state, ImportState::Undone);
}
