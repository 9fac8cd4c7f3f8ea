//! PgBouncer with the shipped settings. In transaction mode each transaction may use another session.

use crate::cluster::{Cluster, PoolMode, Pooler};
use crate::made_up::*;
use application::ports::storage::{ProfileReader, SleepReader, UnitOfWorkFactory};
use postgres_adapter::test_support::TestDatabase;
use postgres_adapter::{PostgresOptions, PostgresStore};
use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

fn store(pooler: &Pooler, database: &TestDatabase) -> PostgresStore {
    let options = PostgresOptions {
        pool_size: 4,
        lock_timeout: Duration::from_mins(1),
        ..PostgresOptions::new(pooler.url(database.url()))
    };
    PostgresStore::connect(&options).unwrap()
}

/// Starts a pooler in transaction mode. Versions before 1.21 lack prepared statements in that mode: then it
/// returns `None`, and writes why directly to standard error, which the test harness does not capture.
fn in_transaction_mode(database: &TestDatabase) -> Option<Pooler> {
    let (major, minor) = Pooler::version();
    if (major, minor) < (1, 21) {
        let message = format!(
            "\nNOT RUN: PgBouncer in transaction mode, because version {major}.{minor} is older than 1.21\n\n"
        );
        std::io::stderr().write_all(message.as_bytes()).unwrap();
        return None;
    }
    Some(Pooler::before(database.url(), PoolMode::Transaction))
}

#[tokio::test(flavor = "multi_thread")]
async fn in_session_mode_a_store_reads_and_writes_as_on_the_server_itself() {
    let database = TestDatabase::create().await;
    let pooler = Pooler::before(database.url(), PoolMode::Session);
    populate(&database.store(), [1]).await;
    write_and_read(Arc::new(store(&pooler, &database)), 0).await;
    let observer = bystander(&database).await;
    assert_eq!(number(&observer, "SELECT count(*) FROM sleep_session").await, 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn several_replicas_share_two_sessions_and_none_affects_another() {
    let database = TestDatabase::create().await;
    let Some(pooler) = in_transaction_mode(&database) else { return };
    populate(&database.store(), [1]).await;
    let stores: Vec<_> = (0..3).map(|_| Arc::new(store(&pooler, &database))).collect();
    let work = (0..24_u32).map(|turn| {
        tokio::spawn(write_and_read(Arc::clone(&stores[turn as usize % stores.len()]), turn * 10))
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

/// Stores ten nights of person 1 and reads after each.
async fn write_and_read(store: Arc<PostgresStore>, first: u32) {
    for round in 0..10 {
        let mut unit = begin(&store).await;
        unit.sleep().insert(user_id(1), &[session(1 + first + round)]).await.unwrap();
        unit.commit().await.unwrap();
        // Pipelined over the shared connections.
        let reads = (0..5).map(|_| store.find_profile(user_id(1)));
        for found in futures_util::future::join_all(reads).await {
            assert!(found.unwrap().is_some());
        }
        assert!(!store.walk(user_id(1), None, 5).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_pooler_in_front_of_a_standby_serves_nobody() {
    let primary = Cluster::primary();
    let standby = primary.standby();
    for (cluster, is_served) in [(&primary, true), (&standby, false)] {
        let pooler = Pooler::before(&cluster.url, PoolMode::Session);
        let connected = tokio_postgres::connect(&pooler.url(&cluster.url), tokio_postgres::NoTls).await;
        assert_eq!(connected.is_ok(), is_served);
    }
}

#[tokio::test]
async fn a_unit_of_work_that_is_dropped_leaves_no_transaction_to_the_next_one() {
    let database = TestDatabase::create().await;
    for mode in PoolMode::supported() {
        let pooler = Pooler::before(database.url(), mode);
        let store = store(&pooler, &database);
        for number in 0..10 {
            let mut unit = begin(&store).await;
            unit.users().insert(&user(number)).await.unwrap();
            drop(unit);
            assert!(store.find_profile(user_id(number)).await.unwrap().is_none());
        }
    }
}

#[tokio::test]
async fn sessions_that_the_server_ended_behind_the_pooler_are_unavailable_at_worst() {
    let database = TestDatabase::create().await;
    populate(&database.store(), [1]).await;
    let operator = bystander(&database).await;
    for mode in PoolMode::supported() {
        let pooler = Pooler::before(database.url(), mode);
        let store = store(&pooler, &database);
        for _ in 0..3 {
            let mut unit = begin(&store).await;
            unit.users().find(user_id(1)).await.unwrap();
            // Waits until each session has ended: one that ends later could fail the next statement.
            operator
                .batch_execute(
                    "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
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
}
