use super::super::{NewPasswordError, Passwords, SetPasswordError};
use super::support::{
    EMAIL, MemoryFailures, PASSWORD, RecordingHasher, hash_of, passwords, replacing, still, units,
};
use crate::account::attempt_counters::account_counters;
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::storage::{FailureCounter as _, MockProfileReader};
use crate::ports::system::PasswordHashingError;
use crate::testing::{in_sandbox, noon, person, seconds, user_id};
use domain::audit::{AuditActor, AuditKind};
use domain::user::User;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Passwords of a store in which user 1 is this one.
fn of(user: Option<User>, store: &Arc<PreparedUnitsOfWork>) -> Passwords {
    let mut profiles = MockProfileReader::new();
    profiles.expect_find_profile().withf(|id| *id == user_id(1)).returning(move |_| Ok(user.clone()));
    Passwords { profiles: Arc::new(profiles), ..passwords(store) }
}

async fn set(store: &Arc<PreparedUnitsOfWork>, text: &str, is_busy: bool) -> Result<(), SetPasswordError> {
    let hasher = RecordingHasher::outside(store.endings());
    hasher.is_busy.store(is_busy, Ordering::SeqCst);
    let mut passwords = of(Some(person()), store);
    passwords.checkpoint.hasher = Arc::new(hasher);
    passwords.set(user_id(1), text).await
}

#[tokio::test]
async fn t81_a_password_set_by_the_operator_resets_the_failure_counters_of_the_account() {
    let failures = Arc::new(MemoryFailures::default());
    failures.record_failure(&account_counters(EMAIL), noon(), seconds(600)).await.unwrap();
    let store = units([replacing(still(person(), None), &person(), PASSWORD, 0)]);
    let mut passwords = of(Some(person()), &store);
    passwords.checkpoint.failures = failures.clone();
    // A rejected password resets no counters.
    passwords.set(user_id(1), "password and some more").await.unwrap_err();
    assert_eq!(failures.counts(), [1; 4]);
    passwords.set(user_id(1), PASSWORD).await.unwrap();
    assert_eq!(failures.counts(), []);
}

#[tokio::test]
async fn t17_t30_a_password_set_by_the_operator_ends_all_sessions_of_the_old_one() {
    let unit = replacing(still(person(), Some(hash_of("the one before"))), &person(), PASSWORD, 2);
    let store = units([unit]);
    set(&store, PASSWORD, false).await.unwrap();
    assert_eq!(store.endings().committed(), 1);
    let [event] = store.events().all().try_into().unwrap();
    assert_eq!((event.kind, event.actor), (AuditKind::PasswordSet, AuditActor::Operator));
    assert_eq!((event.user_id, event.count), (Some(user_id(1)), Some(2)));
}

#[tokio::test]
async fn t85_the_rules_apply_to_the_operator_too() {
    let store = units([]);
    let outcome = set(&store, "password and some more", false).await;
    assert!(matches!(outcome, Err(SetPasswordError::Rule(NewPasswordError::Guessable))));
    assert_eq!(store.endings().opened(), 0);
}

#[tokio::test]
async fn unknown_accounts_get_no_password_and_a_busy_server_sets_none() {
    let store = units([]);
    let outcome = of(None, &store).set(user_id(1), PASSWORD).await;
    assert!(matches!(outcome, Err(SetPasswordError::NotFound)));
    let outcome = set(&store, PASSWORD, true).await;
    assert!(matches!(outcome, Err(SetPasswordError::Hashing(PasswordHashingError::Busy))));
    assert_eq!(store.endings().opened(), 0);
    // The user was erased while the password was hashed.
    let mut erased = MockUnitOfWork::default();
    erased.users.expect_find().times(1).returning(|_| Ok(None));
    let store = units([erased]);
    assert!(matches!(set(&store, PASSWORD, false).await, Err(SetPasswordError::NotFound)));
    assert_eq!(store.endings().committed(), 0);
}

#[tokio::test]
async fn a_sandbox_person_gets_no_password() {
    let store = units([]);
    let outcome = of(Some(in_sandbox()), &store).set(user_id(1), PASSWORD).await;
    assert!(matches!(outcome, Err(SetPasswordError::SandboxPerson)), "{outcome:?}");
    assert_eq!(store.endings().opened(), 0);
}
