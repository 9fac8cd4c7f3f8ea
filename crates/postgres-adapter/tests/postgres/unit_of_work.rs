//! The end of transactions: commit, rollback and drop.

use crate::made_up::*;
use application::ports::storage::{ProfileReader, StorageError, UniqueKey, UnitOfWorkFactory};
use postgres_adapter::test_support::TestDatabase;
use postgres_adapter::{PostgresOptions, PostgresStore};
use std::time::Duration;

const OPEN_TRANSACTIONS: &str = "SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'restwell' AND xact_start IS NOT NULL";

/// Waits until the server has closed all transactions.
async fn wait_for_no_transaction(client: &tokio_postgres::Client) {
    for _ in 0..1500 {
        if number(client, OPEN_TRANSACTIONS).await == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("a session is still in a transaction");
}

#[tokio::test]
async fn a_dropped_unit_of_work_leaves_nothing_stored_and_no_transaction() {
    let database = TestDatabase::create().await;
    let (store, observer) = (database.store(), bystander(&database).await);
    // More often than the pool has connections, so that each must be returned.
    for number in 0..10 {
        let mut unit = begin(&store).await;
        unit.users().insert(&user(number)).await.unwrap();
        drop(unit);
    }
    wait_for_no_transaction(&observer).await;
    assert_eq!(number(&observer, "SELECT count(*) FROM account").await, 0);
    begin(&store).await.commit().await.unwrap();
}

#[tokio::test]
async fn a_unit_of_work_dropped_in_the_middle_of_a_statement_leaves_no_transaction() {
    let database = TestDatabase::create().await;
    let (store, observer) = (database.store(), bystander(&database).await);
    populate(&store, [1]).await;
    observer.batch_execute("BEGIN; LOCK TABLE account IN ACCESS EXCLUSIVE MODE").await.unwrap();
    let mut unit = begin(&store).await;
    let waiting =
        tokio::time::timeout(Duration::from_millis(100), async { unit.users().delete(user_id(1)).await });
    assert!(waiting.await.is_err(), "the statement waits for the lock");
    drop(unit);
    observer.batch_execute("ROLLBACK").await.unwrap();
    wait_for_no_transaction(&observer).await;
    assert_eq!(number(&observer, "SELECT count(*) FROM account").await, 1);
}

#[tokio::test]
async fn a_dropped_attempt_to_begin_leaves_no_transaction() {
    let database = TestDatabase::create().await;
    let (store, observer) = (database.store(), bystander(&database).await);
    for nanos in (0..400_000).step_by(2_000) {
        let _ = tokio::time::timeout(Duration::from_nanos(nanos), store.begin()).await;
    }
    wait_for_no_transaction(&observer).await;
    begin(&store).await.commit().await.unwrap();
}

#[tokio::test]
async fn a_transaction_aborted_by_the_server_is_not_reported_as_committed() {
    let database = TestDatabase::create().await;
    let observer = bystander(&database).await;
    let lock_timeout = Duration::from_millis(100);
    let options = PostgresOptions { lock_timeout, ..PostgresOptions::new(database.url()) };
    let store = PostgresStore::connect(&options).unwrap();
    let mut unit = begin(&store).await;
    unit.users().insert(&user(2)).await.unwrap();
    observer.batch_execute("BEGIN; LOCK TABLE signing_key IN ACCESS EXCLUSIVE MODE").await.unwrap();
    let retired = unit.signing_keys().retire(domain::id::KeyId::from_uuid(uuid::Uuid::nil()), at(0)).await;
    assert!(is_retryable(&retired));
    assert!(unit.commit().await.is_err());
    assert!(store.find_profile(user_id(2)).await.unwrap().is_none());
}

#[tokio::test]
async fn a_conflict_of_any_kind_leaves_the_unit_of_work_usable() {
    let database = TestDatabase::create().await;
    let store = database.store();
    populate(&store, [1]).await;
    let mut unit = begin(&store).await;
    let same_email = domain::user::User { id: user_id(2), ..user(1) };
    let taken = unit.users().insert(&same_email).await;
    assert!(matches!(taken, Err(StorageError::Conflict(UniqueKey::UserEmail))));
    let taken = unit.users().insert(&user(1)).await;
    assert!(matches!(taken, Err(StorageError::Conflict(UniqueKey::UserId))));
    unit.sleep().insert(user_id(1), &[session(1)]).await.unwrap();
    let taken = unit.sleep().insert(user_id(1), &[session(2), session(1), session(3)]).await;
    assert!(matches!(taken, Err(StorageError::Conflict(UniqueKey::SleepSession))));
    let mut moved = session(4);
    unit.sleep().insert(user_id(1), &[session(4)]).await.unwrap();
    moved.record = session(1).record;
    let taken = unit.sleep().update(user_id(1), &moved).await;
    assert!(matches!(taken, Err(StorageError::Conflict(UniqueKey::SleepSession))));
    unit.commit().await.unwrap();
    let stored = bystander(&database).await;
    assert_eq!(number(&stored, "SELECT count(*) FROM sleep_session").await, 2);
}
