//! Cancelled imports.

use super::memory_store::MemoryStore;
use super::record::{derived, session};
use super::undo::{import, set_state};
use crate::import::{CancelImportError, Cancelled, UndoCounts, Undone};
use crate::testing::{clock, person};
use domain::audit::AuditKind;
use domain::id::ImportId;
use domain::import::{Canceller, ImportState};

async fn cancel(store: &MemoryStore, id: ImportId) -> Result<Cancelled, CancelImportError> {
    store.imports().cancel(id).await
}

fn state(store: &MemoryStore) -> ImportState {
    store.content().imports.all[0].state
}

#[tokio::test]
async fn cancelling_a_running_import_stops_it_and_removes_what_it_stored() {
    let store = MemoryStore::with(person());
    let id = import(&store, vec![session(derived(0, 480))]).await;
    set_state(&store, id, ImportState::Running).await;
    let counts = UndoCounts { removed: 1, restored: 0, kept: 0 };
    let undone = Cancelled::Undone(Undone { counts, kept: Vec::new() });
    assert_eq!(cancel(&store, id).await.unwrap(), undone);
    assert_eq!((state(&store), store.sessions().len()), (ImportState::Undone, 0));
    assert!(store.content().imports.all[0].is_cancelled());
    let kinds: Vec<_> = store.events().all().iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [AuditKind::ImportStarted, AuditKind::ImportUndone]);
}

#[tokio::test]
async fn undone_refused_and_still_reverting_imports_are_not_cancelled() {
    let store = MemoryStore::with(person());
    let id = import(&store, vec![session(derived(0, 480))]).await;
    for ended in [ImportState::Done, ImportState::Rejected, ImportState::Undone] {
        set_state(&store, id, ended).await;
        assert!(!store.content().imports.all[0].is_cancelled());
    }
    set_state(&store, id, ImportState::Running).await;
    let mut unit = store.units().begin().await.unwrap();
    unit.imports().cancel(id, Canceller::Operator, clock().now()).await.unwrap();
    unit.commit().await.unwrap();
    assert!(!store.content().imports.all[0].is_cancelled(), "it is still being undone");
}

#[tokio::test]
async fn an_upload_can_be_cancelled_before_it_is_read() {
    for waits in [ImportState::Receiving, ImportState::Waiting] {
        let store = MemoryStore::with(person());
        let id = import(&store, Vec::new()).await;
        set_state(&store, id, waits).await;
        assert_eq!(cancel(&store, id).await.unwrap(), Cancelled::BeforeReading);
        assert_eq!(state(&store), ImportState::Rejected);
        assert!(store.content().imports.all[0].is_cancelled());
    }
}

#[tokio::test]
async fn cancelling_an_import_that_finished_first_fails_and_changes_nothing() {
    let store = MemoryStore::with(person());
    let id = import(&store, vec![session(derived(0, 480))]).await;
    assert!(matches!(cancel(&store, id).await, Err(CancelImportError::Done)));
    assert_eq!((state(&store), store.sessions().len()), (ImportState::Done, 1));
    for (ended, is_refused) in
        [(ImportState::Rejected, true), (ImportState::Undoing, false), (ImportState::Undone, false)]
    {
        set_state(&store, id, ended).await;
        let error = cancel(&store, id).await.unwrap_err();
        assert_eq!(matches!(error, CancelImportError::Rejected), is_refused, "{ended:?}");
        assert_eq!(matches!(error, CancelImportError::AlreadyUndone), !is_refused, "{ended:?}");
    }
    let unknown = ImportId::from_uuid(uuid::Uuid::nil());
    assert!(matches!(cancel(&store, unknown).await, Err(CancelImportError::Unknown)));
}
