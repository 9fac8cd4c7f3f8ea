//! Failover to a standby after the primary dies, without a restart of the program.

use crate::cluster::{Cluster, until};
use crate::made_up::*;
use application::ports::storage::{ProfileReader, SleepReader, StorageError};
use application::ports::storage::{UnitOfWork, UnitOfWorkFactory};
use domain::user::User;
use postgres_adapter::{PostgresOptions, PostgresStore};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Starts a primary with one person and a code, and a synchronous standby.
async fn pair() -> (Cluster, Cluster, Arc<PostgresStore>) {
    let primary = Cluster::primary();
    let alone = primary.store();
    alone.migrate().await.unwrap();
    populate(&alone, [1]).await;
    let mut unit = begin(&alone).await;
    unit.codes().insert(&code(1, 1)).await.unwrap();
    unit.commit().await.unwrap();
    let standby = primary.standby();
    let operator = primary.bystander().await;
    operator.batch_execute("ALTER SYSTEM SET synchronous_standby_names = '*'").await.unwrap();
    operator.batch_execute("ALTER DATABASE postgres SET synchronous_commit = 'on'").await.unwrap();
    operator.batch_execute("SELECT pg_reload_conf()").await.unwrap();
    until("the standby is waited for", async || {
        number(&operator, "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'").await == 1
    })
    .await;
    let url = format!("postgres://postgres@{},{}/postgres", primary.host(), standby.host());
    let options = PostgresOptions { pool_size: 4, ..PostgresOptions::new(url) };
    (primary, standby, Arc::new(PostgresStore::connect(&options).unwrap()))
}

async fn store_person(store: &PostgresStore, number: u128) -> Result<(), StorageError> {
    let mut unit = store.begin().await?;
    unit.users().insert(&user(number)).await?;
    unit.commit().await
}

async fn redeem_code(store: &PostgresStore) -> Result<bool, StorageError> {
    let mut unit: Box<dyn UnitOfWork> = store.begin().await?;
    let redeemed = redeem(&mut unit, &code(1, 1), 1, 1).await?;
    unit.commit().await?;
    Ok(redeemed)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failover_loses_nothing_acknowledged_and_codes_stay_redeemed() {
    let (primary, standby, store) = pair().await;
    assert!(redeem_code(&store).await.unwrap());
    let (acknowledged, is_over) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
    let writers: Vec<_> = (1..=4_u128)
        .map(|writer| {
            let (store, is_over) = (Arc::clone(&store), Arc::clone(&is_over));
            let acknowledged = Arc::clone(&acknowledged);
            tokio::spawn(async move {
                for number in (writer * 1_000_000).. {
                    if is_over.load(Ordering::Relaxed) {
                        return;
                    }
                    match store_person(&store, number).await {
                        Ok(()) => acknowledged.lock().unwrap().push(number),
                        Err(StorageError::Unavailable | StorageError::Retryable) => {}
                        Err(other) => panic!("{other:?}"),
                    }
                }
            })
        })
        .collect();
    until("there are writes", async || acknowledged.lock().unwrap().len() > 50).await;
    primary.kill();
    assert!(matches!(redeem_code(&store).await, Err(StorageError::Unavailable)));
    standby.promote();
    // scripts/chaos measures the time on an idle machine; this test only checks that it happens without a
    // restart.
    until("the store accepts writes", async || store_person(&store, 2).await.is_ok()).await;
    let before = acknowledged.lock().unwrap().len();
    until("the writers go on", async || acknowledged.lock().unwrap().len() > before + 20).await;
    is_over.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.unwrap();
    }
    assert!(!redeem_code(&store).await.unwrap(), "a code was redeemed twice");
    let acknowledged = acknowledged.lock().unwrap().clone();
    for number in acknowledged {
        let found: Option<User> = store.find_profile(user_id(number)).await.unwrap();
        assert!(found.is_some(), "{number} was acknowledged and is missing");
    }
    assert!(store.walk(user_id(1), None, 10).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_standby_is_never_treated_as_the_store() {
    let primary = Cluster::primary();
    primary.store().migrate().await.unwrap();
    let standby = primary.standby();
    let options =
        PostgresOptions { wait_timeout: Duration::from_secs(1), ..PostgresOptions::new(&standby.url) };
    let store = PostgresStore::connect(&options).unwrap();
    assert!(is_unavailable(&store.begin().await));
    assert!(is_unavailable(&store.find_profile(user_id(1)).await));
    assert!(store.unavailability().unwrap().contains("does not allow writes"));
    standby.promote();
    begin(&store).await.commit().await.unwrap();
}
