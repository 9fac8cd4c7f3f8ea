use super::{Eraser, ErasureError, Erasures};
use crate::audit::AuditTrail;
use crate::audit::testing::{assert_events, event};
use crate::ports::storage::test_support::MockUnitOfWork;
use crate::ports::storage::{StorageError, UnitOfWork, UnitOfWorkFactory};
use crate::store::Store;
use crate::testing::{
    clock, drawn_uuid, entropy, noon, one, person, session, signed_in, store, units, user_id,
};
use async_trait::async_trait;
use domain::audit::{AuditActor, AuditKind};
use domain::id::ClientId;
use domain::session::FRESH_SECONDS;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use uuid::Uuid;

fn by_operator() -> Eraser<'static> {
    Eraser::Operator(user_id(1))
}

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
    for (eraser, expected) in [
        (by_operator(), erased_by(AuditActor::Operator)),
        (Eraser::Client(client_id, user_id(1)), erased_by(AuditActor::Client).client(client_id)),
    ] {
        let (units, endings) = one(erasing(1));
        let receipt = Erasures { store: store(&units) }.erase(eraser).await.unwrap();
        assert_eq!((receipt.id.as_uuid(), receipt.at), (drawn_uuid(1), noon()));
        assert_events(&units.events(), &[expected]);
        assert_eq!(endings.committed(), 1);
    }
}

/// Erases on behalf of the user, in a session of this age.
async fn by_person(age: i64, erased: usize) -> Result<(), ErasureError> {
    let mut unit = erasing(erased);
    unit.sessions
        .expect_find()
        .times(1)
        .withf(|user, id| *user == user_id(1) && *id == session(0).id)
        .return_once(move |_, _| Ok(Some(session(age))));
    let (units, endings) = one(unit);
    let outcome = Erasures { store: store(&units) }.erase(Eraser::Person(&signed_in(age))).await;
    let expected: Vec<_> = (0..erased).map(|_| event(AuditActor::Person, AuditKind::UserErased)).collect();
    assert_events(&units.events(), &expected);
    assert_eq!((endings.committed(), endings.rolled_back()), (erased, 1 - erased));
    outcome.map(drop)
}

#[tokio::test]
async fn a_person_is_erased_in_a_fresh_session() {
    by_person(0, 1).await.unwrap();
    by_person(FRESH_SECONDS - 1, 1).await.unwrap();
    let stale = by_person(FRESH_SECONDS, 0).await;
    assert!(matches!(stale, Err(ErasureError::NotFresh)), "{stale:?}");
}

/// A unit of work in which the erasure fails.
fn failing(error: fn() -> StorageError) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().times(1).returning(|_| Ok(Some(person())));
    unit.sandbox.expect_list_of_owner().returning(|_| Ok(Vec::new()));
    unit.erasures.expect_erase().times(1).returning(move |_, _| Err(error()));
    unit
}

#[tokio::test]
async fn a_store_that_fails_erases_nothing() {
    let (units, endings) = one(failing(|| StorageError::Unavailable));
    let outcome = Erasures { store: store(&units) }.erase(by_operator()).await;
    assert!(matches!(outcome, Err(ErasureError::Storage(StorageError::Unavailable))));
    assert_eq!(endings.committed(), 0);
}

// T107
#[tokio::test]
async fn an_erasure_that_the_store_aborts_is_tried_three_times() {
    let aborted = || failing(|| StorageError::Retryable);
    let begun = units([aborted(), aborted(), erasing(1)]);
    Erasures { store: store(&begun) }.erase(by_operator()).await.unwrap();
    assert_eq!(begun.endings().committed(), 1);
    let begun = units([aborted(), aborted(), aborted()]);
    let outcome = Erasures { store: store(&begun) }.erase(by_operator()).await;
    assert!(matches!(outcome, Err(ErasureError::Storage(StorageError::Retryable))), "{outcome:?}");
}

/// A store whose one writer is busy for too long; counts the attempts.
#[derive(Default)]
struct Busy(AtomicU32);

#[async_trait]
impl UnitOfWorkFactory for Busy {
    async fn begin(&self) -> Result<Box<dyn UnitOfWork>, StorageError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Err(StorageError::Retryable)
    }
}

#[tokio::test]
async fn an_erasure_waits_once_for_a_busy_store() {
    let busy = Arc::new(Busy::default());
    let store = Store { units: busy.clone(), trail: AuditTrail::new(entropy(), clock()) };
    let outcome = Erasures { store }.erase(by_operator()).await;
    assert!(matches!(outcome, Err(ErasureError::Storage(StorageError::Retryable))), "{outcome:?}");
    assert_eq!(busy.0.load(Ordering::SeqCst), 1);
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
    let receipt = Erasures { store: store(&units) }.erase(by_operator()).await.unwrap();
    let erased = erased.lock().unwrap().clone();
    assert_eq!(erased.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [user_id(2), user_id(3), user_id(1)]);
    assert_eq!(erased[2].1, receipt.id);
    assert_events(&units.events(), &[0; 3].map(|_| event(AuditActor::Operator, AuditKind::UserErased)));
    assert_eq!(endings.committed(), 1);
}
