//! Interrupted imports, resumed by importing the file again.

use super::file::ItemFile;
use super::memory_store::MemoryStore;
use super::record::{derived, keyed, session};
use super::{counts, import_file, of_person};
use crate::import::{ImportReport, UndoCounts};
use crate::ports::import_source::ImportItem;
use crate::ports::storage::StorageError;
use crate::testing::person;
use domain::import::ImportState;

fn nights(of: std::ops::Range<i64>) -> Vec<ImportItem> {
    of.map(|day| session(keyed(&format!("night {day}"), day * 1_440, day * 1_440 + 480))).collect()
}

/// Imports a file, and fails in its second batch.
async fn interrupted(store: &MemoryStore, file: &ItemFile) {
    store.pass("sleep.insert");
    store.fail("sleep.insert", StorageError::Unavailable);
    import_file(store, of_person(), file).await.unwrap_err();
}

fn stored_imports(store: &MemoryStore) -> Vec<(ImportState, ImportReport)> {
    store.content().imports.all.into_iter().map(|import| (import.state, import.report)).collect()
}

#[tokio::test]
async fn an_interrupted_import_keeps_the_counts_of_its_stored_batches() {
    let store = MemoryStore::with(person());
    interrupted(&store, &ItemFile::new(nights(0..2_100))).await;
    assert_eq!(store.sessions().len(), 2_000);
    let [(state, report)] = stored_imports(&store).try_into().unwrap();
    assert_eq!((state, report.sessions), (ImportState::Running, counts(2_000, 0, 0)));
}

#[tokio::test]
async fn a_resumed_import_counts_the_records_of_all_its_tries() {
    let store = MemoryStore::with(person());
    import_file(&store, of_person(), &ItemFile::new(nights(0..100))).await.unwrap();
    let file = ItemFile::new(nights(0..2_100));
    interrupted(&store, &file).await;
    assert_eq!(stored_imports(&store).len(), 2);
    let report = import_file(&store, of_person(), &file).await.unwrap();
    assert_eq!(report.sessions, counts(2_000, 0, 100));
    assert_eq!(stored_imports(&store).last().unwrap(), &(ImportState::Done, report));
    // The whole file is one import, and is undone as one.
    let id = store.content().imports.all[1].id;
    let undone = store.imports().undo(id, None).await.unwrap();
    assert_eq!(undone.counts, UndoCounts { removed: 2_000, restored: 0, kept: 0 });
    assert_eq!(store.sessions().len(), 100);
}

#[tokio::test]
async fn a_session_that_replaced_others_before_a_crash_counts_as_updated_after_it() {
    let store = MemoryStore::with(person());
    import_file(&store, of_person(), &ItemFile::new([session(derived(0, 200))])).await.unwrap();
    let file = ItemFile::new(std::iter::once(session(derived(-10, 480))).chain(nights(10..2_109)));
    store.pass("sleep.insert");
    store.fail("sleep.insert", StorageError::Unavailable);
    import_file(&store, of_person(), &file).await.unwrap_err();
    let report = import_file(&store, of_person(), &file).await.unwrap();
    assert_eq!(report.sessions, counts(2_099, 1, 0));
    assert_eq!(import_file(&store, of_person(), &file).await.unwrap().sessions, counts(0, 0, 2_100));
}
