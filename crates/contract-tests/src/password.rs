//! Password hashes and the credentials of a sign-in.

use crate::Harness;
use crate::fixture::{full_user, now, password_hash, seconds, user, user_id};
use application::ports::storage::Credentials;
use domain::password::PasswordHash;
use domain::user::{Email, UserStatus};
use std::time::Duration;
use tokio::task::JoinHandle;

async fn set(harness: &Harness, user: u64, hash: &PasswordHash) {
    commit!(harness, passwords().set(user_id(user), hash, now()));
}

async fn find(harness: &Harness, user: u64) -> Option<PasswordHash> {
    harness.begin().await.passwords().find(user_id(user)).await.unwrap()
}

/// Rehashes the password of person 1 in a task with a separate unit of work, which commits.
fn rehash_in_a_task(harness: &Harness, old: u64, new: u64) -> JoinHandle<bool> {
    let harness = harness.clone();
    tokio::spawn(async move {
        let mut unit = harness.begin().await;
        let (old, new) = (password_hash(old), password_hash(new));
        let won = unit.passwords().rehash(user_id(1), &old, &new).await.unwrap();
        unit.commit().await.unwrap();
        won
    })
}

fn set_in_a_task(harness: &Harness, hash: u64) -> JoinHandle<()> {
    let harness = harness.clone();
    tokio::spawn(async move { set(&harness, 1, &password_hash(hash)).await })
}

pub(crate) async fn credentials_are_found_by_address_whatever_its_case(harness: &Harness) {
    harness.store_user(&full_user(1)).await;
    harness.store_user(&user(2)).await;
    set(harness, 1, &password_hash(1)).await;
    let expected =
        Credentials { user_id: user_id(1), status: full_user(1).status, password: Some(password_hash(1)) };
    for text in ["Ärzt+1@Exämple.ORG", "ÄRZT+1@EXÄMPLE.ORG", "ärzt+1@exämple.org"] {
        let found = harness.credentials.find_credentials(&Email::parse(text).unwrap()).await.unwrap();
        assert_eq!(found, Some(expected.clone()), "{text}");
    }
}

pub(crate) async fn an_account_without_a_password_has_credentials_without_one(harness: &Harness) {
    harness.store_users([1, 2]).await;
    set(harness, 2, &password_hash(2)).await;
    let found = harness.credentials.find_credentials(&user(1).email).await.unwrap();
    let expected = Credentials { user_id: user_id(1), status: UserStatus::Active, password: None };
    assert_eq!(found, Some(expected));
    assert_eq!(find(harness, 1).await, None);
}

pub(crate) async fn an_unknown_address_has_no_credentials(harness: &Harness) {
    harness.store_user(&user(1)).await;
    assert_eq!(harness.credentials.find_credentials(&user(2).email).await.unwrap(), None);
    assert_eq!(find(harness, 2).await, None);
}

pub(crate) async fn a_password_replaces_an_earlier_one(harness: &Harness) {
    harness.store_users([1, 2]).await;
    set(harness, 2, &password_hash(9)).await;
    for number in [1, 2, 1] {
        set(harness, 1, &password_hash(number)).await;
        assert_eq!(find(harness, 1).await, Some(password_hash(number)));
    }
    assert_eq!(find(harness, 2).await, Some(password_hash(9)));
}

pub(crate) async fn a_deleted_password_is_gone_and_only_it(harness: &Harness) {
    for number in [1, 2] {
        harness.store_user(&user(number)).await;
        set(harness, number, &password_hash(number)).await;
    }
    for had_one in [true, false] {
        assert_eq!(commit!(harness, passwords().delete(user_id(1))), had_one);
        assert_eq!(find(harness, 1).await, None);
    }
    assert_eq!(find(harness, 2).await, Some(password_hash(2)));
    // A concurrent sign-in does not bring it back; a new one may be set.
    assert!(!rehash_in_a_task(harness, 1, 3).await.unwrap());
    set(harness, 1, &password_hash(4)).await;
    assert_eq!(find(harness, 1).await, Some(password_hash(4)));
}

pub(crate) async fn a_rehash_replaces_nothing_but_the_hash_that_it_was_made_for(harness: &Harness) {
    harness.store_users([1, 2, 3]).await;
    set(harness, 1, &password_hash(1)).await;
    set(harness, 2, &password_hash(1)).await;
    let mut unit = harness.begin().await;
    let (old, new) = (password_hash(1), password_hash(2));
    assert!(unit.passwords().rehash(user_id(1), &old, &new).await.unwrap());
    assert!(!unit.passwords().rehash(user_id(1), &old, &password_hash(3)).await.unwrap());
    assert!(!unit.passwords().rehash(user_id(3), &old, &new).await.unwrap());
    unit.commit().await.unwrap();
    assert_eq!(find(harness, 1).await, Some(new));
    assert_eq!(find(harness, 2).await, Some(old));
    assert_eq!(find(harness, 3).await, None);
}

pub(crate) async fn of_racing_rehashes_one_wins_and_none_undoes_a_change(harness: &Harness) {
    harness.store_user(&user(1)).await;
    set(harness, 1, &password_hash(1)).await;
    let rehashes: Vec<_> = (10..30).map(|new| rehash_in_a_task(harness, 1, new)).collect();
    let mut won = 0;
    for task in rehashes {
        won += u32::from(task.await.unwrap());
    }
    assert_eq!(won, 1);

    set(harness, 1, &password_hash(1)).await;
    let mut rehashes: Vec<_> = (10..20).map(|new| rehash_in_a_task(harness, 1, new)).collect();
    let change = set_in_a_task(harness, 2);
    rehashes.extend((20..30).map(|new| rehash_in_a_task(harness, 1, new)));
    change.await.unwrap();
    for task in rehashes {
        task.await.unwrap();
    }
    assert_eq!(find(harness, 1).await, Some(password_hash(2)));
}

/// Commits after 150 ms, because no event shows that the other tasks do not finish.
pub(crate) async fn a_password_that_was_found_stays_until_the_unit_of_work_ends(harness: &Harness) {
    harness.store_user(&user(1)).await;
    set(harness, 1, &password_hash(1)).await;
    let mut unit = harness.begin().await;
    assert_eq!(unit.passwords().find(user_id(1)).await.unwrap(), Some(password_hash(1)));
    let (change, rehash) = (set_in_a_task(harness, 2), rehash_in_a_task(harness, 1, 3));
    tokio::time::sleep(Duration::from_millis(150)).await;
    assert!(!change.is_finished() && !rehash.is_finished());
    assert_eq!(unit.passwords().find(user_id(1)).await.unwrap(), Some(password_hash(1)));
    unit.commit().await.unwrap();
    change.await.unwrap();
    rehash.await.unwrap();
    assert_eq!(find(harness, 1).await, Some(password_hash(2)));
}

/// Makes a password hash longer 5 ms after finding it, so that concurrent changes overlap.
async fn lengthen(harness: Harness) {
    let mut unit = harness.begin().await;
    let found = unit.passwords().find(user_id(1)).await.unwrap();
    let longer = format!("{}x", found.as_ref().map_or("", PasswordHash::as_phc));
    // Without a lock, a concurrent change would lengthen the old hash.
    tokio::time::sleep(Duration::from_millis(5)).await;
    unit.passwords().set(user_id(1), &PasswordHash::from_phc(longer), seconds(1)).await.unwrap();
    unit.commit().await.unwrap();
}

pub(crate) async fn concurrent_changes_of_a_found_password_are_serialized(harness: &Harness) {
    // Starts without a password, so that there is no row to lock.
    harness.store_user(&user(1)).await;
    let tasks: Vec<_> = (0..8).map(|_| tokio::spawn(lengthen(harness.clone()))).collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(find(harness, 1).await, Some(PasswordHash::from_phc("xxxxxxxx")));
}
