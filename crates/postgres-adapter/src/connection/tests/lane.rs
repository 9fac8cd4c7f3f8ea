//! Who reads pages on which connection.

use crate::connection::PageSpan;
use crate::store::PostgresStore;
use crate::test_support::TestDatabase;
use diesel::sql_query;
use diesel::sql_types::Integer;
use diesel_async::RunQueryDsl;
use futures_util::FutureExt;
use std::sync::Arc;
use std::task::{Context, Waker};

#[derive(diesel::QueryableByName)]
struct Number {
    #[diesel(sql_type = Integer)]
    number: i32,
}

/// More lanes than threads of these tests ask for one.
const LANES: usize = 4_096;

const BACKEND: &str = "SELECT pg_backend_pid() AS number";

fn store(database: &TestDatabase) -> PostgresStore {
    let options =
        crate::PostgresOptions { shared_connections: LANES, ..crate::PostgresOptions::new(database.url()) };
    PostgresStore::connect(&options).unwrap()
}

/// Tells which backend answers a page.
async fn of_page(store: &PostgresStore, span: PageSpan) -> i32 {
    let found: Number = store
        .read_one_page(span, |mut link| async move { sql_query(BACKEND).get_result(&mut link).await }.boxed())
        .await
        .unwrap();
    found.number
}

async fn of_small_read(store: &PostgresStore) -> i32 {
    let found: Number = store
        .shared(|mut link| async move { sql_query(BACKEND).get_result(&mut link).await }.boxed())
        .await
        .unwrap();
    found.number
}

#[tokio::test]
async fn a_worker_reads_pages_of_any_size_on_one_connection_and_single_rows_on_another() {
    let database = TestDatabase::create().await;
    let store = store(&database);
    let small = of_page(&store, PageSpan::Small).await;
    assert_eq!(of_page(&store, PageSpan::Large).await, small);
    assert_ne!(of_small_read(&store).await, small);
}

#[tokio::test]
async fn no_page_waits_behind_a_large_one() {
    let database = TestDatabase::create().await;
    let store = store(&database);
    let lane = of_page(&store, PageSpan::Small).await;
    let place = store.lanes.enter(PageSpan::Large).unwrap();
    assert_ne!(of_page(&store, PageSpan::Small).await, lane);
    assert_ne!(of_page(&store, PageSpan::Large).await, lane);
    drop(place);
    let place = store.lanes.enter(PageSpan::Small).unwrap();
    assert_eq!(of_page(&store, PageSpan::Small).await, lane, "small ones follow each other");
    assert_ne!(of_page(&store, PageSpan::Large).await, lane);
    drop(place);
    assert_eq!(of_page(&store, PageSpan::Large).await, lane);
}

#[tokio::test]
async fn a_page_that_was_given_up_gives_its_place_back() {
    let database = TestDatabase::create().await;
    let store = store(&database);
    let mut page = Box::pin(of_page(&store, PageSpan::Large));
    assert!(page.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    assert!(store.lanes.enter(PageSpan::Small).is_none());
    drop(page);
    assert!(store.lanes.enter(PageSpan::Large).is_some());
}

#[tokio::test]
async fn a_lane_that_broke_is_made_anew() {
    let database = TestDatabase::create().await;
    let store = store(&database);
    let lane = of_page(&store, PageSpan::Small).await;
    let end = format!("SELECT pg_terminate_backend({lane})::int AS number");
    let ended: Number = store
        .shared(move |mut link| {
            let end = sql_query(end.clone());
            async move { end.get_result(&mut link).await }.boxed()
        })
        .await
        .unwrap();
    assert_eq!(ended.number, 1);
    assert_ne!(of_page(&store, PageSpan::Large).await, lane);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_is_no_worker_reads_pages_over_the_pool() {
    let database = TestDatabase::create().await;
    let store = Arc::new(store(&database));
    let inside = Arc::clone(&store);
    tokio::spawn(async move { assert!(inside.lanes.enter(PageSpan::Small).is_none()) }).await.unwrap();
    of_page(&store, PageSpan::Small).await;
}
