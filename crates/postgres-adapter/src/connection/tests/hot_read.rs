//! Performance of small reads: their connections and plans.

use crate::store::PostgresStore;
use crate::test_support::TestDatabase;
use application::ports::storage::{ProfileReader, SleepPageQuery, SleepReader};
use diesel::result::{DatabaseErrorKind, Error, QueryResult};
use diesel::sql_query;
use diesel::sql_types::{BigInt, Integer, Text};
use diesel_async::RunQueryDsl;
use domain::id::UserId;
use domain::paging::{PageNumber, PageRequest, PageSize, SortDirection};
use domain::time::DateRange;
use futures_util::FutureExt;
use std::sync::Arc;
use uuid::Uuid;

#[derive(diesel::QueryableByName)]
struct Number {
    #[diesel(sql_type = Integer)]
    number: i32,
}

#[derive(diesel::QueryableByName)]
struct Plans {
    #[diesel(sql_type = Text)]
    statement: String,
    #[diesel(sql_type = BigInt)]
    generic: i64,
    #[diesel(sql_type = BigInt)]
    custom: i64,
}

/// Returns the backend that serves this thread's small reads.
async fn backend(store: &PostgresStore) -> i32 {
    let found: Number = store
        .shared(|mut link| {
            async move { sql_query("SELECT pg_backend_pid() AS number").get_result(&mut link).await }.boxed()
        })
        .await
        .unwrap();
    found.number
}

/// Reads twice on a thread with its own runtime, like an HTTP worker.
fn backends_of_a_worker(store: Arc<PostgresStore>) -> (i32, i32) {
    let ask = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { (backend(&store).await, backend(&store).await) })
    };
    std::thread::spawn(ask).join().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_worker_has_a_connection_of_its_own_and_the_rest_of_the_process_another() {
    let database = TestDatabase::create().await;
    let options =
        crate::PostgresOptions { shared_connections: 64, ..crate::PostgresOptions::new(database.url()) };
    let store = Arc::new(PostgresStore::connect(&options).unwrap());
    let of_process = (backend(&store).await, backend(&store).await);
    let workers = [backends_of_a_worker(Arc::clone(&store)), backends_of_a_worker(Arc::clone(&store))];
    for (first, second) in workers.into_iter().chain([of_process]) {
        assert_eq!(first, second);
    }
    let mut all = vec![of_process.0, workers[0].0, workers[1].0];
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 3, "{workers:?} {of_process:?}");
}

#[tokio::test]
async fn small_reads_leave_a_server_that_turned_out_to_be_a_standby() {
    let database = TestDatabase::create().await;
    let store = PostgresStore::connect(&crate::PostgresOptions::new(database.url())).unwrap();
    let before = backend(&store).await;
    assert_eq!(backend(&store).await, before);
    let message = Box::new("cannot execute INSERT in a read-only transaction".to_owned());
    let rejected: QueryResult<()> =
        Err(Error::DatabaseError(DatabaseErrorKind::ReadOnlyTransaction, message));
    store.response_guard.observe(&rejected);
    let after = backend(&store).await;
    assert_ne!(after, before);
    assert_eq!(backend(&store).await, after);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_page_is_planned_once_however_often_it_is_read() {
    let database = TestDatabase::create().await;
    let options = crate::PostgresOptions { pool_size: 1, ..crate::PostgresOptions::new(database.url()) };
    let store = PostgresStore::connect(&options).unwrap();
    let page = PageRequest {
        number: PageNumber::FIRST,
        size: PageSize::SLEEP_DEFAULT,
        sort: SortDirection::Descending,
    };
    for _ in 0..8 {
        let user_id = UserId::from_uuid(Uuid::from_u128(1));
        let query = SleepPageQuery {
            user_id,
            range: DateRange::default(),
            page,
            with_stages: true,
            with_metrics: true,
        };
        store.page(query).await.unwrap();
        store.find_profile(user_id).await.unwrap();
    }
    // Written so that the query does not match itself.
    let text =
        "SELECT statement, generic_plans AS generic, custom_plans AS custom FROM pg_prepared_statements
                WHERE statement LIKE '%sleep\\_session%'";
    let plans: Vec<Plans> = store
        .shared(move |mut link| async move { sql_query(text).load(&mut link).await }.boxed())
        .await
        .unwrap();
    assert!(!plans.is_empty());
    for Plans { statement, generic, custom } in plans {
        assert_eq!((generic, custom), (8, 0), "{statement}");
    }
}
