//! PgBouncer in transaction mode, with the settings that are shipped: each transaction may get another session.

use crate::cluster::Pooler;
use crate::made_up::*;
use application::ports::storage::{ProfileReader, SleepReader, UnitOfWorkFactory};
use postgres_adapter::test_support::TestDatabase;
use postgres_adapter::{PostgresOptions, PostgresStore, PreparedStatements};
use std::sync::Arc;
use std::time::Duration;

/// Makes a store that shares two sessions with everybody else who comes through the pooler.
fn store(pooler: &Pooler, database: &TestDatabase, lock_timeout: Duration) -> PostgresStore {
    let options = PostgresOptions {
        pool_size: 4,
        lock_timeout,
        prepared_statements: PreparedStatements::Unnamed,
        ..PostgresOptions::new(pooler.url(database.url()))
    };
    PostgresStore::connect(&options).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn several_replicas_share_two_sessions_and_none_stumbles_over_another() {
    let database = TestDatabase::create().await;
    let pooler = Pooler::before(database.url());
    populate(&database.store(), [1]).await;
    let stores: Vec<_> =
        (0..3).map(|_| Arc::new(store(&pooler, &database, Duration::from_mins(1)))).collect();
    let work = (0..24_u32).map(|turn| {
        let store = Arc::clone(&stores[turn as usize % stores.len()]);
        tokio::spawn(async move {
            for round in 0..10 {
                let night = 1 + turn * 10 + round;
                let mut unit = begin(&store).await;
                unit.sleep().insert(user_id(1), &[session(night)]).await.unwrap();
                unit.commit().await.unwrap();
                // Pipelined over the shared connections, too.
                let reads = (0..5).map(|_| store.find_profile(user_id(1)));
                for found in futures_util::future::join_all(reads).await {
                    assert!(found.unwrap().is_some());
                }
                assert!(!store.walk(user_id(1), None, 5).await.unwrap().is_empty());
            }
        })
    });
    for done in futures_util::future::join_all(work).await {
        done.unwrap();
    }
    let observer = bystander(&database).await;
    assert_eq!(number(&observer, "SELECT count(*) FROM sleep_session").await, 240);
    let sessions = "SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'restwell'";
    assert!(number(&observer, sessions).await <= 2 + 4, "the pooler's two, and those of the store beside it");
}

#[tokio::test]
async fn a_transaction_brings_its_limits_along_and_leaves_none_behind() {
    let database = TestDatabase::create().await;
    let pooler = Pooler::before(database.url());
    let store = store(&pooler, &database, Duration::from_millis(100));
    populate(&database.store(), [1]).await;
    let holder = bystander(&database).await;
    holder.batch_execute("BEGIN; UPDATE account SET locked_at = now()").await.unwrap();
    assert!(is_retryable(&begin(&store).await.users().update(&user(1)).await));
    holder.batch_execute("ROLLBACK").await.unwrap();
    let (plain, connection) =
        tokio_postgres::connect(&pooler.url(database.url()), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    for (setting, value) in [("jit", "off"), ("statement_timeout", "10s"), ("lock_timeout", "5s")] {
        let rows = plain.simple_query(&format!("SHOW {setting}")).await.unwrap();
        let found = rows.iter().find_map(|message| match message {
            tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        });
        assert_eq!(found.as_deref(), Some(value), "{setting} of the pooler's own sessions");
    }
}

#[tokio::test]
async fn a_unit_of_work_that_is_dropped_leaves_no_transaction_to_the_next_one() {
    let database = TestDatabase::create().await;
    let pooler = Pooler::before(database.url());
    let store = store(&pooler, &database, Duration::from_millis(100));
    for number in 0..10 {
        let mut unit = begin(&store).await;
        unit.users().insert(&user(number)).await.unwrap();
        drop(unit);
        assert!(store.find_profile(user_id(number)).await.unwrap().is_none());
    }
}

#[tokio::test]
async fn migrations_through_a_pooler_are_refused_with_what_to_do() {
    let database = TestDatabase::create_without_schema().await;
    let pooler = Pooler::before(database.url());
    let refused = store(&pooler, &database, Duration::from_secs(5)).migrate().await.unwrap_err();
    let source = std::error::Error::source(&refused).map(ToString::to_string).unwrap_or_default();
    assert!(format!("{refused} {source}").contains("storage.prepared_statements"), "{refused} {source}");
}

#[tokio::test]
async fn sessions_that_the_server_ended_behind_the_pooler_are_unavailable_at_worst() {
    let database = TestDatabase::create().await;
    let pooler = Pooler::before(database.url());
    let store = store(&pooler, &database, Duration::from_millis(100));
    populate(&database.store(), [1]).await;
    let operator = bystander(&database).await;
    for _ in 0..3 {
        let mut unit = begin(&store).await;
        unit.users().find(user_id(1)).await.unwrap();
        operator
            .batch_execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE datname = current_database() AND pid <> pg_backend_pid()",
            )
            .await
            .unwrap();
        assert!(is_unavailable(&unit.users().find(user_id(1)).await));
        drop(unit);
        assert!(store.find_profile(user_id(1)).await.unwrap().is_some());
        store.begin().await.unwrap().commit().await.unwrap();
    }
}
