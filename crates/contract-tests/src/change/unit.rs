//! Change number shared by all changes of a person in one unit of work.

use super::{all, deletion, prepare, profile, slept, store_log, subjects, took};
use crate::Harness;
use crate::fixture::{conflict, log, log_id, now, session, session_id, user, user_id};
use application::ports::storage::UniqueKey;
use std::collections::BTreeSet;
use std::time::Duration;

pub(crate) async fn changes_of_one_unit_of_work_share_a_number(harness: &Harness) {
    prepare(harness).await;
    harness.store_sessions(user_id(1), &[session(1, 0), session(2, 600)]).await;
    store_log(harness, log(1, 1, now())).await;
    let mut unit = harness.begin().await;
    unit.intake_logs().delete(user_id(1), &[log_id(1)]).await.unwrap();
    unit.sleep().update(user_id(1), &session(1, 60)).await.unwrap();
    unit.sleep().delete(user_id(1), &[session_id(2)]).await.unwrap();
    assert!(unit.users().update(&user(1)).await.unwrap());
    unit.sleep().insert(user_id(1), &[session(3, 1200)]).await.unwrap();
    unit.intake_logs().insert(user_id(1), &[log(2, 1, now())]).await.unwrap();
    // Another person's changes have a separate number, which starts at one.
    unit.sleep().insert(user_id(2), &[session(1, 0)]).await.unwrap();
    unit.commit().await.unwrap();
    let reported = all(harness).await;
    // Sorted by kind, then by id.
    let expected = [profile(), slept(1), deletion(slept(2)), slept(3), deletion(took(1)), took(2)];
    let mut found = subjects(&reported);
    found.sort_unstable();
    let mut sorted = expected;
    sorted.sort_unstable();
    assert_eq!(found, sorted);
    let numbers: BTreeSet<_> = reported.iter().map(|(position, _)| position.number).collect();
    assert_eq!(numbers.len(), 1);
    store_log(harness, log(3, 1, now())).await;
    let last = all(harness).await.pop().unwrap().0.number;
    assert!(numbers.first().is_some_and(|number| *number < last));
}

pub(crate) async fn a_conflict_releases_neither_the_number_nor_the_person(harness: &Harness) {
    prepare(harness).await;
    harness.store_sessions(user_id(1), &[session(1, 0)]).await;
    let mut first = harness.begin().await;
    let rows = [session(2, 600), session(1, 1200)];
    assert_eq!(conflict(first.sleep().insert(user_id(1), &rows).await), UniqueKey::SleepSession);
    first.sleep().insert(user_id(1), &[session(3, 1800)]).await.unwrap();
    let own = harness.clone();
    let mut second = tokio::spawn(async move { store_log(&own, log(1, 1, now())).await });
    assert!(tokio::time::timeout(Duration::from_millis(100), &mut second).await.is_err());
    first.commit().await.unwrap();
    second.await.unwrap();
    let reported = all(harness).await;
    assert_eq!(subjects(&reported), [profile(), slept(1), slept(3), took(1)]);
    assert!(reported.windows(2).all(|pair| pair[0].0.number < pair[1].0.number));
}
