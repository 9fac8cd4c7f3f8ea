//! Who reads pages on which connection.

use crate::connection::{PageSpan, Place};
use crate::store::PostgresStore;
use crate::test_support::TestDatabase;
use application::ports::storage::StorageError;
use diesel::sql_query;
use diesel::sql_types::Integer;
use diesel_async::RunQueryDsl;
use futures_util::FutureExt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

#[derive(diesel::QueryableByName)]
struct Number {
    #[diesel(sql_type = Integer)]
    number: i32,
}

/// More workers than threads of these tests ask for a lane.
const WORKERS: usize = 4_096;
/// How many lanes for large pages each of them has.
const LARGE: usize = 2;

const BACKEND: &str = "SELECT pg_backend_pid() AS number";

fn store(database: &TestDatabase) -> PostgresStore {
    PostgresStore::connect(&options(database)).unwrap()
}

fn options(database: &TestDatabase) -> crate::PostgresOptions {
    crate::PostgresOptions {
        shared_connections: WORKERS,
        pool_size: 2 * WORKERS * LARGE,
        ..crate::PostgresOptions::new(database.url())
    }
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

/// Takes all lanes for large pages of this worker.
async fn all_large(store: &PostgresStore) -> [Place<'_>; LARGE] {
    [store.lanes.enter(PageSpan::Large).await.unwrap(), store.lanes.enter(PageSpan::Large).await.unwrap()]
}

/// Returns whether a backend is at work.
async fn is_busy(store: &PostgresStore, backend: i32) -> bool {
    let asked = format!(
        "SELECT count(*)::int AS number FROM pg_stat_activity WHERE pid = {backend} AND state = 'active'"
    );
    let found: Number = store
        .shared(move |mut link| {
            let asked = sql_query(asked.clone());
            async move { asked.get_result(&mut link).await }.boxed()
        })
        .await
        .unwrap();
    found.number == 1
}

fn is_pending(future: &mut Pin<Box<impl Future>>) -> bool {
    future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending()
}

#[tokio::test]
async fn a_worker_reads_small_pages_large_ones_and_single_rows_on_connections_of_their_own() {
    let database = TestDatabase::create().await;
    let store = store(&database);
    let small = of_page(&store, PageSpan::Small).await;
    let large = of_page(&store, PageSpan::Large).await;
    let row = of_small_read(&store).await;
    assert!(small != large && large != row && row != small);
    assert_eq!(of_page(&store, PageSpan::Small).await, small);
    assert_eq!(of_page(&store, PageSpan::Large).await, large, "the one that was given back last");
}

#[tokio::test]
async fn large_pages_at_the_same_time_have_a_lane_each() {
    let database = TestDatabase::create().await;
    let store = store(&database);
    let first = of_page(&store, PageSpan::Large).await;
    let taken = store.lanes.enter(PageSpan::Large).await.unwrap();
    let second = of_page(&store, PageSpan::Large).await;
    assert_ne!(second, first);
    drop(taken);
    assert_eq!(of_page(&store, PageSpan::Large).await, first);
}

#[tokio::test]
async fn small_pages_follow_each_other_beside_any_number_of_large_ones() {
    let database = TestDatabase::create().await;
    let store = store(&database);
    let lane = of_page(&store, PageSpan::Small).await;
    let large = all_large(&store).await;
    let before = store.lanes.enter(PageSpan::Small).await.unwrap();
    assert_eq!(of_page(&store, PageSpan::Small).await, lane);
    drop((large, before));
}

#[tokio::test]
async fn a_small_page_that_finds_its_lane_full_is_read_over_the_pool() {
    let database = TestDatabase::create().await;
    let store = store(&database);
    let lane = of_page(&store, PageSpan::Small).await;
    let mut full = Vec::new();
    while let Some(place) = store.lanes.enter(PageSpan::Small).await {
        full.push(place);
    }
    assert_eq!(full.len(), 32);
    assert_ne!(of_page(&store, PageSpan::Small).await, lane);
    full.pop();
    assert_eq!(of_page(&store, PageSpan::Small).await, lane);
}

#[tokio::test]
async fn a_large_page_waits_for_a_lane_of_its_worker() {
    let database = TestDatabase::create().await;
    let store = store(&database);
    let [one, other] = all_large(&store).await;
    let mut page = Box::pin(of_page(&store, PageSpan::Large));
    assert!(is_pending(&mut page));
    drop(one);
    let backend = page.await;
    drop(other);
    assert_ne!(of_page(&store, PageSpan::Small).await, backend);
}

#[tokio::test]
async fn a_large_page_that_waits_for_too_long_is_told_so() {
    let database = TestDatabase::create().await;
    let patience = Duration::from_millis(20);
    let options = crate::PostgresOptions { wait_timeout: patience, ..options(&database) };
    let store = PostgresStore::connect(&options).unwrap();
    let taken = all_large(&store).await;
    let read = store.read_one_page(PageSpan::Large, |_| async { Ok(()) }.boxed());
    assert!(matches!(read.await, Err(StorageError::Unavailable)));
    drop(taken);
    assert!(store.lanes.enter(PageSpan::Large).await.is_some());
}

#[tokio::test]
async fn a_page_that_was_given_up_gives_its_place_back() {
    let database = TestDatabase::create().await;
    let store = store(&database);
    let mut pages = [(); LARGE].map(|()| Box::pin(of_page(&store, PageSpan::Large)));
    assert!(pages.iter_mut().all(is_pending));
    let mut next = Box::pin(store.lanes.enter(PageSpan::Large));
    assert!(is_pending(&mut next));
    drop(pages);
    assert!(next.await.is_some());
    drop(all_large(&store).await);
}

#[tokio::test]
async fn nobody_waits_behind_the_statement_of_a_large_page_that_was_given_up() {
    let database = TestDatabase::create().await;
    let store = store(&database);
    let lane = of_page(&store, PageSpan::Large).await;
    let mut page = Box::pin(store.read_one_page(PageSpan::Large, |mut link| {
        async move { sql_query("SELECT pg_sleep(3600)::text").execute(&mut link).await }.boxed()
    }));
    assert!(is_pending(&mut page));
    while !is_busy(&store, lane).await {
        assert!(is_pending(&mut page));
    }
    drop(page);
    assert_ne!(of_page(&store, PageSpan::Large).await, lane);
}

#[tokio::test]
async fn a_lane_that_broke_is_made_anew() {
    let database = TestDatabase::create().await;
    let store = store(&database);
    for span in [PageSpan::Small, PageSpan::Large] {
        let lane = of_page(&store, span).await;
        let end = format!("SELECT pg_terminate_backend({lane})::int AS number");
        let ended: Number = store
            .shared(move |mut link| {
                let end = sql_query(end.clone());
                async move { end.get_result(&mut link).await }.boxed()
            })
            .await
            .unwrap();
        assert_eq!(ended.number, 1);
        assert_ne!(of_page(&store, span).await, lane, "{span:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_is_no_worker_reads_pages_over_the_pool() {
    let database = TestDatabase::create().await;
    let store = Arc::new(store(&database));
    let inside = Arc::clone(&store);
    let none = async move {
        assert!(inside.lanes.enter(PageSpan::Small).await.is_none());
        assert!(inside.lanes.enter(PageSpan::Large).await.is_none());
    };
    tokio::spawn(none).await.unwrap();
    of_page(&store, PageSpan::Large).await;
}
