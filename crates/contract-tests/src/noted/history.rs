//! What imports did to sessions, as an undoing reads it and writes it anew.

use super::{Harness, RecordReference, changed, import_id, made, note, persons_import, slept, was_session};
use crate::fixture::{session, session_id, user, user_id};
use application::ports::storage::{Import, SessionNote, Standing, UnitOfWork};
use domain::sleep::{SleepSession, TimeInBed};

async fn notes(unit: &mut dyn UnitOfWork, number: u64) -> Vec<SessionNote> {
    unit.imports().session_notes(user_id(1), &[session_id(number)]).await.unwrap()
}

/// Stores a person and three imports, the second of which changed what the first made, and the third of which removed it.
async fn prepare(harness: &Harness) -> [SleepSession; 2] {
    harness.store_user(&user(1)).await;
    let versions = [session(1, 1_000), session(1, 2_000)];
    for import in [1, 2, 3] {
        let mut unit = harness.begin().await;
        unit.imports().insert(&persons_import(import)).await.unwrap();
        let change = match import {
            1 => {
                unit.sleep().insert(user_id(1), &versions[..1]).await.unwrap();
                made(slept(1))
            }
            2 => {
                assert!(unit.sleep().update(user_id(1), &versions[1]).await.unwrap());
                changed(slept(1), was_session(versions[0].clone()))
            }
            _ => {
                unit.sleep().delete(user_id(1), &[session_id(1)]).await.unwrap();
                changed(slept(1), was_session(versions[1].clone()))
            }
        };
        note(unit.as_mut(), import, &[change]).await;
        unit.commit().await.unwrap();
    }
    versions
}

pub(crate) async fn what_is_noted_of_sessions_is_read_in_order_and_written_anew(harness: &Harness) {
    let [first, second] = prepare(harness).await;
    let mut unit = harness.begin().await;
    let found = notes(unit.as_mut(), 1).await;
    let told: Vec<_> = found.iter().map(|note| (note.import, note.before.clone(), note.is_latest)).collect();
    let expected = [
        (import_id(1), None, false),
        (import_id(2), Some(first.clone()), false),
        (import_id(3), Some(second.clone()), true),
    ];
    assert_eq!(told, expected);
    assert!(found.is_sorted_by(|one, next| one.position < next.position));
    assert!(notes(unit.as_mut(), 2).await.is_empty());
    assert!(unit.imports().session_notes(user_id(2), &[session_id(1)]).await.unwrap().is_empty());
    // The second one never was, and what the third one brings waits.
    unit.sleep().insert(user_id(1), std::slice::from_ref(&first)).await.unwrap();
    let waits = SessionNote { before: Some(first.clone()), waiting: Some(second), ..found[2].clone() };
    let anew = [SessionNote { is_latest: false, ..found[0].clone() }, waits];
    unit.imports().rewrite_session_notes(user_id(1), &[session_id(1)], &anew).await.unwrap();
    unit.commit().await.unwrap();
    let mut unit = harness.begin().await;
    assert_eq!(notes(unit.as_mut(), 1).await, anew);
    let standing = |import| async move {
        let noted = harness.begin().await.imports().noted(import_id(import), 9).await.unwrap();
        noted.into_iter().map(|(_, standing)| standing).collect::<Vec<_>>()
    };
    unit.rollback().await.unwrap();
    assert_eq!(standing(1).await, [Standing::ChangedBy(import_id(3))]);
    assert_eq!(standing(2).await, []);
    assert_eq!(standing(3).await, [Standing::Latest]);
}

pub(crate) async fn what_notes_keep_is_found_by_time_of_one_person(harness: &Harness) {
    let [first, second] = prepare(harness).await;
    harness.store_user(&user(2)).await;
    let mut unit = harness.begin().await;
    let found = notes(unit.as_mut(), 1).await;
    // One note keeps what was before, another one what waits, and one nothing.
    let times = [&first, &second].map(|session| *session.record.time_in_bed());
    for waits in [false, true] {
        if waits {
            let waiting = SessionNote { before: None, waiting: Some(second.clone()), ..found[2].clone() };
            unit.imports().rewrite_session_notes(user_id(1), &[session_id(1)], &[waiting]).await.unwrap();
        }
        for person in [1, 2] {
            let near = unit.imports().sessions_noted_near(user_id(person), &times).await.unwrap();
            let expected: &[_] = if person == 1 { &[session_id(1)] } else { &[] };
            assert_eq!(near, expected, "{waits}");
        }
        let (start, end) = (times[1].start(), times[1].end());
        let hour = chrono::TimeDelta::hours(1);
        let touches = TimeInBed::new(end, end + hour, None, None).unwrap();
        let overlaps = TimeInBed::new(end - hour, end + hour, None, None).unwrap();
        let long_before = TimeInBed::new(start - hour * 24, start - hour * 23, None, None).unwrap();
        for (stretch, is_near) in [(touches, false), (overlaps, true), (long_before, false)] {
            let near = unit.imports().sessions_noted_near(user_id(1), &[stretch]).await.unwrap();
            assert_eq!(!near.is_empty(), is_near, "{stretch:?}");
        }
    }
}

pub(crate) async fn what_waits_goes_when_something_else_changes_the_session(harness: &Harness) {
    let [first, second] = prepare(harness).await;
    let mut unit = harness.begin().await;
    let found = notes(unit.as_mut(), 1).await;
    let waiting = SessionNote { before: None, waiting: Some(second.clone()), ..found[2].clone() };
    unit.imports().rewrite_session_notes(user_id(1), &[session_id(1)], &[waiting]).await.unwrap();
    unit.imports().overtake(Some(user_id(1)), &[RecordReference::Session(session_id(1))]).await.unwrap();
    assert!(notes(unit.as_mut(), 1).await.is_empty());
    let times = [&first, &second].map(|session| *session.record.time_in_bed());
    assert!(unit.imports().sessions_noted_near(user_id(1), &times).await.unwrap().is_empty());
    let found: Option<Import> = unit.imports().find(import_id(3)).await.unwrap();
    assert!(
        found.is_some() && unit.imports().has_notes(import_id(3)).await.unwrap(),
        "it is counted as left"
    );
}
