//! Failures of the store. The contract suite shows everything else on each store.

use super::{Eraser, ErasureError, Erasures};
use crate::ports::storage::test_support::MockUnitOfWork;
use crate::ports::storage::{Erasure, StorageError, UnitOfWork, UnitOfWorkFactory};
use crate::store::AuditTrail;
use crate::store::Store;
use crate::testing::{clock, entropy, noon, one, person, store, unit_with, units, user_id};
use async_trait::async_trait;
use domain::id::UserId;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

fn by_operator() -> Eraser<'static> {
    Eraser::Operator(user_id(1))
}

/// A unit of work in which the user, who is no developer, is erased with this outcome.
fn erasing(outcome: fn() -> Result<bool, StorageError>) -> MockUnitOfWork {
    let mut unit = unit_with(Some(person()));
    unit.sandbox.expect_list_of_owner().returning(|_| Ok(Vec::new()));
    let is_now = |id: &UserId, erasure: &Erasure| *id == user_id(1) && erasure.at == noon();
    unit.erasures.expect_erase().times(1).withf(is_now).returning(move |_, _| outcome());
    unit
}

#[tokio::test]
async fn a_store_that_fails_erases_nothing() {
    let (units, endings) = one(erasing(|| Err(StorageError::Unavailable)));
    let outcome = Erasures { store: store(&units) }.erase(by_operator()).await;
    assert!(matches!(outcome, Err(ErasureError::Storage(StorageError::Unavailable))));
    assert_eq!(endings.committed(), 0);
}

// T107
#[tokio::test]
async fn an_erasure_that_the_store_aborts_is_tried_three_times() {
    let aborted = || erasing(|| Err(StorageError::Retryable));
    let begun = units([aborted(), aborted(), erasing(|| Ok(true))]);
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
