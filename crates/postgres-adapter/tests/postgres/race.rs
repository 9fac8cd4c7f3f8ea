//! Races between processes, simulated by many stores on one database.

use crate::made_up::*;
use application::ports::storage::{FailureCounter, FailureKey, GrantFilter, GrantReader as _, StorageError};
use chrono::TimeDelta;
use domain::id::KeyId;
use domain::signing_key::{SealedPrivateKey, SigningKey, SigningKeyState};
use futures_util::future::join_all;
use postgres_adapter::PostgresStore;
use postgres_adapter::test_support::TestDatabase;
use uuid::Uuid;

fn stores(database: &TestDatabase) -> Vec<PostgresStore> {
    (0..4).map(|_| database.store()).collect()
}

async fn redeem_code(store: &PostgresStore, number: u128) -> bool {
    let mut unit = begin(store).await;
    let won = redeem(&mut unit, &code(5, 1), number, 59).await.unwrap();
    unit.commit().await.unwrap();
    won
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_racing_redemptions_exactly_one_wins() {
    let database = TestDatabase::create().await;
    let stores = stores(&database);
    populate(&stores[0], [1]).await;
    let mut unit = begin(&stores[0]).await;
    unit.codes().insert(&code(5, 1)).await.unwrap();
    unit.commit().await.unwrap();
    let attempts = (0..40).zip(stores.iter().cycle()).map(|(number, store)| redeem_code(store, number));
    let winners = join_all(attempts).await.into_iter().filter(|won| *won).count();
    assert_eq!(winners, 1);
}

#[tokio::test]
async fn a_loser_waits_for_the_winner_and_wins_when_that_one_rolls_back() {
    let database = TestDatabase::create().await;
    let store = database.store();
    populate(&store, [1]).await;
    let mut unit = begin(&store).await;
    unit.codes().insert(&code(5, 1)).await.unwrap();
    unit.commit().await.unwrap();
    let mut winner = begin(&store).await;
    assert!(redeem(&mut winner, &code(5, 1), 8, 1).await.unwrap());
    let (won, ()) = tokio::join!(redeem_code(&store, 9), async {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        winner.rollback().await.unwrap();
    });
    assert!(won);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_first_keys_exactly_one_is_stored() {
    let database = TestDatabase::create().await;
    let stores = stores(&database);
    let attempts = (0..12_u128).zip(stores.iter().cycle()).map(|(number, store)| async move {
        let key = SigningKey {
            id: KeyId::from_uuid(Uuid::from_u128(number)),
            public_key: [1; 32],
            private_key: SealedPrivateKey::new(vec![2; 60]),
            created_at: at(0),
            state: SigningKeyState::Active,
        };
        let mut unit = begin(store).await;
        let is_first = unit.signing_keys().insert_first(&key).await.unwrap();
        unit.commit().await.unwrap();
        is_first
    });
    assert_eq!(join_all(attempts).await.into_iter().filter(|first| *first).count(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn racing_grants_never_exceed_what_a_client_may_keep() {
    let database = TestDatabase::create().await;
    let stores = stores(&database);
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_racing_failure_is_counted_once() {
    let database = TestDatabase::create().await;
    let stores = stores(&database);
    let (one, other) = (FailureKey([1; 32]), FailureKey([2; 32]));
    let window = TimeDelta::minutes(10);
    let attempts = (0..40).zip(stores.iter().cycle()).map(|(number, store)| async move {
        // In both orders, which must not deadlock.
        let keys = if number % 2 == 0 { [one, other] } else { [other, one] };
        store.record_failure(&keys, at(0), window).await.unwrap()[0].count
    });
    let mut counts = join_all(attempts).await;
    let again = stores[0].record_failure(&[one, one], at(1), window).await.unwrap();
    assert_eq!(again.iter().map(|count| count.count).collect::<Vec<_>>(), [42, 42]);
    assert_eq!(again[0].window_ends_at, at(600));
    counts.sort_unstable();
    assert_eq!((counts.first(), counts.last()), (Some(&1), Some(&40)));
    let fresh = stores[0].record_failure(&[one], at(600), window).await.unwrap();
    assert_eq!((fresh[0].count, fresh[0].window_ends_at), (1, at(1200)));
}

#[tokio::test]
async fn an_address_that_another_unit_of_work_takes_meanwhile_asks_to_try_again() {
    let database = TestDatabase::create().await;
    let store = database.store();
    populate(&store, [1, 2]).await;
    let wanted = domain::user::Email::parse("new@example.org").unwrap();
    let change = |number| domain::user::User { email: wanted.clone(), ..user(number) };
    let (mut one, mut other) = (begin(&store).await, begin(&store).await);
    one.users().update(&change(1)).await.unwrap();
    let second = change(2);
    let (updated, ()) = tokio::join!(other.users().update(&second), async {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        one.commit().await.unwrap();
    });
    assert!(is_retryable(&updated));
    drop(other);
    let again = begin(&store).await.users().update(&second).await;
    assert!(matches!(again, Err(StorageError::Conflict(_))));
}
