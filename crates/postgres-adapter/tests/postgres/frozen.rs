//! A frozen primary: its connections stay open, and it does not respond.

use crate::cluster::{Cluster, until};
use crate::made_up::*;
use application::ports::storage::{
    ChangePageQuery, ChangeReader, IdempotencyStore, IdempotentRequest, ProfileReader, SleepReader,
    UnitOfWorkFactory,
};
use domain::data_kind::DataKind;
use postgres_adapter::{PostgresOptions, PostgresStore};
use std::time::Duration;

/// Wait timeout and statement timeout of the store; responses time out one second later.
const WAIT: Duration = Duration::from_millis(1_500);

/// Panics if something takes longer than every limit of the store.
async fn in_time<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), work)
        .await
        .expect("the store waits for a server that stands still")
}

fn everything() -> ChangePageQuery {
    ChangePageQuery { user_id: user_id(1), kinds: DataKind::ALL.into(), after: None, limit: 10 }
}

fn request() -> IdempotentRequest {
    IdempotentRequest { client_id: client().id, key: [1; 32], content: [1; 32] }
}

#[tokio::test]
async fn a_frozen_primary_is_unavailable_within_the_limits_until_it_resumes() {
    let cluster = Cluster::primary();
    let options = PostgresOptions {
        pool_size: 4,
        statement_timeout: WAIT,
        wait_timeout: WAIT,
        ..PostgresOptions::new(&cluster.url)
    };
    // The migration has no time limit.
    cluster.store().migrate().await.unwrap();
    let store = PostgresStore::connect(&options).unwrap();
    populate(&store, [1]).await;
    let mut open = begin(&store).await;
    assert!(open.users().find(user_id(1)).await.unwrap().is_some());
    assert!(store.find_profile(user_id(1)).await.unwrap().is_some());
    cluster.freeze();
    // First over existing connections, then over new ones that the system still accepts.
    assert!(is_unavailable(&in_time(open.commit()).await));
    for _ in 0..2 {
        assert!(is_unavailable(&in_time(store.find_profile(user_id(1))).await));
        assert!(is_unavailable(&in_time(store.walk(user_id(1), None, 10)).await));
        assert!(is_unavailable(&in_time(store.changes(everything())).await));
        assert!(is_unavailable(&in_time(store.begin()).await));
        assert!(is_unavailable(&in_time(store.claim(request(), at(0), at(-1), at(-2))).await));
    }
    cluster.thaw();
    until("the store takes writes", async || match store.begin().await {
        Ok(unit) => unit.commit().await.is_ok(),
        Err(_) => false,
    })
    .await;
    until("a row is read", async || store.find_profile(user_id(1)).await.is_ok_and(|found| found.is_some()))
        .await;
    until("changes are read", async || store.changes(everything()).await.is_ok()).await;
}
