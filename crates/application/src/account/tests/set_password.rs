use super::super::{ChoosePasswordPorts, NewPasswordError, SetPassword, SetPasswordError};
use super::support::{
    EMAIL, MemoryFailures, PASSWORD, RecordingHasher, WordListChecker, hash_of, replacing, still, units,
};
use crate::account::attempt_counters::account_counters;
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::storage::{FailureCounter as _, MockPasswordLinkReader, MockProfileReader};
use crate::ports::system::PasswordHashingError;
use crate::testing::{clock, entropy, in_sandbox, noon, person, seconds, user_id};
use domain::audit::{AuditActor, AuditKind};
use domain::user::User;
use std::sync::Arc;
use std::sync::atomic::Ordering;

fn profiles(user: Option<User>) -> Arc<MockProfileReader> {
    let mut profiles = MockProfileReader::new();
    profiles.expect_find_profile().withf(|id| *id == user_id(1)).returning(move |_| Ok(user.clone()));
    Arc::new(profiles)
}

async fn set(store: &Arc<PreparedUnitsOfWork>, text: &str, is_busy: bool) -> Result<(), SetPasswordError> {
    let hasher = RecordingHasher::outside(store.endings());
    hasher.is_busy.store(is_busy, Ordering::SeqCst);
    SetPassword::new(ports(store, hasher, Arc::default()), profiles(Some(person())))
        .run(user_id(1), text)
        .await
}

fn ports(
    store: &Arc<PreparedUnitsOfWork>,
    hasher: RecordingHasher,
    failures: Arc<MemoryFailures>,
) -> ChoosePasswordPorts {
    ChoosePasswordPorts {
        links: Arc::<MockPasswordLinkReader>::default(),
        units: store.clone(),
        hasher: Arc::new(hasher),
        strength_checker: Arc::new(WordListChecker),
        failures,
        clock: clock(),
        entropy: entropy(),
    }
}

#[tokio::test]
async fn t81_a_password_set_by_the_operator_resets_the_failure_counters_of_the_account() {
    let failures = Arc::new(MemoryFailures::default());
    failures.record_failure(&account_counters(EMAIL), noon(), seconds(600)).await.unwrap();
    let store = units([replacing(still(person(), None), &person(), PASSWORD, 0)]);
    let ports = ports(&store, RecordingHasher::default(), Arc::clone(&failures));
    // A rejected password resets no counters.
    let set = SetPassword::new(ports, profiles(Some(person())));
    set.run(user_id(1), "password and some more").await.unwrap_err();
    assert_eq!(failures.counts(), [1; 4]);
    set.run(user_id(1), PASSWORD).await.unwrap();
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
    let set_nobodys =
        SetPassword::new(ports(&store, RecordingHasher::default(), Arc::default()), profiles(None));
    let outcome = set_nobodys.run(user_id(1), PASSWORD).await;
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
    let ports = ports(&store, RecordingHasher::default(), Arc::default());
    let outcome = SetPassword::new(ports, profiles(Some(in_sandbox()))).run(user_id(1), PASSWORD).await;
    assert!(matches!(outcome, Err(SetPasswordError::SandboxPerson)), "{outcome:?}");
    assert_eq!(store.endings().opened(), 0);
}
