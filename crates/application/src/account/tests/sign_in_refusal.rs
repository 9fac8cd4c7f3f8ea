use super::super::{PasswordCheckError, PasswordCheckpoint};
use super::support::{
    EMAIL, FailingAt, PASSWORD, WRONG, account, checkpoint, fixture, hash_of, home, locked_person, sign_in,
    units,
};
use crate::ports::storage::test_support::MockUnitOfWork;
use crate::ports::storage::{MockCredentialReader, StorageError};
use crate::ports::system::PasswordHashingError;
use crate::testing::{person, user_id};
use domain::address::AddressBlock;
use domain::audit::AuditKind;
use domain::password::PasswordHash;
use domain::user::User;
use std::sync::Arc;

/// Effects of an attempt: hashes checked, attempts counted, refusals recorded.
#[derive(Debug, PartialEq, Eq)]
struct Effects {
    error: String,
    checked: Vec<Option<PasswordHash>>,
    counts: Vec<u32>,
    writes: usize,
}

async fn refused(user: &User, stored: Option<PasswordHash>, email: &str, password: &str) -> Effects {
    let store = units([MockUnitOfWork::default()]);
    let (checkpoint, hasher, failures) = checkpoint(account(user, stored), &store);
    let error = sign_in(&fixture(checkpoint), email, password).await.unwrap_err();
    assert!(matches!(error, PasswordCheckError::WrongCredentials), "{error}");
    let refusals = store.events().all();
    assert!(refusals.iter().all(|event| event.kind == AuditKind::SignInRefused));
    assert_eq!(store.endings().committed(), refusals.len());
    let checked = hasher.checked.lock().unwrap().clone();
    let mut counts = failures.counts();
    // The write that replaces the audit event of an unknown account.
    let unknown = counts.len().saturating_sub(3);
    counts.truncate(3);
    Effects { error: error.to_string(), checked, counts, writes: refusals.len() + unknown }
}

#[tokio::test]
async fn t80_all_rejected_sign_ins_have_the_same_response_hashing_and_writes() {
    let effects = [
        refused(&person(), Some(hash_of(PASSWORD)), "nobody@example.org", PASSWORD).await,
        refused(&person(), Some(hash_of(PASSWORD)), "no address at all", PASSWORD).await,
        refused(&person(), Some(hash_of(PASSWORD)), EMAIL, WRONG).await,
        refused(&locked_person(), Some(hash_of(PASSWORD)), EMAIL, WRONG).await,
        refused(&locked_person(), Some(hash_of(PASSWORD)), EMAIL, PASSWORD).await,
        refused(&person(), None, EMAIL, PASSWORD).await,
    ];
    for trace in &effects {
        assert_eq!(trace.error, effects[0].error);
        assert_eq!(trace.checked.len(), 1);
        assert_eq!(trace.counts, [1, 1, 1]);
        assert_eq!(trace.writes, 1);
    }
    for (number, has_hash) in [(0, false), (1, false), (2, true), (3, true), (4, true), (5, false)] {
        assert_eq!(effects[number].checked[0].is_some(), has_hash, "{number}");
    }
}

#[tokio::test]
async fn a_malformed_address_is_not_looked_up() {
    let store = units([]);
    let (checkpoint, hasher, _) = checkpoint(MockCredentialReader::new(), &store);
    let error = sign_in(&fixture(checkpoint), "robin", PASSWORD).await.unwrap_err();
    assert!(matches!(error, PasswordCheckError::WrongCredentials));
    assert_eq!(hasher.checks(), 1);
}

#[tokio::test]
async fn a_rejection_is_audited_only_for_existing_accounts() {
    let store = units([MockUnitOfWork::default()]);
    let (checkpoint, _, _) = checkpoint(account(&person(), Some(hash_of(PASSWORD))), &store);
    let sign_ins = fixture(checkpoint);
    sign_in(&sign_ins, "nobody@example.org", WRONG).await.unwrap_err();
    assert_eq!(store.events().all(), []);
    sign_in(&sign_ins, EMAIL, WRONG).await.unwrap_err();
    let [event] = store.events().all().try_into().unwrap();
    assert_eq!((event.kind, event.user_id), (AuditKind::SignInRefused, Some(user_id(1))));
    assert_eq!((event.subject, event.address), (None, Some(AddressBlock::containing(home()))));
}

#[tokio::test]
async fn t84_an_invalid_password_is_neither_counted_nor_hashed() {
    let million = "x".repeat(1_000_000);
    for password in ["", &"x".repeat(1025), &million] {
        let (checkpoint, hasher, failures) = checkpoint(MockCredentialReader::new(), &units([]));
        let error = sign_in(&fixture(checkpoint), EMAIL, password).await.unwrap_err();
        assert!(matches!(error, PasswordCheckError::InvalidForm), "{error}");
        assert_eq!((hasher.checks(), failures.counts().len()), (0, 0));
    }
}

#[tokio::test]
async fn t84_attempts_that_a_busy_server_did_not_check_are_not_counted() {
    let (checkpoint, hasher, failures) = checkpoint(account(&person(), Some(hash_of(PASSWORD))), &units([]));
    hasher.fault.set(PasswordHashingError::Busy).unwrap();
    let sign_ins = fixture(checkpoint);
    for _ in 0..20 {
        let error = sign_in(&sign_ins, EMAIL, WRONG).await.unwrap_err();
        assert!(matches!(error, PasswordCheckError::Hashing(PasswordHashingError::Busy)), "{error}");
    }
    assert_eq!(failures.counts(), []);
}

#[tokio::test]
async fn t81_a_failing_counter_rejects_the_attempt() {
    for call in 1..=3 {
        let (checkpoint, hasher, _) = checkpoint(account(&person(), Some(hash_of(PASSWORD))), &units([]));
        let checkpoint = PasswordCheckpoint { failures: Arc::new(FailingAt::call(call)), ..checkpoint };
        let error = sign_in(&fixture(checkpoint), EMAIL, PASSWORD).await.unwrap_err();
        assert!(matches!(error, PasswordCheckError::Storage(StorageError::Unavailable)), "{error}");
        assert_eq!(hasher.checks(), 0, "call {call}");
    }
}

#[tokio::test]
async fn a_right_password_opens_no_session_if_its_counters_cannot_be_updated() {
    for call in 4..=5 {
        let store = units([]);
        let (checkpoint, _, _) = checkpoint(account(&person(), Some(hash_of(PASSWORD))), &store);
        let checkpoint = PasswordCheckpoint { failures: Arc::new(FailingAt::call(call)), ..checkpoint };
        let error = sign_in(&fixture(checkpoint), EMAIL, PASSWORD).await.unwrap_err();
        assert!(matches!(error, PasswordCheckError::Storage(StorageError::Unavailable)), "{error}");
        assert_eq!(store.endings().opened(), 0);
    }
}

#[tokio::test]
async fn an_unavailable_store_is_not_reported_as_a_wrong_password() {
    let mut away = MockCredentialReader::new();
    away.expect_find_credentials().returning(|_| Err(StorageError::Unavailable));
    let (checkpoint, hasher, _) = checkpoint(away, &units([]));
    let error = sign_in(&fixture(checkpoint), EMAIL, PASSWORD).await.unwrap_err();
    assert!(matches!(error, PasswordCheckError::Storage(StorageError::Unavailable)));
    assert_eq!(hasher.checks(), 0);
}

#[tokio::test]
async fn an_unreadable_hash_is_a_separate_error() {
    let (checkpoint, hasher, _) = checkpoint(account(&person(), Some(hash_of(PASSWORD))), &units([]));
    hasher.fault.set(PasswordHashingError::Failed).unwrap();
    let error = sign_in(&fixture(checkpoint), EMAIL, PASSWORD).await.unwrap_err();
    assert!(matches!(error, PasswordCheckError::Hashing(PasswordHashingError::Failed)));
}
