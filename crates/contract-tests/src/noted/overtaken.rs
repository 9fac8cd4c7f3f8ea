//! What something that is no import changed, and imports that broke off.

use super::{
    Harness, ImportChange, RecordReference, Standing, import_session, labelled, note, noted, prepare, slept,
    standing, update_session, was_label, was_session,
};
use crate::fixture::{
    Counting, DistinctIds, changed, import_id, made, now, persons_import, seconds, session, session_id,
    supplement, user, user_id,
};
use application::import::{UndoImport, Undone};
use application::ports::storage::Import;
use chrono::{DateTime, TimeDelta, Utc};
use domain::import::ImportState;
use std::sync::Arc;

async fn overtake(harness: &Harness, records: &[RecordReference]) {
    let mut unit = harness.begin().await;
    unit.imports().overtake(Some(user_id(1)), records).await.unwrap();
    unit.commit().await.unwrap();
}

async fn undo(harness: &Harness, import: u64) -> Undone {
    let undo = UndoImport::new(harness.factory.clone(), Arc::new(DistinctIds), Arc::new(Counting::default()));
    undo.run(import_id(import), None).await.unwrap()
}

pub(crate) async fn what_something_else_changed_is_no_imports_also_when_another_one_changes_it_later(
    harness: &Harness,
) {
    prepare(harness).await;
    import_session(harness, 1, &session(1, 0), None).await;
    import_session(harness, 1, &session(2, 600), None).await;
    update_session(harness, &session(1, 60)).await;
    // A log has the same id and is another record; nobody noted the third session.
    let log = RecordReference::Log(super::log_id(2));
    overtake(harness, &[slept(1), log, slept(3)]).await;
    import_session(harness, 2, &session(1, 120), Some(session(1, 60))).await;
    let first = [(made(slept(2)), Standing::Latest), (made(slept(1)), Standing::Overtaken)];
    assert_eq!(noted(harness, 1).await, first);
    let second = changed(slept(1), was_session(session(1, 60)));
    assert_eq!(noted(harness, 2).await, [(second, Standing::Latest)]);
    // The edit survives that both are undone, and counts as left.
    assert_eq!(undo(harness, 2).await, Undone { removed: 0, restored: 1, left: 0 });
    assert_eq!(noted(harness, 1).await, first);
    assert_eq!(undo(harness, 1).await, Undone { removed: 1, restored: 0, left: 1 });
    let mut unit = harness.begin().await;
    let kept = unit.sleep().find_many(user_id(1), &[session_id(1), session_id(2)]).await.unwrap();
    let records: Vec<_> = kept.into_iter().map(|session| session.record).collect();
    assert_eq!(records, [session(1, 60).record]);
}

pub(crate) async fn an_import_that_goes_on_after_something_else_changed_a_record_has_that_before_itself(
    harness: &Harness,
) {
    prepare(harness).await;
    import_session(harness, 1, &session(1, 0), None).await;
    update_session(harness, &session(1, 60)).await;
    overtake(harness, &[slept(1)]).await;
    import_session(harness, 1, &session(1, 120), Some(session(1, 60))).await;
    let before = changed(slept(1), was_session(session(1, 60)));
    assert_eq!(noted(harness, 1).await, [(before, Standing::Latest)]);
}

pub(crate) async fn what_stays_when_it_cannot_be_taken_back_is_no_earlier_imports(harness: &Harness) {
    prepare(harness).await;
    import_session(harness, 1, &session(1, 0), None).await;
    import_session(harness, 2, &session(1, 60), Some(session(1, 0))).await;
    let mut unit = harness.begin().await;
    unit.imports().leave(import_id(2), slept(1)).await.unwrap();
    unit.commit().await.unwrap();
    import_session(harness, 3, &session(1, 120), Some(session(1, 60))).await;
    assert_eq!(standing(harness, 1).await, Standing::Overtaken);
    assert_eq!(standing(harness, 3).await, Standing::Latest);
    // One that is left because something else overtook it says nothing of those that came after.
    let mut unit = harness.begin().await;
    unit.imports().leave(import_id(1), slept(1)).await.unwrap();
    // Labels are everybody's.
    assert!(unit.supplements().update(&supplement(1)).await.unwrap());
    note(unit.as_mut(), 1, &[changed(labelled(1), was_label(1, 1))]).await;
    unit.imports().overtake(None, &[labelled(1)]).await.unwrap();
    unit.commit().await.unwrap();
    assert_eq!(standing(harness, 3).await, Standing::Latest);
    let label = ImportChange { record: labelled(1), before: None };
    assert_eq!(noted(harness, 1).await, [(label, Standing::Overtaken)]);
}

pub(crate) async fn records_of_two_people_with_one_id_are_apart(harness: &Harness) {
    prepare(harness).await;
    harness.store_user(&user(2)).await;
    import_session(harness, 1, &session(1, 0), None).await;
    let mut unit = harness.begin().await;
    unit.imports().insert(&Import { user_id: Some(user_id(2)), ..persons_import(9) }).await.unwrap();
    for start in [0, 60, 120] {
        if !unit.sleep().update(user_id(2), &session(1, start)).await.unwrap() {
            unit.sleep().insert(user_id(2), &[session(1, start)]).await.unwrap();
        }
        unit.commit().await.unwrap();
        unit = harness.begin().await;
    }
    unit.sleep().update(user_id(2), &session(1, 180)).await.unwrap();
    unit.imports().note(import_id(9), Some(user_id(2)), &[made(slept(1))]).await.unwrap();
    unit.commit().await.unwrap();
    // The other person's number is the greater one.
    assert_eq!(standing(harness, 1).await, Standing::Latest);
    let mut unit = harness.begin().await;
    unit.imports().overtake(Some(user_id(2)), &[slept(1)]).await.unwrap();
    unit.commit().await.unwrap();
    assert_eq!(standing(harness, 1).await, Standing::Latest);
    assert_eq!(standing(harness, 9).await, Standing::Overtaken);
}

pub(crate) async fn notes_of_imports_that_broke_off_are_forgotten(harness: &Harness) {
    prepare(harness).await;
    let mut unit = harness.begin().await;
    unit.sleep().insert(user_id(1), &[session(1, 0)]).await.unwrap();
    let started_at = now() - TimeDelta::days(1);
    let broken_off = |number| Import { state: ImportState::Running, started_at, ..persons_import(number) };
    for number in [11, 12] {
        unit.imports().insert(&broken_off(number)).await.unwrap();
        note(unit.as_mut(), number, &[made(slept(1))]).await;
    }
    // Of one that went on since, by the store's own clock.
    assert!(unit.imports().update(&broken_off(12)).await.unwrap());
    assert_eq!(unit.imports().forget_noted_before(started_at, 9).await.unwrap(), 0);
    assert_eq!(unit.imports().forget_noted_before(seconds(0), 9).await.unwrap(), 1);
    assert!(!unit.imports().has_notes(import_id(11)).await.unwrap());
    assert!(unit.imports().has_notes(import_id(12)).await.unwrap());
    let ever: DateTime<Utc> = "9000-01-01T00:00:00Z".parse().unwrap();
    assert_eq!(unit.imports().forget_noted_before(ever, 9).await.unwrap(), 1);
}
