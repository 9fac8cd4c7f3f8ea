use super::{ErasePerson, ErasePersonCommand, ErasePersonError};
use crate::audit::testing::{assert_events, event};
use crate::ports::storage::StorageError;
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::testing::{clock, drawn_uuid, entropy, noon, one, person, session, user_id};
use domain::audit::{AuditActor, AuditKind};
use domain::id::ClientId;
use domain::session::FRESH_SECONDS;
use std::sync::{Arc, Mutex};
use uuid::Uuid;

/// A unit of work that finds the user, and expects this many erasures.
fn erasing(times: usize) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().times(1).withf(|id| *id == user_id(1)).returning(|_| Ok(Some(person())));
    unit.sandbox.expect_list_of_owner().returning(|_| Ok(Vec::new()));
    unit.erasures
        .expect_erase()
        .times(times)
        .withf(|id, erasure| *id == user_id(1) && erasure.at == noon())
        .returning(|_, _| Ok(true));
    unit
}

#[tokio::test]
async fn an_erasure_stores_an_anonymous_event_and_a_receipt() {
    let client_id = ClientId::from_uuid(Uuid::from_u128(7));
    let erased_by = |actor| event(actor, AuditKind::UserErased);
    for (command, expected) in [
        (ErasePersonCommand::ByOperator(user_id(1)), erased_by(AuditActor::Operator)),
        (
            ErasePersonCommand::ByClient(client_id, user_id(1)),
            erased_by(AuditActor::Client).client(client_id),
        ),
    ] {
        let (units, endings) = one(erasing(1));
        let events = units.events();
        let receipt = ErasePerson::new(units, entropy(), clock()).run(command).await.unwrap();
        assert_eq!((receipt.id.as_uuid(), receipt.at), (drawn_uuid(1), noon()));
        assert_events(&events, &[expected]);
        assert_eq!(endings.committed(), 1);
    }
}

/// Erases on behalf of the user, in a session of this age, which still exists or not.
async fn by_person(age: i64, is_there: bool, erased: usize) -> Result<(), ErasePersonError> {
    let mut unit = erasing(erased);
    let found = is_there.then(|| session(age));
    unit.sessions
        .expect_find()
        .times(1)
        .withf(|user, id| *user == user_id(1) && *id == session(0).id)
        .return_once(move |_, _| Ok(found));
    let (units, endings) = one(unit);
    let events = units.events();
    let session = session(age);
    let outcome =
        ErasePerson::new(units, entropy(), clock()).run(ErasePersonCommand::ByPerson(&session)).await;
    let expected: Vec<_> = (0..erased).map(|_| event(AuditActor::Person, AuditKind::UserErased)).collect();
    assert_events(&events, &expected);
    assert_eq!((endings.committed(), endings.rolled_back()), (erased, 1 - erased));
    outcome.map(drop)
}

#[tokio::test]
async fn a_person_is_erased_in_a_fresh_session_that_has_not_ended() {
    by_person(0, true, 1).await.unwrap();
    by_person(FRESH_SECONDS - 1, true, 1).await.unwrap();
    let stale = by_person(FRESH_SECONDS, true, 0).await;
    assert!(matches!(stale, Err(ErasePersonError::NotFresh)), "{stale:?}");
    let ended = by_person(0, false, 0).await;
    assert!(matches!(ended, Err(ErasePersonError::SessionEnded)), "{ended:?}");
}

#[tokio::test]
async fn erasing_an_unknown_person_is_an_error() {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().times(1).returning(|_| Ok(None));
    let (units, endings) = one(unit);
    let events = units.events();
    let command = ErasePersonCommand::ByOperator(user_id(1));
    let outcome = ErasePerson::new(units, entropy(), clock()).run(command).await;
    assert!(matches!(outcome, Err(ErasePersonError::NotFound)));
    assert_events(&events, &[]);
    assert_eq!((endings.committed(), endings.rolled_back()), (0, 1));
}

#[tokio::test]
async fn a_store_that_fails_erases_nothing() {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().times(1).returning(|_| Ok(Some(person())));
    unit.sandbox.expect_list_of_owner().returning(|_| Ok(Vec::new()));
    unit.erasures.expect_erase().times(1).returning(|_, _| Err(StorageError::Unavailable));
    let (units, endings) = one(unit);
    let command = ErasePersonCommand::ByOperator(user_id(1));
    let outcome = ErasePerson::new(units, entropy(), clock()).run(command).await;
    assert!(matches!(outcome, Err(ErasePersonError::Storage(StorageError::Unavailable))));
    assert_eq!(endings.committed(), 0);
}

/// A unit of work that the store aborts in favor of another one.
fn aborted() -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().times(1).returning(|_| Ok(Some(person())));
    unit.sandbox.expect_list_of_owner().returning(|_| Ok(Vec::new()));
    unit.erasures.expect_erase().times(1).returning(|_, _| Err(StorageError::Retryable));
    unit
}

// T107
#[tokio::test]
async fn an_erasure_that_the_store_aborts_is_tried_three_times() {
    let command = ErasePersonCommand::ByOperator(user_id(1));
    let units = PreparedUnitsOfWork::new([aborted(), aborted(), erasing(1)]);
    let endings = units.endings();
    ErasePerson::new(Arc::new(units), entropy(), clock()).run(command).await.unwrap();
    assert_eq!(endings.committed(), 1);
    let units = PreparedUnitsOfWork::new([aborted(), aborted(), aborted()]);
    let outcome = ErasePerson::new(Arc::new(units), entropy(), clock()).run(command).await;
    assert!(matches!(outcome, Err(ErasePersonError::Storage(StorageError::Retryable))), "{outcome:?}");
}

#[tokio::test]
async fn the_sandbox_people_of_a_developer_are_erased_with_them() {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().times(1).returning(|_| Ok(Some(person())));
    unit.sandbox
        .expect_list_of_owner()
        .times(1)
        .withf(|owner| *owner == user_id(1))
        .returning(|_| Ok(vec![user_id(2), user_id(3)]));
    let erased = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&erased);
    unit.erasures.expect_erase().times(3).returning(move |id, erasure| {
        seen.lock().unwrap().push((id, erasure.id));
        Ok(true)
    });
    let (units, endings) = one(unit);
    let events = units.events();
    let command = ErasePersonCommand::ByOperator(user_id(1));
    let receipt = ErasePerson::new(units, entropy(), clock()).run(command).await.unwrap();
    let erased = erased.lock().unwrap().clone();
    assert_eq!(erased.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [user_id(2), user_id(3), user_id(1)]);
    assert_eq!(erased[2].1, receipt.id);
    assert_events(&events, &[0; 3].map(|_| event(AuditActor::Operator, AuditKind::UserErased)));
    assert_eq!(endings.committed(), 1);
}
