use super::file::ItemFile;
use super::memory_store::{Content, MemoryStore};
use super::profile::height;
use super::record::{derived, intake, keyed, log, minute, session, supplement};
use super::{dry_run, import_file, of_person};
use crate::audit::testing::{assert_events, event};
use crate::import::batch::Batch;
use crate::import::batch_writer::BatchWriter;
use crate::import::run::Run;
use crate::import::{ImportError, ImportReport, KeptItem, KeptReason, UndoCounts, Undone};
use crate::ports::import_source::ImportItem;
use crate::ports::storage::{Import, StorageError};
use crate::testing::{person, user_id};
use domain::audit::{AuditActor, AuditKind};
use domain::id::ImportId;
use domain::import::ImportState;

/// Runs an import and returns its id.
pub(super) async fn import(store: &MemoryStore, items: Vec<ImportItem>) -> ImportId {
    import_file(store, of_person(), &ItemFile::new(items)).await.unwrap();
    store.content().imports.all.last().unwrap().id
}

pub(super) async fn undo(store: &MemoryStore, id: ImportId) -> Result<Undone, ImportError> {
    store.imports().undo(id, None).await
}

/// Returns all records that an import may change, sorted and without change times.
pub(super) fn records(store: &MemoryStore) -> Vec<String> {
    let Content { users, sessions, supplements, logs, imports: _, sources: _ } = store.content();
    let mut all: Vec<String> = users.iter().map(|user| format!("{user:?}")).collect();
    all.extend(sessions.iter().map(|(user, session)| format!("{user} {} {:?}", session.id, session.record)));
    all.extend(supplements.iter().map(|version| format!("{version:?}")));
    all.extend(logs.iter().map(|log| format!("{log:?}")));
    all.sort();
    all
}

#[tokio::test]
async fn undo_removes_what_the_import_added() {
    let store = MemoryStore::with(person());
    let before = records(&store);
    let items = vec![
        height(170),
        supplement("17", "Magnesium"),
        session(derived(0, 480)),
        session(keyed("a", 2000, 2400)),
    ];
    let id = import(&store, items).await;
    assert_eq!(undo(&store, id).await.unwrap().counts, UndoCounts { removed: 3, restored: 1, kept: 0 });
    assert_eq!(records(&store), before);
    assert_eq!(store.content().imports.all[0].state, ImportState::Undone);
}

#[tokio::test]
async fn an_undo_continues_after_its_connection_is_lost() {
    let store = MemoryStore::with(person());
    let before = records(&store);
    let id = import(&store, vec![session(derived(0, 480)), session(keyed("a", 2000, 2400))]).await;
    for _ in 0..2 {
        store.fail("commit", StorageError::Unavailable);
    }
    assert_eq!(undo(&store, id).await.unwrap().counts, UndoCounts { removed: 2, restored: 0, kept: 0 });
    assert_eq!(records(&store), before);
    // The number of retries is limited, because the store may be unreachable.
    let id = import(&store, vec![session(derived(0, 480))]).await;
    for _ in 0..5 {
        store.fail("commit", StorageError::Unavailable);
    }
    assert!(matches!(undo(&store, id).await, Err(ImportError::Storage(StorageError::Unavailable))));
}

#[tokio::test]
async fn undo_restores_what_the_import_replaced_or_removed() {
    let store = MemoryStore::with(person());
    import(&store, vec![session(derived(0, 60)), session(derived(100, 160)), supplement("17", "Magnesium")])
        .await;
    let before = records(&store);
    let longer = import(&store, vec![session(derived(0, 200)), supplement("17", "Magnesium citrate")]).await;
    assert_eq!(store.sessions().len(), 1);
    assert_eq!(undo(&store, longer).await.unwrap().counts, UndoCounts { removed: 0, restored: 3, kept: 0 });
    assert_eq!(records(&store), before);
}

#[tokio::test]
async fn a_label_with_logs_added_since_is_kept() {
    let store = MemoryStore::with(person());
    let labels = import(&store, vec![supplement("17", "Magnesium")]).await;
    let id = store.content().supplements[0].1.id;
    import(&store, vec![log(intake(id, 5, 1.0, None))]).await;
    assert_eq!(undo(&store, labels).await.unwrap().counts, UndoCounts { removed: 0, restored: 0, kept: 1 });
    assert_eq!(store.content().supplements.len(), 1);
}

/// Undoes an import that changed one session, and returns why it was kept.
async fn undo_keeping_one(store: &MemoryStore, id: ImportId) -> (KeptItem, KeptReason) {
    let Undone { counts, kept } = undo(store, id).await.unwrap();
    assert_eq!(counts, UndoCounts { removed: 0, restored: 0, kept: 1 });
    assert_eq!(kept[0].at, Some(minute(0)).filter(|_| kept[0].why != KeptReason::Deleted));
    assert_eq!(store.content().imports.all.iter().find(|import| import.id == id).unwrap().undone.kept, kept);
    (kept[0].what, kept[0].why)
}

#[tokio::test]
async fn a_session_changed_or_deleted_otherwise_since_is_kept_and_listed() {
    for is_deleted in [false, true] {
        let store = MemoryStore::with(person());
        let id = import(&store, vec![session(keyed("a", 0, 60))]).await;
        let session_id = store.sessions()[0].id;
        if is_deleted {
            let mut unit = store.units().begin().await.unwrap();
            unit.sleep().delete(user_id(1), &[session_id]).await.unwrap();
            unit.commit().await.unwrap();
        } else {
            store_without_import(&store, vec![session(keyed("a", 0, 70))]).await;
        }
        let before = records(&store);
        let why = if is_deleted { KeptReason::Deleted } else { KeptReason::Changed };
        assert_eq!(undo_keeping_one(&store, id).await, (KeptItem::Session(session_id), why));
        assert_eq!(records(&store), before);
    }
}

#[tokio::test]
async fn a_session_that_a_later_import_changed_stays_until_that_import_is_undone() {
    let store = MemoryStore::with(person());
    let mut ids = Vec::new();
    for end in [60, 70, 80] {
        ids.push(import(&store, vec![session(keyed("a", 0, end))]).await);
    }
    let session_id = store.sessions()[0].id;
    let (what, by) = (KeptItem::Session(session_id), KeptReason::ChangedBy);
    assert_eq!(undo_keeping_one(&store, ids[0]).await, (what, by(ids[2])));
    assert_eq!(undo_keeping_one(&store, ids[1]).await, (what, by(ids[2])));
    undo(&store, ids[2]).await.unwrap();
    assert_session(&store, &session(keyed("a", 0, 70)));
    // The second undo of each reverts what the first kept.
    assert_eq!(undo_keeping_one(&store, ids[0]).await, (what, by(ids[1])));
    for (id, counts) in [(ids[1], [0, 1]), (ids[0], [1, 0])] {
        let [removed, restored] = counts;
        let undone = undo(&store, id).await.unwrap();
        assert_eq!(undone.counts, UndoCounts { removed, restored, kept: 0 });
        assert!(matches!(undo(&store, id).await, Err(ImportError::AlreadyUndone)));
    }
    assert!(store.sessions().is_empty());
}

#[tokio::test]
async fn removed_nights_are_restored_only_when_their_replacement_is_removed() {
    let store = MemoryStore::with(person());
    import(&store, vec![session(derived(0, 60)), session(derived(100, 160))]).await;
    let before = records(&store);
    let joined = import(&store, vec![session(derived(-5, 200))]).await;
    let longer = import(&store, vec![session(derived(10, 300))]).await;
    let undone = undo(&store, joined).await.unwrap();
    assert_eq!(undone.counts, UndoCounts { removed: 0, restored: 0, kept: 3 });
    assert!(undone.kept.iter().all(|record| record.why == KeptReason::ChangedBy(longer)), "{undone:?}");
    assert_session(&store, &session(derived(10, 300)));
    undo(&store, longer).await.unwrap();
    let again = undo(&store, joined).await.unwrap();
    assert_eq!(again.counts, UndoCounts { removed: 1, restored: 2, kept: 0 });
    assert_eq!(records(&store), before);
}

/// Stores these without an import.
pub(super) async fn store_without_import(store: &MemoryStore, items: Vec<ImportItem>) {
    let store = store.imports().store;
    let mut run = Run::new(Some(user_id(1)), &store);
    let storing = BatchWriter { store: &store, import: None, pause: None, backend: None };
    assert!(storing.store(&mut run, Batch::sort(items, true)).await.is_ok());
}

/// Asserts that the only session equals this record.
fn assert_session(store: &MemoryStore, item: &ImportItem) {
    let ImportItem::Session(expected) = item else { panic!("{item:?}") };
    let records: Vec<_> = store.sessions().into_iter().map(|session| session.record).collect();
    assert_eq!(records, std::slice::from_ref(&expected.record));
}

#[tokio::test]
async fn an_edit_between_two_imports_survives_undoing_both_in_either_order() {
    let night = |end| session(keyed("a", 0, end));
    for first_is_first in [true, false] {
        let store = MemoryStore::with(person());
        let first = import(&store, vec![night(400)]).await;
        store_without_import(&store, vec![night(410)]).await;
        let second = import(&store, vec![night(420)]).await;
        let kept = UndoCounts { removed: 0, restored: 0, kept: 1 };
        let restored = UndoCounts { removed: 0, restored: 1, kept: 0 };
        if first_is_first {
            assert_eq!(undo(&store, first).await.unwrap().counts, kept);
            assert_session(&store, &night(420));
            assert_eq!(undo(&store, second).await.unwrap().counts, restored);
        } else {
            assert_eq!(undo(&store, second).await.unwrap().counts, restored);
            assert_session(&store, &night(410));
            assert_eq!(undo(&store, first).await.unwrap().counts, kept);
        }
        assert_session(&store, &night(410));
    }
}

#[tokio::test]
async fn a_failed_import_that_stored_something_can_be_undone() {
    let store = MemoryStore::with(person());
    let id = import(&store, vec![session(derived(0, 60))]).await;
    set_state(&store, id, ImportState::Rejected).await;
    assert_eq!(undo(&store, id).await.unwrap().counts, UndoCounts { removed: 1, restored: 0, kept: 0 });
    assert!(store.sessions().is_empty());
}

#[tokio::test]
async fn an_import_that_stored_nothing_cannot_be_undone() {
    for state in [ImportState::Receiving, ImportState::Waiting, ImportState::Rejected] {
        let store = MemoryStore::with(person());
        let id = import(&store, Vec::new()).await;
        set_state(&store, id, state).await;
        assert!(matches!(undo(&store, id).await, Err(ImportError::NothingStored)), "{state:?}");
    }
}

pub(super) async fn set_state(store: &MemoryStore, id: ImportId, state: ImportState) {
    let mut unit = store.units().begin().await.unwrap();
    let import = unit.imports().find(id).await.unwrap().unwrap();
    assert!(unit.imports().update(&Import { state, ..import }).await.unwrap());
    unit.commit().await.unwrap();
}

#[tokio::test]
async fn an_import_is_undone_once_and_only_by_its_person() {
    let store = MemoryStore::with(person());
    let id = import(&store, vec![session(derived(0, 60))]).await;
    let of_somebody_else = store.imports().undo(id, Some(user_id(2))).await;
    assert!(matches!(of_somebody_else, Err(ImportError::Unknown)));
    undo(&store, id).await.unwrap();
    assert!(matches!(undo(&store, id).await, Err(ImportError::AlreadyUndone)));
    let unknown = ImportId::from_uuid(uuid::Uuid::nil());
    assert!(matches!(undo(&store, unknown).await, Err(ImportError::Unknown)));
}

#[tokio::test]
async fn a_person_cannot_remove_labels_from_the_catalogue() {
    let store = MemoryStore::with(person());
    let id = import(&store, vec![session(derived(0, 60)), supplement("17", "Magnesium")]).await;
    let by_the_person = || async { store.imports().undo(id, Some(user_id(1))).await };
    assert!(matches!(by_the_person().await, Err(ImportError::NotOwned)));
    // After a crash its report does not contain what it stored.
    set_state(&store, id, ImportState::Running).await;
    store.content().imports.all.last_mut().unwrap().report = ImportReport::default();
    assert!(matches!(by_the_person().await, Err(ImportError::NotOwned)));
    assert_eq!(undo(&store, id).await.unwrap().counts.reverted(), 2);
}

#[tokio::test]
async fn an_import_whose_notes_were_deleted_cannot_be_undone() {
    let store = MemoryStore::with(person());
    let id = import(&store, vec![session(derived(0, 60))]).await;
    let mut unit = store.units().begin().await.unwrap();
    unit.import_journal().forget_before(chrono::DateTime::UNIX_EPOCH, 10).await.unwrap();
    unit.commit().await.unwrap();
    // Also for interrupted imports.
    for state in [ImportState::Done, ImportState::Running, ImportState::Rejected] {
        set_state(&store, id, state).await;
        assert!(matches!(undo(&store, id).await, Err(ImportError::TooOld)), "{state:?}");
    }
    assert_eq!(store.sessions().len(), 1);
}

#[tokio::test]
async fn the_same_file_resumes_an_interrupted_import() {
    let store = MemoryStore::with(person());
    let nights: Vec<_> =
        (0..2_400).map(|day| session(keyed(&day.to_string(), day * 1440, day * 1440 + 60))).collect();
    store.change_concurrently("sleep.insert", |_| ());
    let file = ItemFile::new(nights.clone());
    store.fail("sleep.insert", StorageError::Unavailable);
    import_file(&store, of_person(), &file).await.unwrap_err();
    let id = import(&store, nights).await;
    assert_eq!(store.content().imports.all.len(), 1);
    assert_eq!(undo(&store, id).await.unwrap().counts.reverted(), 2_400);
    assert!(store.sessions().is_empty());
}

#[tokio::test]
async fn the_same_file_starts_over_once_the_notes_of_the_first_import_may_be_deleted() {
    let store = MemoryStore::with(person());
    let night = vec![session(derived(0, 60))];
    let first = import(&store, night.clone()).await;
    let mut unit = store.units().begin().await.unwrap();
    let import_of_it = unit.imports().find(first).await.unwrap().unwrap();
    let started_at = import_of_it.started_at - chrono::TimeDelta::days(30);
    let interrupted = Import { state: ImportState::Running, started_at, ..import_of_it };
    assert!(unit.imports().update(&interrupted).await.unwrap());
    unit.commit().await.unwrap();
    assert_ne!(import(&store, night).await, first);
}

#[tokio::test]
async fn an_interrupted_undo_resumes_by_itself_or_on_request() {
    for asks in [true, false] {
        let store = MemoryStore::with(person());
        let before = records(&store);
        let nights = (0..100).map(|day| session(keyed(&day.to_string(), day * 1440, day * 1440 + 60)));
        let id = import(&store, nights.collect()).await;
        // The process crashes after the first batch.
        store.pass("commit");
        for _ in 0..5 {
            store.fail("commit", StorageError::Unavailable);
        }
        undo(&store, id).await.unwrap_err();
        let interrupted = &store.content().imports.all[0];
        assert_eq!((interrupted.state, store.sessions().len()), (ImportState::Undoing, 60));
        let undone = if asks {
            undo(&store, id).await.unwrap()
        } else {
            let resumed = store.imports().resume().await.unwrap();
            let (resumed, undone) = resumed.unwrap();
            assert_eq!(resumed, id);
            undone
        };
        // Includes the first batch.
        assert_eq!(undone.counts, UndoCounts { removed: 100, restored: 0, kept: 0 });
        assert_eq!(records(&store), before);
        assert_eq!(store.content().imports.all[0].state, ImportState::Undone);
        assert_eq!(store.imports().resume().await.unwrap(), None);
    }
}

#[tokio::test]
async fn an_import_without_changes_is_undone_immediately() {
    let store = MemoryStore::with(person());
    let id = import(&store, Vec::new()).await;
    assert_eq!(undo(&store, id).await.unwrap(), Undone::default());
    assert_eq!(store.content().imports.all[0].state, ImportState::Undone);
}

#[tokio::test]
async fn an_import_and_its_undo_are_each_audited() {
    let started = |id: ImportId| {
        event(AuditActor::Operator, AuditKind::ImportStarted).user(user_id(1)).subject(id.as_uuid())
    };
    for (of, actor) in [(None, AuditActor::Operator), (Some(user_id(1)), AuditActor::Person)] {
        let store = MemoryStore::with(person());
        // More than one batch of an undo.
        let id = import(&store, (0..90).map(|at| session(derived(at * 10, at * 10 + 9))).collect()).await;
        assert_events(store.events(), &[started(id)]);
        store.imports().undo(id, of).await.unwrap();
        let undone = event(actor, AuditKind::ImportUndone).user(user_id(1)).subject(id.as_uuid());
        assert_events(store.events(), &[started(id), undone]);
    }
}

#[tokio::test]
async fn a_dry_run_is_not_audited() {
    let store = MemoryStore::with(person());
    import_file(&store, dry_run(), &ItemFile::new(vec![session(derived(0, 9))])).await.unwrap();
    assert_events(store.events(), &[]);
}
