//! Races between processes, simulated by many stores on one database.

use crate::made_up::*;
use application::ports::storage::{GrantFilter, GrantReader as _, StorageError};
use futures_util::future::join_all;
use postgres_adapter::test_support::TestDatabase;
use std::pin::pin;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn racing_grants_never_exceed_what_a_client_may_keep() {
    let database = TestDatabase::create().await;
    let stores: Vec<_> = (0..4).map(|_| database.store()).collect();
    populate(&stores[0], [1]).await;
    let attempts = (1..=20_u128).zip(stores.iter().cycle()).map(|(number, store)| async move {
        let mut unit = begin(store).await;
        unit.grants().insert(&grant(number, 1)).await.unwrap();
        unit.grants().revoke_excess(client().id, user_id(1), 5, at(0)).await.unwrap();
        unit.commit().await.unwrap();
    });
    join_all(attempts).await;
    let grants = stores[0].list_grants(GrantFilter::default(), None, 100).await.unwrap();
    assert_eq!(grants.len(), 20);
    assert_eq!(grants.iter().filter(|grant| grant.is_live()).count(), 5);
}

#[tokio::test]
async fn an_address_taken_by_a_concurrent_unit_of_work_is_retryable() {
    let database = TestDatabase::create().await;
    let (store, observer) = (database.store(), bystander(&database).await);
    populate(&store, [1, 2]).await;
    let wanted = domain::user::Email::parse("new@example.org").unwrap();
    let change = |number| domain::user::User { email: wanted.clone(), ..user(number) };
    let (mut one, mut other) = (begin(&store).await, begin(&store).await);
    one.users().update(&change(1)).await.unwrap();
    let second = change(2);
    let mut updating = pin!(async {
        let updated = other.users().update(&second).await;
        drop(other);
        updated
    });
    until_blocked(&observer, updating.as_mut()).await;
    one.commit().await.unwrap();
    assert!(is_retryable(&updating.await));
    let again = begin(&store).await.users().update(&second).await;
    assert!(matches!(again, Err(StorageError::Conflict(_))));
}
