//! Failures of the store; what a store does with a transaction is in `contract-tests`.

use crate::ports::storage::StorageError;
use crate::ports::storage::test_support::MockUnitOfWork;
use crate::testing::{store, units};

/// Error of a use case.
#[derive(Debug)]
enum Refusal {
    Rule,
    Storage(StorageError),
}

impl From<StorageError> for Refusal {
    fn from(error: StorageError) -> Self {
        Self::Storage(error)
    }
}

#[tokio::test]
async fn work_runs_only_in_a_transaction_that_has_begun() {
    let units = units([]);
    let store = store(&units);
    let outcome: Result<(), Refusal> = transact!(store, |_tx| { panic!("no transaction has begun") }).await;
    assert!(matches!(outcome, Err(Refusal::Storage(StorageError::Unavailable))), "{outcome:?}");
}

#[tokio::test]
async fn a_failed_rollback_does_not_replace_the_error_of_the_work() {
    let broken = || {
        let mut unit = MockUnitOfWork::default();
        unit.rollback_error = Some(StorageError::Unavailable);
        unit
    };
    let units = units([broken(), broken()]);
    let store = store(&units);
    let outcome: Result<(), Refusal> = transact!(store, |_tx| { Err(Refusal::Rule) }).await;
    assert!(matches!(outcome, Err(Refusal::Rule)), "{outcome:?}");
    let outcome: Result<(), Refusal> = transact!(store, |_tx| { Err(StorageError::Retryable.into()) }).await;
    assert!(matches!(outcome, Err(Refusal::Storage(StorageError::Retryable))), "{outcome:?}");
}

#[tokio::test]
async fn a_failed_commit_is_a_storage_error_and_is_not_rolled_back() {
    let mut broken = MockUnitOfWork::default();
    broken.commit_error = Some(StorageError::Retryable);
    let units = units([broken]);
    let store = store(&units);
    let outcome: Result<u8, Refusal> = transact!(store, |_tx| { Ok(1) }).await;
    assert!(matches!(outcome, Err(Refusal::Storage(StorageError::Retryable))), "{outcome:?}");
    assert_eq!((units.endings().committed(), units.endings().rolled_back()), (0, 0));
}
