//! Races of sign-ins and of decisions in two transactions, one of which waits for the other or skips its
//! rows.

use crate::made_up::*;
use crate::made_up_sign_in::*;
use application::ports::storage::SessionReader as _;
use domain::password::PasswordHash;
use postgres_adapter::test_support::TestDatabase;
use std::pin::pin;

#[tokio::test]
async fn messages_claimed_by_another_process_are_skipped() {
    let database = TestDatabase::create().await;
    let store = database.store();
    let mut unit = begin(&store).await;
    for number in 1..=5 {
        unit.outbox().insert(&message(number)).await.unwrap();
    }
    unit.commit().await.unwrap();
    let (mut one, mut other) = (begin(&store).await, begin(&store).await);
    let first = one.outbox().claim(at(100), at(200), 2).await.unwrap();
    let second = other.outbox().claim(at(100), at(200), 10).await.unwrap();
    let ids = |messages: &[application::ports::storage::QueuedMessage]| -> Vec<u128> {
        messages.iter().map(|message| message.id.as_uuid().as_u128()).collect()
    };
    assert_eq!((ids(&first), ids(&second)), (vec![1, 2], vec![3, 4, 5]));
    one.rollback().await.unwrap();
    other.commit().await.unwrap();
    let again = begin(&store).await.outbox().claim(at(100), at(200), 10).await.unwrap();
    assert_eq!(ids(&again), [1, 2]);
}

#[tokio::test]
async fn a_request_that_was_found_is_not_decided_by_another_meanwhile() {
    let database = TestDatabase::create().await;
    let (store, observer) = (database.store(), bystander(&database).await);
    populate(&store, [1]).await;
    let mut finder = begin(&store).await;
    finder.authorization_requests().insert(&request(5)).await.unwrap();
    finder.commit().await.unwrap();
    let mut finder = begin(&store).await;
    assert!(finder.authorization_requests().find(request(5).id).await.unwrap().is_some());
    let mut other = begin(&store).await;
    let mut deciding = pin!(async { other.authorization_requests().decide(request(5).id, at(2)).await });
    until_blocked(&observer, deciding.as_mut()).await;
    assert!(finder.authorization_requests().decide(request(5).id, at(1)).await.unwrap());
    finder.commit().await.unwrap();
    assert!(!deciding.await.unwrap());
}

#[tokio::test]
async fn a_password_that_was_found_missing_is_not_set_by_another_meanwhile() {
    let database = TestDatabase::create().await;
    let (store, observer) = (database.store(), bystander(&database).await);
    populate(&store, [1]).await;
    let (first, second) = (PasswordHash::from_phc("$first"), PasswordHash::from_phc("$second"));
    let mut finder = begin(&store).await;
    assert_eq!(finder.passwords().find(user_id(1)).await.unwrap(), None);
    let mut other = begin(&store).await;
    let mut finding = pin!(async move { (other.passwords().find(user_id(1)).await.unwrap(), other) });
    until_blocked(&observer, finding.as_mut()).await;
    finder.passwords().set(user_id(1), &first, at(1)).await.unwrap();
    finder.commit().await.unwrap();
    // After the wait, the row as the other transaction stored it is returned.
    let (found, mut other) = finding.await;
    assert_eq!(found, Some(first));
    other.passwords().set(user_id(1), &second, at(2)).await.unwrap();
    other.commit().await.unwrap();
    assert_eq!(begin(&store).await.passwords().find(user_id(1)).await.unwrap(), Some(second));
}

#[tokio::test]
async fn a_rehash_never_undoes_a_change() {
    let database = TestDatabase::create().await;
    let (store, observer) = (database.store(), bystander(&database).await);
    populate(&store, [1]).await;
    let (old, new) = (PasswordHash::from_phc("$old"), PasswordHash::from_phc("$new"));
    let mut unit = begin(&store).await;
    unit.passwords().set(user_id(1), &old, at(1)).await.unwrap();
    unit.commit().await.unwrap();
    let mut changer = begin(&store).await;
    changer.passwords().set(user_id(1), &new, at(2)).await.unwrap();
    let mut signing_in = begin(&store).await;
    let better = PasswordHash::from_phc("$old, but better");
    let mut rehashing = pin!(async {
        let is_rehashed = signing_in.passwords().rehash(user_id(1), &old, &better).await.unwrap();
        signing_in.commit().await.unwrap();
        is_rehashed
    });
    until_blocked(&observer, rehashing.as_mut()).await;
    changer.commit().await.unwrap();
    assert!(!rehashing.await);
    assert_eq!(begin(&store).await.passwords().find(user_id(1)).await.unwrap(), Some(new));
}

#[tokio::test]
async fn a_session_in_use_is_ended_too() {
    let database = TestDatabase::create().await;
    let (store, observer) = (database.store(), bystander(&database).await);
    populate(&store, [1]).await;
    let session = browser_session(5, 1);
    let mut unit = begin(&store).await;
    unit.sessions().insert(&session).await.unwrap();
    unit.commit().await.unwrap();
    let mut using = begin(&store).await;
    using.sessions().record_use(user_id(1), session.id, at(60)).await.unwrap();
    let mut ending = pin!(async {
        let mut unit = begin(&store).await;
        let ended = unit.sessions().delete_ended(at(1), at(1), 10).await.unwrap();
        unit.commit().await.unwrap();
        ended
    });
    until_blocked(&observer, ending.as_mut()).await;
    using.commit().await.unwrap();
    assert_eq!(ending.await, 1);
    assert_eq!(store.list_sessions(user_id(1)).await.unwrap(), []);
}
