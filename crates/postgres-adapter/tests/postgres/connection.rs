//! Opening and losing connections, and the resulting errors of the ports.

use crate::made_up::*;
use application::ports::storage::{
    ChangePageQuery, ChangeReader, ConnectedAppReader, ProfileReader, SleepReader, SupplementReader,
    UnitOfWorkFactory,
};
use domain::data_kind::DataKind;
use postgres_adapter::test_support::TestDatabase;
use postgres_adapter::{PostgresOptions, PostgresStore};
use std::time::Duration;

const SESSIONS: &str = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'restwell'";

#[tokio::test]
async fn a_store_needs_no_server_and_reports_unavailable() {
    let options = PostgresOptions {
        wait_timeout: Duration::from_millis(300),
        ..PostgresOptions::new("postgres://nobody:LEAKME@127.0.0.1:1/nothing")
    };
    let store = PostgresStore::connect(&options).unwrap();
    assert!(is_unavailable(&store.begin().await));
    assert!(is_unavailable(&store.find_profile(user_id(1)).await));
    assert!(is_unavailable(&store.schema_state().await));
    assert!(is_unavailable(&store.migrate().await));
}

#[tokio::test]
async fn an_exhausted_pool_is_unavailable_after_the_wait_timeout() {
    let database = TestDatabase::create().await;
    let options = PostgresOptions {
        pool_size: 1,
        // Enough for opening a connection on a busy machine.
        wait_timeout: Duration::from_secs(2),
        ..PostgresOptions::new(database.url())
    };
    let store = PostgresStore::connect(&options).unwrap();
    let first = begin(&store).await;
    assert!(is_unavailable(&store.begin().await));
    first.rollback().await.unwrap();
    begin(&store).await.commit().await.unwrap();
}

#[tokio::test]
async fn a_session_that_the_server_ended_is_unavailable_once_and_then_replaced() {
    let database = TestDatabase::create().await;
    let (store, operator) = (database.store(), bystander(&database).await);
    populate(&store, [1]).await;
    let mut unit = begin(&store).await;
    unit.users().find(user_id(1)).await.unwrap();
    assert!(number(&operator, SESSIONS).await > 0);
    assert!(is_unavailable(&unit.users().find(user_id(1)).await));
    drop(unit);
    begin(&store).await.commit().await.unwrap();
}

#[tokio::test]
async fn a_read_of_one_row_is_retried_after_its_shared_connection_ends() {
    let database = TestDatabase::create().await;
    let (store, operator) = (database.store(), bystander(&database).await);
    populate(&store, [1]).await;
    for _ in 0..3 {
        for _ in 0..4 {
            assert!(store.find_profile(user_id(1)).await.unwrap().is_some());
        }
        assert!(number(&operator, SESSIONS).await >= 1);
    }
    let reads = (0..100).map(|_| store.find_profile(user_id(1)));
    for found in futures_util::future::join_all(reads).await {
        assert!(found.unwrap().is_some());
    }
}

#[tokio::test]
async fn every_read_of_a_list_is_retried_after_its_connection_ends() {
    let database = TestDatabase::create().await;
    let (store, operator) = (database.store(), bystander(&database).await);
    populate(&store, [1]).await;
    let all = || ChangePageQuery { user_id: user_id(1), kinds: DataKind::ALL.into(), after: None, limit: 10 };
    for _ in 0..2 {
        assert_eq!(store.changes(all()).await.unwrap().changes.len(), 1);
        assert!(number(&operator, SESSIONS).await > 0);
        assert_eq!(store.changes(all()).await.unwrap().changes.len(), 1);
        assert!(number(&operator, SESSIONS).await > 0);
        assert!(store.walk(user_id(1), None, 10).await.unwrap().is_empty());
        assert!(number(&operator, SESSIONS).await > 0);
        assert!(store.walk_logs(user_id(1), None, 10).await.unwrap().is_empty());
        assert!(number(&operator, SESSIONS).await > 0);
        assert!(store.list_logged(user_id(1)).await.unwrap().is_empty());
        assert!(number(&operator, SESSIONS).await > 0);
        assert!(store.list_connected_apps(user_id(1)).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_statement_timeout_is_unavailable_and_a_lock_timeout_retryable() {
    let database = TestDatabase::create().await;
    populate(&database.store(), [1]).await;
    let holder = bystander(&database).await;
    holder.batch_execute("BEGIN; UPDATE account SET locked_at = now()").await.unwrap();
    let waiting = |statement, lock| PostgresOptions {
        statement_timeout: Duration::from_millis(statement),
        lock_timeout: Duration::from_millis(lock),
        ..PostgresOptions::new(database.url())
    };
    let store = PostgresStore::connect(&waiting(100, 5_000)).unwrap();
    assert!(is_unavailable(&begin(&store).await.users().update(&user(1)).await));
    let store = PostgresStore::connect(&waiting(5_000, 100)).unwrap();
    assert!(is_retryable(&begin(&store).await.users().update(&user(1)).await));
}

#[tokio::test]
async fn a_deadlock_is_retryable() {
    let database = TestDatabase::create().await;
    let store = database.store();
    populate(&store, [1, 2]).await;
    assert!(one_of_a_deadlock_is_retryable(&store, 1, 2).await);
}

#[tokio::test]
async fn the_session_has_its_limits_and_its_name() {
    let database = TestDatabase::create().await;
    let (store, operator) = (database.store(), bystander(&database).await);
    begin(&store).await.commit().await.unwrap();
    let named = "SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'restwell' AND state = 'idle'";
    assert_eq!(number(&operator, named).await, 1);
}
