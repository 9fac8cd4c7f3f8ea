//! Reads that the server aborts in favor of another transaction.

use crate::test_support::TestDatabase;
use application::ports::storage::StorageError;
use diesel::sql_types::Integer;
use diesel::{dsl::sql, select};
use diesel_async::RunQueryDsl;
use futures_util::FutureExt;

/// Creates a function that fails with this code a number of times, counted by a sequence.
async fn database_that_fails(code: &str, times: u32) -> TestDatabase {
    let database = TestDatabase::create().await;
    let (client, connection) = tokio_postgres::connect(database.url(), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    let made = format!(
        "CREATE SEQUENCE tries;
         CREATE FUNCTION attempt() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN
            IF nextval('tries') <= {times} THEN RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '{code}'; END IF;
            RETURN 7;
         END $$"
    );
    client.batch_execute(&made).await.unwrap();
    database
}

/// Reads on a pooled connection or on a shared one.
async fn read(database: &TestDatabase, is_shared: bool) -> Result<i32, StorageError> {
    let store = database.store();
    let attempt = || select(sql::<Integer>("attempt()"));
    if is_shared {
        store.shared(|mut link| async move { attempt().get_result(&mut link).await }.boxed()).await
    } else {
        store.read_page(|link| async move { attempt().get_result(link).await }.boxed()).await
    }
}

#[tokio::test]
async fn an_aborted_read_is_retried_exactly_once() {
    // Serialization failure (also reported by a standby that replays a conflicting change); deadlock.
    for code in ["40001", "40P01"] {
        for is_shared in [false, true] {
            assert_eq!(read(&database_that_fails(code, 1).await, is_shared).await.unwrap(), 7);
            let stopped = read(&database_that_fails(code, 2).await, is_shared).await;
            assert!(matches!(stopped, Err(StorageError::Retryable)), "{stopped:?}");
        }
    }
}
