use super::*;
use crate::options::SqliteOptions;
use crate::statement::Statement;
use crate::store::SqliteStore;
use diesel::RunQueryDsl as _;
use diesel::sql_types::BigInt;
use std::path::PathBuf;
use std::thread::ThreadId;
use tempfile::TempDir;

const OPTIONS: SqliteOptions =
    SqliteOptions { readers: 1, busy_timeout: std::time::Duration::from_secs(5), create: true };

async fn store() -> (Arc<SqliteStore>, PathBuf, TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("restwell.db");
    let store = SqliteStore::open(&path, OPTIONS).await.unwrap();
    store.migrate().await.unwrap();
    (Arc::new(store), path, directory)
}

/// Tells on which thread a row is read.
async fn reading_thread(store: &SqliteStore) -> ThreadId {
    store.read_row(|_| Ok(std::thread::current().id())).await.unwrap()
}

/// Reads until a connection of this thread answers.
async fn settle(store: &SqliteStore) {
    while reading_thread(store).await != std::thread::current().id() {
        tokio::task::yield_now().await;
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Reads a number that is in the file.
async fn number(store: &SqliteStore) -> i64 {
    let read = |connection: &mut SqliteConnection| {
        Ok(Statement::<BigInt>::new("PRAGMA user_version").get_result(connection).unwrap())
    };
    store.read_row(read).await.unwrap()
}

async fn set_number(store: &SqliteStore, number: i64) {
    let text = format!("PRAGMA user_version = {number}");
    let write = move |connection: &mut SqliteConnection| {
        connection.batch_execute(&text).unwrap();
        Ok(())
    };
    store.write(write).await.unwrap();
}

/// Fails on this thread, and answers on others.
fn fails_here(error: fn() -> StorageError) -> impl Fn(&mut SqliteConnection) -> Result<i32, StorageError> {
    let here = std::thread::current().id();
    move |_| if std::thread::current().id() == here { Err(error()) } else { Ok(7) }
}

#[tokio::test]
async fn a_thread_with_a_runtime_of_its_own_reads_what_was_committed_last() {
    let (store, _, _directory) = store().await;
    settle(&store).await;
    for committed in 1..=3 {
        set_number(&store, committed).await;
        assert_eq!(number(&store).await, committed);
        assert_eq!(reading_thread(&store).await, std::thread::current().id());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_runtime_that_many_threads_run_reads_in_the_pool() {
    let (store, _, _directory) = store().await;
    for _ in 0..20 {
        let asked = Arc::clone(&store);
        let ask = async move { (std::thread::current().id(), reading_thread(&asked).await) };
        let (asking, reading) = tokio::spawn(ask).await.unwrap();
        assert_ne!(asking, reading);
    }
}

#[tokio::test]
async fn what_finds_the_file_locked_is_asked_in_the_pool_which_waits() {
    let (store, _, _directory) = store().await;
    settle(&store).await;
    assert_eq!(store.read_row(fails_here(|| StorageError::Retryable)).await.unwrap(), 7);
    assert_eq!(reading_thread(&store).await, std::thread::current().id(), "the connection stays");
}

#[tokio::test]
async fn a_read_that_fails_is_asked_in_the_pool_and_the_connection_made_anew() {
    let (store, _, _directory) = store().await;
    settle(&store).await;
    assert_eq!(store.read_row(fails_here(|| StorageError::Unavailable)).await.unwrap(), 7);
    assert_ne!(reading_thread(&store).await, std::thread::current().id());
    settle(&store).await;
}

#[tokio::test]
async fn a_read_that_panics_spoils_nothing() {
    let (store, _, _directory) = store().await;
    settle(&store).await;
    assert_eq!(store.read_row(fails_here(|| panic!("made up"))).await.unwrap(), 7);
    settle(&store).await;
    assert_eq!(number(&store).await, 0);
}

#[test]
fn a_connection_that_another_thread_has_is_not_waited_for() {
    let runtime = runtime();
    let (store, _, _directory) = runtime.block_on(store());
    runtime.block_on(settle(&store));
    let held: Vec<_> = store.workers.places.iter().map(|place| place.try_hold().unwrap()).collect();
    assert_ne!(runtime.block_on(reading_thread(&store)), std::thread::current().id());
    drop(held);
    assert_eq!(runtime.block_on(reading_thread(&store)), std::thread::current().id());
}

#[tokio::test]
async fn a_file_that_was_put_in_the_place_of_the_one_that_is_open_is_not_read() {
    let (early, path, directory) = store().await;
    settle(&early).await;
    let late = SqliteStore::open(&path, OPTIONS).await.unwrap();
    let other = directory.path().join("other.db");
    std::fs::copy(&path, &other).unwrap();
    std::fs::rename(&other, &path).unwrap();
    set_number(&early, 5).await;
    for _ in 0..50 {
        assert_eq!((number(&early).await, number(&late).await), (5, 5));
        assert_ne!(reading_thread(&late).await, std::thread::current().id());
    }
    assert_eq!(reading_thread(&early).await, std::thread::current().id());
}

#[test]
fn the_connection_of_a_thread_is_closed_with_it() {
    let runtime = runtime();
    let (store, _, _directory) = runtime.block_on(store());
    let open = || store.workers.places.iter().filter(|place| place.try_hold().unwrap().is_some()).count();
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            self::runtime().block_on(settle(&store));
            assert_eq!(open(), 1);
        });
        worker.join().unwrap();
    });
    assert_eq!(open(), 0);
}

#[tokio::test]
async fn the_connections_of_threads_are_closed_with_their_store() {
    let (store, path, _directory) = store().await;
    settle(&store).await;
    let log = path.with_extension("db-wal");
    assert!(log.exists());
    drop(store);
    assert!(!log.exists(), "whoever closes the last connection removes the log");
}
