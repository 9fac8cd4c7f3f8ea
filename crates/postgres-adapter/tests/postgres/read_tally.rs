//! Sums of reads that many processes add to concurrently.

use crate::made_up::*;
use crate::made_up_sign_in::*;
use application::ports::storage::{PersonalTokenReader as _, ReadTallyStore};
use chrono::{DateTime, Utc};
use domain::id::PersonalTokenId;
use domain::read_tally::{ReadTally, Reader, RequestedRange};
use futures_util::future::join_all;
use postgres_adapter::PostgresStore;
use postgres_adapter::test_support::TestDatabase;
use std::pin::pin;

async fn store_tokens(store: &PostgresStore, tokens: impl IntoIterator<Item = (u8, u128)>) {
    let mut unit = begin(store).await;
    for (byte, user) in tokens {
        unit.personal_tokens().insert(&token(byte, user)).await.unwrap();
    }
    unit.commit().await.unwrap();
}

async fn last_use(store: &PostgresStore, user: u128) -> Vec<Option<DateTime<Utc>>> {
    let tokens = store.list_personal_tokens(user_id(user)).await.unwrap();
    tokens.into_iter().map(|token| token.last_used_at).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_sums_are_all_added_in_any_order() {
    let database = TestDatabase::create().await;
    let stores: Vec<_> = (0..4).map(|_| database.store()).collect();
    populate(&stores[0], 1..=4).await;
    store_tokens(&stores[0], (1..=4).map(|number| (number, number.into()))).await;
    let mut tallies: Vec<ReadTally> = (1..=4).map(|user| tally(user, 1)).collect();
    for number in 1..=4_u8 {
        let reader = Reader::PersonalToken(PersonalTokenId::from_uuid(token(number, 1).id.as_uuid()));
        tallies.push(read_by(reader, number.into(), 2));
    }
    let backwards: Vec<ReadTally> = tallies.iter().rev().copied().collect();
    let attempts = (0..40).zip(stores.iter().cycle()).map(|(number, store)| {
        let tallies = if number % 2 == 0 { &tallies } else { &backwards };
        async move { store.add(tallies).await.unwrap() }
    });
    join_all(attempts).await;
    for user in 1..=4 {
        let sums = stores[0].list(user_id(user), None, 10).await.unwrap();
        assert_eq!(sums.iter().map(|sum| (sum.requests, sum.items)).collect::<Vec<_>>(), [(40, 40); 2]);
        assert_eq!(last_use(&stores[0], user).await, [Some(tallies[4].key.minute)]);
    }
}

#[tokio::test]
async fn the_sums_of_a_person_who_is_deleted_meanwhile_are_left_out_and_the_others_stored() {
    let database = TestDatabase::create().await;
    let (store, observer) = (database.store(), bystander(&database).await);
    populate(&store, [1, 2]).await;
    let mut deleting = begin(&store).await;
    assert!(deleting.users().delete(user_id(1)).await.unwrap());
    let tallies = [tally(1, 1), tally(2, 1), tally(3, 1)];
    let mut adding = pin!(store.add(&tallies));
    until_blocked(&observer, adding.as_mut()).await;
    deleting.commit().await.unwrap();
    adding.await.unwrap();
    assert_eq!(store.list(user_id(2), None, 10).await.unwrap(), [tally(2, 1)]);
    assert_eq!(number(&observer, "SELECT count(*) FROM read_tally").await, 1);
}

#[tokio::test]
async fn a_person_is_not_deleted_between_the_check_and_the_sum() {
    let database = TestDatabase::create().await;
    let (store, observer) = (database.store(), bystander(&database).await);
    populate(&store, [1]).await;
    store.add(&[tally(1, 1)]).await.unwrap();
    // The row of the sum is locked, so that the check of the person is done and the sum waits.
    let holder = bystander(&database).await;
    holder.batch_execute("BEGIN; SELECT FROM read_tally FOR UPDATE").await.unwrap();
    let tallies = [tally(1, 1)];
    let mut adding = pin!(store.add(&tallies));
    until_blocked(&observer, adding.as_mut()).await;
    let key_share = observer.batch_execute("SELECT FROM person FOR UPDATE NOWAIT").await;
    assert!(key_share.is_err(), "the person is held");
    holder.batch_execute("ROLLBACK").await.unwrap();
    adding.await.unwrap();
    assert_eq!(store.list(user_id(1), None, 10).await.unwrap()[0].requests, 2);
}

#[tokio::test]
async fn sums_stop_at_the_largest_number_instead_of_failing() {
    let database = TestDatabase::create().await;
    let store = database.store();
    populate(&store, [1]).await;
    let most = u64::try_from(i64::MAX).unwrap();
    store.add(&[ReadTally { requests: u64::MAX, items: most - 1, ..tally(1, 1) }]).await.unwrap();
    store.add(&[tally(1, 1), tally(1, 1)]).await.unwrap();
    let sum = store.list(user_id(1), None, 10).await.unwrap()[0];
    assert_eq!((sum.requests, sum.items), (most, most));
}

#[tokio::test]
async fn a_range_beyond_the_calendar_of_postgres_is_clamped() {
    let database = TestDatabase::create().await;
    let store = database.store();
    populate(&store, [1]).await;
    let range = RequestedRange { from: Some(DateTime::<Utc>::MIN_UTC), to: Some(DateTime::<Utc>::MAX_UTC) };
    store.add(&[ReadTally { range, ..tally(1, 1) }]).await.unwrap();
    let RequestedRange { from, to } = store.list(user_id(1), None, 10).await.unwrap()[0].range;
    assert_eq!(from.unwrap().to_rfc3339(), "0001-01-01T00:00:00+00:00");
    assert_eq!(to.unwrap().to_rfc3339(), "+10000-01-01T00:00:00+00:00");
}
