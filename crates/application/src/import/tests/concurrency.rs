use super::file::ItemFile;
use super::memory_store::{Content, MemoryStore};
use super::record::{
    at, derived, intake, key, keyed, log, own_supplement, session, supplement, supplement_id,
};
use super::{counts, dry_run, import, import_file, of_person};
use crate::import::ImportRecordsError;
use crate::ports::import_source::ImportItem;
use crate::ports::storage::{StorageError, UniqueKey};
use crate::testing::person;
use domain::id::SupplementId;
use domain::supplement::Supplement;
use uuid::Uuid;

const CONFLICT: StorageError = StorageError::Conflict(UniqueKey::SleepSession);

fn label_and_log() -> [ImportItem; 3] {
    let taken = intake(supplement_id(4), 5, 1.0, None);
    [own_supplement(4, "17", "Magnesium"), session(derived(0, 480)), log(taken)]
}

#[tokio::test]
async fn a_batch_delayed_by_another_import_is_stored_and_counted_once() {
    for (name, error) in [
        ("sleep.insert", CONFLICT),
        ("sleep.insert", StorageError::Retryable),
        ("commit", CONFLICT),
        ("commit", StorageError::Retryable),
    ] {
        let store = MemoryStore::with(person());
        store.fail(name, error);
        let report = import(&store, label_and_log()).await;
        assert_eq!((report.supplements, report.logs), (counts(1, 0, 0), counts(1, 0, 0)), "{name}");
        assert_eq!((report.sessions, report.stage_entries), (counts(1, 0, 0), 1), "{name}");
        assert_eq!((store.sessions().len(), store.logs().len()), (1, 1), "{name}");
    }
}

#[tokio::test]
async fn a_busy_store_is_retried() {
    let store = MemoryStore::with(person());
    store.fail("begin", StorageError::Retryable);
    assert_eq!(import(&store, label_and_log()).await.sessions, counts(1, 0, 0));
}

#[tokio::test]
async fn a_label_stored_by_a_concurrent_import_is_recognised() {
    let store = MemoryStore::with(person());
    let theirs = SupplementId::from_uuid(Uuid::from_u128(77));
    store.change_concurrently("supplements.insert", move |content| {
        let label = super::record::label("Magnesium");
        let supplement = Supplement::enter(theirs, label, super::record::minute(1));
        content.supplements.push((key("17"), supplement, true));
    });
    let report = import(&store, label_and_log()).await;
    assert_eq!(report.supplements, counts(0, 0, 1));
    assert_eq!(store.current(&key("17")).id, theirs);
    // The failed try had stored the label under the file's id; the log refers to the stored one.
    assert_eq!(store.logs()[0].record.supplement_id(), theirs);
    assert_eq!(report.logs, counts(1, 0, 0));
}

#[tokio::test]
async fn a_rejection_of_a_try_that_failed_is_reported_once() {
    let store = MemoryStore::with(person());
    store.fail("commit", StorageError::Retryable);
    let report = import(&store, [log(intake(supplement_id(9), 5, 1.0, None)), supplement("17", "A")]).await;
    assert_eq!((report.rejected.len(), report.rejected_total), (1, 1));
}

#[tokio::test]
async fn a_store_that_stays_locked_ends_the_import() {
    let store = MemoryStore::with(person());
    for _ in 0..5 {
        store.fail("commit", StorageError::Retryable);
    }
    let outcome = import_file(&store, of_person(), &ItemFile::new(label_and_log())).await;
    assert!(matches!(outcome, Err(ImportRecordsError::Storage(StorageError::Retryable))));
    assert_eq!((store.calls().count("commit"), store.sessions().len()), (5, 0));
}

#[tokio::test]
async fn errors_not_caused_by_concurrency_are_not_retried() {
    let store = MemoryStore::with(person());
    store.fail("commit", StorageError::Unavailable);
    let outcome = import_file(&store, of_person(), &ItemFile::new(label_and_log())).await;
    assert!(matches!(outcome, Err(ImportRecordsError::Storage(StorageError::Unavailable))));
    assert_eq!(store.calls().count("commit"), 1);
}

#[tokio::test]
async fn only_the_records_that_keep_conflicting_are_rejected() {
    let store = MemoryStore::with(person());
    // All five tries of the three together, then all of the first alone.
    for _ in 0..10 {
        store.fail("sleep.insert", CONFLICT);
    }
    let nights = (1..=3).map(|day| {
        let line = usize::try_from(day).unwrap();
        at(line, session(keyed(&format!("night {day}"), day * 1_440, day * 1_440 + 480)))
    });
    let report = import(&store, nights).await;
    assert_eq!((report.sessions, report.stage_entries), (counts(2, 0, 0), 2));
    assert_eq!(report.rejected_total, 1);
    assert_eq!(report.rejected[0].place, "line 1");
    assert_eq!(store.sessions().len(), 2);
}

#[tokio::test]
async fn an_import_stops_and_stores_nothing_if_the_user_is_erased_during_it() {
    // After the import started, and after its only batch is stored.
    for commits in 0..2 {
        let store = MemoryStore::with(person());
        (0..commits).for_each(|_| store.change_concurrently("committed", |_| ()));
        store.change_concurrently("committed", Content::erase_people);
        let outcome = import_file(&store, of_person(), &ItemFile::new(label_and_log())).await;
        assert!(matches!(outcome, Err(ImportRecordsError::UnknownUser)), "{commits}: {outcome:?}");
        assert_eq!(outcome.unwrap_err().to_string(), "there is no user with this id");
        assert_eq!(store.calls().count("commit"), commits);
        assert_eq!((store.sessions(), store.logs()), (Vec::new(), Vec::new()));
    }
}

#[tokio::test]
async fn a_dry_run_stops_if_the_user_is_erased_during_it() {
    let store = MemoryStore::with(person());
    store.change_concurrently("committed", Content::erase_people);
    let outcome = import_file(&store, dry_run(), &ItemFile::new(label_and_log())).await;
    assert!(matches!(outcome, Err(ImportRecordsError::UnknownUser)), "{outcome:?}");
}

#[tokio::test]
async fn a_dry_run_is_retried_too() {
    let store = MemoryStore::with(person());
    store.fail("sleep.insert", CONFLICT);
    let report = import_file(&store, dry_run(), &ItemFile::new(label_and_log())).await.unwrap();
    assert_eq!((report.sessions, report.logs), (counts(1, 0, 0), counts(1, 0, 0)));
    assert_eq!(store.calls().count("commit"), 0);
}
