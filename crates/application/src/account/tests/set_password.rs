use super::super::{ChoosePasswordPorts, NewPasswordError, SetPassword, SetPasswordError};
use super::support::{
    EMAIL, MemoryFailures, NotingHasher, PASSWORD, WordJudge, hash_of, replacing, still, units,
};
use crate::account::attempt_counters::account_counters;
use crate::ports::storage::FailureCounter as _;
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::system::PasswordHashingError;
use crate::testing::{clock, entropy, noon, person, seconds, user_id};
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
    SetPassword::new(ports(store, hasher, Arc::default())).run(user_id(1), text).await
}

fn ports(
    store: &Arc<PreparedUnitsOfWork>,
    hasher: NotingHasher,
    failures: Arc<MemoryFailures>,
) -> ChoosePasswordPorts {
    ChoosePasswordPorts {
        units: store.clone(),
        hasher: Arc::new(hasher),
        judge: Arc::new(WordJudge),
        failures,
        clock: clock(),
        entropy: entropy(),
    }
}

#[tokio::test]
async fn t81_the_operators_password_ends_the_wait_of_an_account_that_somebody_guessed_at() {
    let failures = Arc::new(MemoryFailures::default());
    failures.record_failure(&account_counters(EMAIL), noon(), seconds(600)).await.unwrap();
    let store = units([finding(Some(person())), replacing(still(person(), None), &person(), PASSWORD, 0)]);
    let ports = ports(&store, NotingHasher::default(), Arc::clone(&failures));
    // A password that is refused settles nothing.
    let refused = units([finding(Some(person()))]);
    let refusing = SetPassword::new(ChoosePasswordPorts { units: refused, ..ports.clone() });
    refusing.run(user_id(1), "password and some more").await.unwrap_err();
    assert_eq!(failures.counts(), [1; 4]);
    SetPassword::new(ports).run(user_id(1), PASSWORD).await.unwrap();
    assert_eq!(failures.counts(), []);
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
