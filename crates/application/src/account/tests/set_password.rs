use super::super::{NewPasswordError, SetPassword, SetPasswordError};
use super::support::{NotingHasher, PASSWORD, WordJudge, hash_of, replacing, still, units};
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::system::PasswordHashingError;
use crate::testing::{clock, entropy, person, user_id};
use domain::audit::{AuditActor, AuditKind};
use domain::user::User;
use std::sync::Arc;
use std::sync::atomic::Ordering;

fn finding(user: Option<User>) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().times(1).withf(|id| *id == user_id(1)).return_once(move |_| Ok(user));
    unit
}

async fn set(store: &Arc<PreparedUnitsOfWork>, text: &str, is_busy: bool) -> Result<(), SetPasswordError> {
    let hasher = NotingHasher::outside(store.endings());
    hasher.is_busy.store(is_busy, Ordering::SeqCst);
    let set = SetPassword::new(store.clone(), Arc::new(hasher), Arc::new(WordJudge), entropy(), clock());
    set.run(user_id(1), text).await
}

#[tokio::test]
async fn t17_t30_the_operators_password_ends_what_the_old_one_opened() {
    let unit = replacing(still(person(), Some(hash_of("the one before"))), &person(), PASSWORD, 2);
    let store = units([finding(Some(person())), unit]);
    set(&store, PASSWORD, false).await.unwrap();
    assert_eq!(store.endings().committed(), 1);
    let [event] = store.events().all().try_into().unwrap();
    assert_eq!((event.kind, event.actor), (AuditKind::PasswordSet, AuditActor::Operator));
    assert_eq!((event.user_id, event.count), (Some(user_id(1)), Some(2)));
}

#[tokio::test]
async fn t85_the_operator_obeys_the_rules_too() {
    let store = units([finding(Some(person()))]);
    let outcome = set(&store, "password and some more", false).await;
    assert!(matches!(outcome, Err(SetPasswordError::Rule(NewPasswordError::Guessable))));
    assert_eq!(store.endings().begun(), 1);
}

#[tokio::test]
async fn nobody_gets_no_password_and_a_busy_server_sets_none() {
    let store = units([finding(None)]);
    assert!(matches!(set(&store, PASSWORD, false).await, Err(SetPasswordError::NotFound)));
    let store = units([finding(Some(person()))]);
    let outcome = set(&store, PASSWORD, true).await;
    assert!(matches!(outcome, Err(SetPasswordError::Hashing(PasswordHashingError::Busy))));
    let store = units([finding(Some(person())), finding(None)]);
    assert!(matches!(set(&store, PASSWORD, false).await, Err(SetPasswordError::NotFound)));
    assert_eq!(store.endings().committed(), 0);
}
