//! One-time links to set a password.

use crate::Harness;
use crate::fixture::{hash, link, now, seconds, user, user_id};
use domain::password_link::{PasswordLink, PasswordLinkPurpose};
use domain::user::Email;
use std::time::Duration;
use tokio::task::JoinHandle;

pub(crate) async fn store(harness: &Harness, links: &[PasswordLink]) {
    let mut unit = harness.begin().await;
    for link in links {
        unit.password_links().insert(link).await.unwrap();
    }
    unit.commit().await.unwrap();
}

fn invitation(number: u64, user: u64) -> PasswordLink {
    PasswordLink::new(hash(number), PasswordLinkPurpose::Invitation { user_id: user_id(user) }, now())
}

fn sign_up(number: u64) -> PasswordLink {
    let email = Email::parse(&format!("Sömebody+{number}@Example.ORG")).unwrap();
    PasswordLink::new(hash(number), PasswordLinkPurpose::SignUp { email }, now())
}

fn email_change(number: u64, user: u64) -> PasswordLink {
    let email = Email::parse("robin@new.example.org").unwrap();
    let purpose = PasswordLinkPurpose::EmailChange { user_id: user_id(user), email };
    PasswordLink::new(hash(number), purpose, now())
}

/// Lists the numbers of the stored links, of the first ten.
async fn stored(harness: &Harness) -> Vec<u64> {
    let mut unit = harness.begin().await;
    let mut found = Vec::new();
    for number in 1..=10 {
        if unit.password_links().find(&hash(number)).await.unwrap().is_some() {
            found.push(number);
        }
    }
    found
}

/// Consumes link 1 in a task with a separate unit of work, which commits.
fn consume_in_a_task(harness: &Harness) -> JoinHandle<Option<PasswordLink>> {
    let harness = harness.clone();
    tokio::spawn(async move { commit!(harness, password_links().consume(&hash(1))) })
}

pub(crate) async fn a_link_of_every_purpose_reads_back_as_stored(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let links = [link(1), invitation(2, 1), sign_up(3), email_change(4, 1)];
    store(harness, &links).await;
    let mut unit = harness.begin().await;
    for link in links {
        let found = unit.password_links().find(&link.hash).await.unwrap();
        if let Some(PasswordLinkPurpose::SignUp { email }) = found.as_ref().map(|found| &found.purpose) {
            assert_eq!(email.as_str(), "Sömebody+3@Example.ORG");
        }
        assert_eq!(found, Some(link));
    }
}

pub(crate) async fn an_unknown_link_is_absent(harness: &Harness) {
    harness.store_user(&user(1)).await;
    store(harness, &[link(1)]).await;
    let mut unit = harness.begin().await;
    assert_eq!(unit.password_links().find(&hash(2)).await.unwrap(), None);
    assert_eq!(unit.password_links().consume(&hash(2)).await.unwrap(), None);
}

pub(crate) async fn a_link_is_consumed_once_expired_or_not(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let expired = PasswordLink { expires_at: seconds(-1), ..link(2) };
    store(harness, &[link(1), expired.clone(), sign_up(3)]).await;
    let mut unit = harness.begin().await;
    for link in [link(1), expired] {
        assert_eq!(unit.password_links().consume(&link.hash).await.unwrap(), Some(link.clone()));
        assert_eq!(unit.password_links().consume(&link.hash).await.unwrap(), None);
        assert_eq!(unit.password_links().find(&link.hash).await.unwrap(), None);
    }
    unit.commit().await.unwrap();
    assert_eq!(stored(harness).await, [3]);
}

pub(crate) async fn exactly_one_of_fifty_concurrent_tasks_consumes_a_link(harness: &Harness) {
    harness.store_user(&user(1)).await;
    store(harness, &[link(1)]).await;
    let tasks: Vec<_> = (0..50).map(|_| consume_in_a_task(harness)).collect();
    let mut consumed = Vec::new();
    for task in tasks {
        consumed.extend(task.await.unwrap());
    }
    assert_eq!(consumed, [link(1)]);
}

/// Rolls back after 50 ms, because no event shows that the other task waits.
pub(crate) async fn a_rolled_back_winner_leaves_the_link_to_the_next(harness: &Harness) {
    harness.store_user(&user(1)).await;
    store(harness, &[link(1)]).await;
    let mut unit = harness.begin().await;
    assert_eq!(unit.password_links().consume(&hash(1)).await.unwrap(), Some(link(1)));
    let next = consume_in_a_task(harness);
    tokio::time::sleep(Duration::from_millis(50)).await;
    unit.rollback().await.unwrap();
    assert_eq!(next.await.unwrap(), Some(link(1)));
}

pub(crate) async fn only_the_persons_links_are_deleted(harness: &Harness) {
    harness.store_users([1, 2]).await;
    store(harness, &[link(1), invitation(2, 1), invitation(3, 2), sign_up(4)]).await;
    let mut unit = harness.begin().await;
    assert_eq!(unit.password_links().delete_of_user(user_id(1)).await.unwrap(), 2);
    assert_eq!(unit.password_links().delete_of_user(user_id(1)).await.unwrap(), 0);
    unit.commit().await.unwrap();
    assert_eq!(stored(harness).await, [3, 4]);
}

pub(crate) async fn links_that_ended_are_deleted_up_to_the_limit(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let ending = |number: u64| PasswordLink {
        expires_at: seconds(i64::try_from(number).unwrap()),
        ..if number == 2 { sign_up(number) } else { link(number) }
    };
    store(harness, &[1, 2, 3, 4, 5].map(ending)).await;
    let mut unit = harness.begin().await;
    // Links that expire at the cutoff stay.
    assert_eq!(unit.password_links().delete_expired(seconds(1), 10).await.unwrap(), 0);
    assert_eq!(unit.password_links().delete_expired(seconds(4), 2).await.unwrap(), 2);
    assert_eq!(unit.password_links().delete_expired(seconds(4), 2).await.unwrap(), 1);
    assert_eq!(unit.password_links().delete_expired(seconds(4), 2).await.unwrap(), 0);
    unit.commit().await.unwrap();
    assert_eq!(stored(harness).await, [4, 5]);
}

pub(crate) async fn every_link_can_be_deleted_up_to_the_limit(harness: &Harness) {
    harness.store_users([1, 2]).await;
    store(harness, &[link(1), invitation(2, 2), sign_up(3)]).await;
    let mut unit = harness.begin().await;
    assert_eq!(unit.password_links().delete_any(2).await.unwrap(), 2);
    assert_eq!(unit.password_links().delete_any(2).await.unwrap(), 1);
    unit.commit().await.unwrap();
    assert_eq!(stored(harness).await, []);
}

pub(crate) async fn links_to_sign_up_are_deleted_by_their_address_whatever_its_case(harness: &Harness) {
    harness.store_user(&user(1)).await;
    store(harness, &[sign_up(1), sign_up(2), invitation(3, 1)]).await;
    let mut unit = harness.begin().await;
    let email = Email::parse("S\u{d6}MEBODY+1@example.org").unwrap();
    assert_eq!(unit.password_links().delete_sign_ups(&email).await.unwrap(), 1);
    assert_eq!(unit.password_links().delete_sign_ups(&email).await.unwrap(), 0);
    unit.commit().await.unwrap();
    assert_eq!(stored(harness).await, [2, 3]);
}
