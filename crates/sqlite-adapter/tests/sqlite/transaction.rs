//! Cancelled transactions and busy stores.

use application::ports::storage::{
    FailureCounter as _, FailureKey, ProfileReader as _, StorageError, UnitOfWorkFactory,
};
use chrono::{DateTime, TimeDelta, Utc};
use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use domain::id::UserId;
use domain::time::TimeZone;
use domain::user::{Email, User};
use sqlite_adapter::{SqliteOptions, SqliteStore};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use uuid::Uuid;

async fn open(path: &Path, busy_timeout: Duration) -> Arc<SqliteStore> {
    let store =
        SqliteStore::open(path, SqliteOptions { readers: 2, busy_timeout, create: true }).await.unwrap();
    store.migrate().await.unwrap();
    Arc::new(store)
}

fn user(number: u128) -> User {
    let email = Email::parse(&format!("person-{number}@example.org")).unwrap();
    let id = UserId::from_uuid(Uuid::from_u128(number));
    User::new(id, email, TimeZone::UTC, DateTime::<Utc>::UNIX_EPOCH)
}

async fn store_user(store: &SqliteStore, user: &User) {
    let mut unit = store.begin().await.unwrap();
    unit.users().insert(user).await.unwrap();
    unit.commit().await.unwrap();
}

/// Cancels a task at many different times, and checks the state that it leaves each time.
async fn give_up_at_many_moments(store: Arc<SqliteStore>) {
    for round in 0..80u64 {
        let own = Arc::clone(&store);
        let work = async move {
            let mut unit = own.begin().await.unwrap();
            for number in 1..=30 {
                unit.users().insert(&user(number)).await.unwrap();
            }
            std::future::pending::<()>().await;
        };
        // actix drops the future of a request whose client disconnects.
        let _ = tokio::time::timeout(Duration::from_micros(round * 61), work).await;
        if round % 8 == 0 {
            assert_eq!(store.find_profile(user(1).id).await.unwrap(), None);
        }
    }
    store_user(&store, &user(99)).await;
    assert_eq!(store.list_profiles(None, 10).await.unwrap(), [user(99)]);
}

#[tokio::test]
async fn a_request_cancelled_on_a_single_threaded_runtime_leaves_nothing_behind() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory.path().join("restwell.db"), Duration::from_secs(5)).await;
    give_up_at_many_moments(store).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_cancelled_on_a_multi_threaded_runtime_leaves_nothing_behind() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory.path().join("restwell.db"), Duration::from_secs(5)).await;
    give_up_at_many_moments(store).await;
}

#[test]
fn a_transaction_open_when_its_runtime_shut_down_does_not_hinder_the_next_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("restwell.db");
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (first, second) = (runtime(), runtime());
    let store = first.block_on(open(&path, Duration::from_secs(5)));
    let mut unit = first.block_on(store.begin()).unwrap();
    first.block_on(unit.users().insert(&user(1))).unwrap();
    drop(first);
    drop(unit);
    second.block_on(async {
        store_user(&store, &user(2)).await;
        assert_eq!(store.list_profiles(None, 10).await.unwrap(), [user(2)]);
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_unit_of_work_lets_other_processes_write_without_a_next_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("restwell.db");
    let store = open(&path, Duration::from_secs(5)).await;
    let mut unit = store.begin().await.unwrap();
    unit.users().insert(&user(1)).await.unwrap();
    drop(unit);
    let mut other = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    other.batch_execute("PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE; ROLLBACK").unwrap();
    assert_eq!(store.find_profile(user(1).id).await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timeout_in_the_queue_is_retryable() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory.path().join("restwell.db"), Duration::from_millis(100)).await;
    let unit = store.begin().await.unwrap();
    assert!(matches!(store.begin().await, Err(StorageError::Retryable)));
    // Readers do not wait.
    assert_eq!(store.find_profile(user(1).id).await.unwrap(), None);
    unit.rollback().await.unwrap();
    store_user(&store, &user(1)).await;
}

/// Releases the lock after 50 ms, because no event shows that the store waits for it.
#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_holds_the_write_lock_is_waited_for() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("restwell.db");
    let store = open(&path, Duration::from_millis(1_500)).await;
    let mut other = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    other.batch_execute("BEGIN IMMEDIATE").unwrap();
    assert!(matches!(store.begin().await, Err(StorageError::Retryable)));
    let (key, at) = (FailureKey([1; 32]), DateTime::<Utc>::UNIX_EPOCH);
    let counted = store.record_failure(&[key], at, TimeDelta::minutes(1)).await;
    assert!(matches!(counted, Err(StorageError::Retryable)));
    let release = tokio::task::spawn_blocking(move || {
        std::thread::sleep(Duration::from_millis(50));
        other.batch_execute("ROLLBACK").unwrap();
    });
    store_user(&store, &user(1)).await;
    release.await.unwrap();
}

/// Another process holds the write lock, so that each write is cancelled while it waits. The next transaction
/// begins at many different times after that.
#[tokio::test(flavor = "multi_thread")]
async fn cancelled_writes_do_not_disturb_the_next_transaction() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("restwell.db");
    let store = open(&path, Duration::from_secs(5)).await;
    let mut other = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    other.batch_execute("PRAGMA busy_timeout = 5000").unwrap();
    for round in 0..60u64 {
        other.batch_execute("BEGIN IMMEDIATE").unwrap();
        for number in 0..20 {
            let keys = [FailureKey([number; 32])];
            let write = store.record_failure(&keys, DateTime::<Utc>::UNIX_EPOCH, TimeDelta::minutes(1));
            assert!(tokio::time::timeout(Duration::ZERO, write).await.is_err());
        }
        other.batch_execute("ROLLBACK").unwrap();
        tokio::time::sleep(Duration::from_micros(round * 61)).await;
        let mut unit = store.begin().await.unwrap();
        unit.users().insert(&user(1)).await.unwrap();
        tokio::time::sleep(Duration::from_millis(5)).await;
        unit.rollback().await.unwrap();
        assert_eq!(store.find_profile(user(1).id).await.unwrap(), None, "round {round}");
    }
}

#[tokio::test]
async fn committed_data_is_there_after_reopening_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("restwell.db");
    let store = open(&path, Duration::from_secs(5)).await;
    store_user(&store, &user(1)).await;
    // Simulates `kill -9`: a copy of the files while the store is open.
    let copy = directory.path().join("copy.db");
    std::fs::copy(&path, &copy).unwrap();
    std::fs::copy(directory.path().join("restwell.db-wal"), directory.path().join("copy.db-wal")).unwrap();
    let again = SqliteStore::open(&copy, SqliteOptions::default()).await.unwrap();
    assert_eq!(again.find_profile(user(1).id).await.unwrap(), Some(user(1)));
}

/// Leaves each transaction open for 30 ms, as an import does. Two stores on one file have a writing
/// connection each, like two processes.
#[tokio::test(flavor = "multi_thread")]
async fn another_process_writes_between_the_long_transactions_of_an_import() {
    const BATCHES: u32 = 200;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("restwell.db");
    let busy_timeout = Duration::from_mins(1);
    let (importing, other) = (open(&path, busy_timeout).await, open(&path, busy_timeout).await);
    let batches = Arc::new(AtomicU32::new(0));
    let import = tokio::spawn({
        let batches = Arc::clone(&batches);
        async move {
            while batches.fetch_add(1, Ordering::SeqCst) < BATCHES {
                let unit = importing.begin().await.unwrap();
                tokio::time::sleep(Duration::from_millis(30)).await;
                unit.commit().await.unwrap();
            }
        }
    });
    for number in 0..5 {
        let before = batches.load(Ordering::SeqCst);
        other.begin().await.unwrap().commit().await.unwrap();
        let waited = batches.load(Ordering::SeqCst) - before;
        assert!(waited < BATCHES / 10, "write {number} waited for {waited} batches");
    }
    import.abort();
}
