//! Units of work.

use crate::Harness;
use crate::fixture::{client, conflict, grant, secret, session, session_id, user, user_id};
use application::ports::storage::{GrantFilter, UniqueKey};
use domain::user::User;
use std::time::Duration;

pub(crate) async fn readers_see_committed_rows(harness: &Harness) {
    harness.store_user(&user(1)).await;
    assert_eq!(harness.profiles.find_profile(user_id(1)).await.unwrap(), Some(user(1)));
}

pub(crate) async fn a_unit_of_work_sees_its_own_writes_and_readers_do_not(harness: &Harness) {
    let mut unit = harness.begin().await;
    unit.users().insert(&user(1)).await.unwrap();
    assert_eq!(unit.users().find(user_id(1)).await.unwrap(), Some(user(1)));
    assert_eq!(harness.profiles.find_profile(user_id(1)).await.unwrap(), None);
    unit.commit().await.unwrap();
    assert_eq!(harness.profiles.find_profile(user_id(1)).await.unwrap(), Some(user(1)));
}

pub(crate) async fn a_dropped_unit_of_work_stores_nothing_and_lets_the_next_one_write(harness: &Harness) {
    // More often than any pool has connections.
    for _ in 0..40 {
        let mut unit = harness.begin().await;
        unit.users().insert(&user(1)).await.unwrap();
        drop(unit);
    }
    harness.store_user(&user(2)).await;
    assert_eq!(harness.profiles.find_profile(user_id(1)).await.unwrap(), None);
    assert_eq!(harness.profiles.find_profile(user_id(2)).await.unwrap(), Some(user(2)));
}

pub(crate) async fn a_rolled_back_unit_of_work_stores_nothing(harness: &Harness) {
    let mut unit = harness.begin().await;
    unit.users().insert(&user(1)).await.unwrap();
    unit.rollback().await.unwrap();
    assert_eq!(harness.profiles.find_profile(user_id(1)).await.unwrap(), None);
}

pub(crate) async fn a_conflict_leaves_the_unit_of_work_usable(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let mut unit = harness.begin().await;
    unit.users().insert(&user(2)).await.unwrap();
    let taken = User { email: user(4).email, ..user(1) };
    assert_eq!(conflict(unit.users().insert(&taken).await), UniqueKey::UserId);
    unit.users().insert(&user(3)).await.unwrap();
    for number in 1..=3 {
        assert_eq!(unit.users().find(user_id(number)).await.unwrap(), Some(user(number)));
    }
    unit.commit().await.unwrap();
    assert_eq!(harness.profiles.list_profiles(None, 10).await.unwrap(), [user(1), user(2), user(3)]);
}

pub(crate) async fn a_conflict_among_several_rows_stores_none_of_them(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let mut unit = harness.begin().await;
    let rows = [session(1, 0), session(2, 600), session(1, 1200)];
    assert_eq!(conflict(unit.sleep().insert(user_id(1), &rows).await), UniqueKey::SleepSession);
    unit.sleep().insert(user_id(1), &[session(3, 0)]).await.unwrap();
    unit.commit().await.unwrap();
    let mut unit = harness.begin().await;
    let ids = [session_id(1), session_id(2), session_id(3)];
    assert_eq!(unit.sleep().find_many(user_id(1), &ids).await.unwrap(), [session(3, 0)]);
}

/// Aborts each task after another time, from 0 to 6 ms, so that each stops at another point.
pub(crate) async fn an_aborted_task_leaves_neither_rows_nor_an_open_transaction(harness: &Harness) {
    for round in 0..60u64 {
        let own = harness.clone();
        let task = tokio::spawn(async move {
            let mut unit = own.begin().await;
            for number in 1..=50 {
                unit.users().insert(&user(number)).await.unwrap();
            }
            unit.rollback().await.unwrap();
        });
        // Each round aborts at another point: waiting, beginning, within a statement, between two.
        tokio::time::sleep(Duration::from_micros(round * 97)).await;
        task.abort();
    }
    harness.store_user(&user(100)).await;
    assert_eq!(harness.profiles.list_profiles(None, 10).await.unwrap(), [user(100)]);
}

pub(crate) async fn units_of_work_that_wait_for_each_other_all_commit(harness: &Harness) {
    harness.store_user(&user(1)).await;
    harness.store_client(&client(1), &secret(1)).await;
    let tasks: Vec<_> = (1..=30)
        .map(|number| {
            let harness = harness.clone();
            tokio::spawn(async move { harness.store_grants(&[grant(number)]).await })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let grants = harness.grants.list_grants(GrantFilter::default(), None, 100).await.unwrap();
    assert_eq!(grants, (1..=30).map(grant).collect::<Vec<_>>());
}
