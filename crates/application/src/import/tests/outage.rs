//! A temporarily unreachable store.

use super::file::ItemFile;
use super::memory_store::MemoryStore;
use super::record::{keyed, session};
use super::{counts, of_person};
use crate::import::{ImportRecords, ImportRecordsError, Imported};
use crate::ports::storage::StorageError;
use crate::ports::system::MockPause;
use crate::testing::person;
use domain::import::ImportState;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Runs an import of three batches with retries; also returns its pauses.
async fn waiting(store: &MemoryStore) -> (Result<Imported, ImportRecordsError>, Vec<Duration>) {
    let nights =
        (0..4_001).map(|day| session(keyed(&format!("night {day}"), day * 1_440, day * 1_440 + 480)));
    let waits = Arc::new(Mutex::new(Vec::new()));
    let mut pause = MockPause::new();
    let kept = Arc::clone(&waits);
    pause.expect_pause().returning(move |length| kept.lock().unwrap().push(length));
    let import = ImportRecords { store: store.store(), pause: Some(Arc::new(pause)) };
    let outcome = import.run(&of_person(), &ItemFile::new(nights), &|_, _| ControlFlow::Continue(())).await;
    let waits = waits.lock().unwrap().clone();
    (outcome, waits)
}

#[tokio::test]
async fn an_import_continues_after_an_outage_and_counts_each_record_once() {
    // Fails at the second batch, after the start of the import and the first batch.
    for (call, before) in [("begin", 2), ("sleep.insert", 1), ("commit", 1)] {
        let store = MemoryStore::with(person());
        (0..before).for_each(|_| store.pass(call));
        store.fail(call, StorageError::Unavailable);
        store.fail(call, StorageError::Unavailable);
        let (outcome, waits) = waiting(&store).await;
        assert_eq!(outcome.unwrap().report.sessions, counts(4_001, 0, 0), "{call}");
        assert_eq!(store.sessions().len(), 4_001, "{call}");
        assert_eq!(waits, [Duration::from_millis(100), Duration::from_millis(200)], "{call}");
    }
}

#[tokio::test]
async fn an_import_ends_after_an_outage_of_half_a_minute_and_keeps_what_is_stored() {
    let store = MemoryStore::with(person());
    store.pass("sleep.insert");
    for _ in 0..10 {
        store.fail("sleep.insert", StorageError::Unavailable);
    }
    let (outcome, waits) = waiting(&store).await;
    assert!(matches!(outcome, Err(ImportRecordsError::Storage(StorageError::Unavailable))));
    assert_eq!(waits.iter().sum::<Duration>(), Duration::from_millis(26_300));
    assert_eq!(store.sessions().len(), 2_000);
}

#[tokio::test]
async fn an_import_tries_again_if_its_start_or_its_end_is_aborted() {
    // The start and three batches are committed before the end.
    for before in [0, 4] {
        let store = MemoryStore::with(person());
        (0..before).for_each(|_| store.pass("commit"));
        (0..4).for_each(|_| store.fail("commit", StorageError::Retryable));
        let (outcome, waits) = waiting(&store).await;
        assert_eq!(outcome.unwrap().report.sessions, counts(4_001, 0, 0), "{before}");
        assert_eq!(waits, [], "{before}");
        let states: Vec<_> = store.content().imports.all.iter().map(|import| import.state).collect();
        assert_eq!(states, [ImportState::Done], "{before}");
    }
}

#[tokio::test]
async fn an_import_whose_start_is_aborted_five_times_fails() {
    let store = MemoryStore::with(person());
    (0..5).for_each(|_| store.fail("commit", StorageError::Retryable));
    let (outcome, _) = waiting(&store).await;
    assert!(matches!(outcome, Err(ImportRecordsError::Storage(StorageError::Retryable))));
    assert_eq!(store.sessions(), []);
}
