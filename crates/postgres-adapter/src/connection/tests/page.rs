//! Connections that pages are read on.

use crate::store::{PageLength, PostgresStore};
use crate::test_support::TestDatabase;
use application::ports::storage::StorageError;
use diesel::sql_query;
use diesel::sql_types::Integer;
use diesel_async::RunQueryDsl;
use futures_util::FutureExt;
use std::pin::Pin;
use std::task::{Context, Waker};
use std::time::Duration;

#[derive(diesel::QueryableByName)]
struct Number {
    #[diesel(sql_type = Integer)]
    number: i32,
}

fn store(database: &TestDatabase, pool_size: usize) -> PostgresStore {
    // Enough for opening a connection on a busy machine.
    let wait_timeout = Duration::from_secs(2);
    let options =
        crate::PostgresOptions { pool_size, wait_timeout, ..crate::PostgresOptions::new(database.url()) };
    PostgresStore::connect(&options).unwrap()
}

/// Returns the backend that serves a page.
async fn backend(store: &PostgresStore, length: PageLength) -> Result<i32, StorageError> {
    let text = "SELECT pg_backend_pid() AS number";
    store
        .read_one_page(length, |mut link| async move { sql_query(text).get_result(&mut link).await }.boxed())
        .await
        .map(|found: Number| found.number)
}

/// Returns the number of backends that run the statement of [`sleep`].
async fn sleeping(store: &PostgresStore) -> i32 {
    let text = "SELECT count(*)::int AS number FROM pg_stat_activity
        WHERE state = 'active' AND datname = current_database() AND query LIKE 'SELECT pg_sleep(%'";
    let found: Number = store
        .shared(|mut link| async move { sql_query(text).get_result(&mut link).await }.boxed())
        .await
        .unwrap();
    found.number
}

async fn sleep(store: &PostgresStore) -> Result<usize, StorageError> {
    let text = "SELECT pg_sleep(3600)::text";
    store
        .read_one_page(PageLength::Long, |mut link| {
            async move { sql_query(text).execute(&mut link).await }.boxed()
        })
        .await
}

/// Polls a page until its statement runs.
async fn begin(store: &PostgresStore, page: &mut Pin<Box<impl Future>>, number: i32) {
    while sleeping(store).await < number {
        assert!(page.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
}

#[tokio::test]
async fn a_worker_pipelines_short_pages_and_has_a_pool_for_long_ones() {
    let database = TestDatabase::create().await;
    let store = store(&database, 2);
    let short = backend(&store, PageLength::Short).await.unwrap();
    let long = backend(&store, PageLength::Long).await.unwrap();
    assert_ne!(short, long);
    assert_eq!(backend(&store, PageLength::Short).await.unwrap(), short);
    assert_eq!(backend(&store, PageLength::Long).await.unwrap(), long);
}

#[tokio::test]
async fn long_pages_keep_neither_short_ones_nor_transactions_waiting() {
    let database = TestDatabase::create().await;
    let store = store(&database, 2);
    let mut page = Box::pin(sleep(&store));
    begin(&store, &mut page, 1).await;
    assert!(matches!(backend(&store, PageLength::Long).await, Err(StorageError::Unavailable)));
    assert!(backend(&store, PageLength::Short).await.is_ok());
    store.pooled().await.unwrap();
}

#[tokio::test]
async fn the_statement_of_a_cancelled_page_delays_no_other_read() {
    let database = TestDatabase::create().await;
    let store = store(&database, 1);
    let before = backend(&store, PageLength::Long).await.unwrap();
    let mut page = Box::pin(sleep(&store));
    begin(&store, &mut page, 1).await;
    drop(page);
    assert_ne!(backend(&store, PageLength::Long).await.unwrap(), before);
}

#[tokio::test]
async fn a_page_is_read_again_when_its_connection_broke() {
    let database = TestDatabase::create().await;
    let store = store(&database, 1);
    for length in [PageLength::Short, PageLength::Long] {
        let before = backend(&store, length).await.unwrap();
        let end = format!("SELECT pg_terminate_backend({before})::int AS number");
        let mut other = store.connector.connect().await.unwrap();
        let ended: Number = sql_query(end).get_result(&mut other).await.unwrap();
        assert_eq!(ended.number, 1);
        assert_ne!(backend(&store, length).await.unwrap(), before, "{length:?}");
    }
}
