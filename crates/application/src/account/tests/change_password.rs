use super::super::{
    ChangePasswordError, NewPasswordError, PasswordChange, PasswordCheckError, Passwords, SignedInPerson,
};
use super::support::{
    CallLog, EMAIL, MemoryFailures, PASSWORD, RecordingHasher, WRONG, account, email, hash_of, locked_person,
    mail, passwords, queueing, replacing, still, storing, units,
};
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::storage::{GrantFilter, StorageError};
use crate::ports::system::PasswordHashingError;
use crate::testing::{noon, person, session, signed_in, user_id};
use domain::audit::{AuditActor, AuditKind};
use domain::grant::RevocationReason;
use domain::session::{AuthenticationMethod, Session};
use domain::user::User;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const NEW: &str = "another night by the sea";

const CHANGE: PasswordChange<'_> = PasswordChange {
    current: PASSWORD,
    new: NEW,
    known_browser: None,
    kept_passkeys: &[],
    disconnect_apps: false,
    device: None,
};

/// The session of [`signer`].
fn own_session() -> Session {
    Session { method: AuthenticationMethod::PasswordAndTotp, ..session(3600) }
}

/// The person, who signed in an hour ago.
fn signer() -> SignedInPerson {
    SignedInPerson { session: own_session(), ..signed_in(3600) }
}

/// A unit of work in which the password is replaced and two sessions end.
fn changing(stored: &CallLog<Session>) -> MockUnitOfWork {
    let user = person();
    let mut unit = still(user.clone(), Some(hash_of(PASSWORD)));
    unit.sessions.expect_find().times(1).returning(|_, _| Ok(Some(own_session())));
    storing(replacing(unit, &user, NEW, 2), stored)
}

/// Passwords of a store in which this user has [`PASSWORD`].
fn of(user: &User, store: &Arc<PreparedUnitsOfWork>) -> Passwords {
    let mut passwords = passwords(store);
    passwords.checkpoint.credentials = Arc::new(account(user, Some(hash_of(PASSWORD))));
    passwords
}

/// Passwords of the person, and the recorded hashes and counters.
fn recording(
    user: &User,
    store: &Arc<PreparedUnitsOfWork>,
) -> (Passwords, Arc<RecordingHasher>, Arc<MemoryFailures>) {
    let hasher = Arc::new(RecordingHasher::outside(store.endings()));
    let failures = Arc::new(MemoryFailures::default());
    let mut passwords = of(user, store);
    passwords.checkpoint.hasher = hasher.clone();
    passwords.checkpoint.failures = failures.clone();
    (passwords, hasher, failures)
}

#[tokio::test]
async fn t17_t30_a_new_password_ends_sessions_links_and_codes_and_opens_one_new_session() {
    let stored = CallLog::<Session>::default();
    let store = units([changing(&stored)]);
    let signed_in = of(&person(), &store).change(&signer(), CHANGE).await.unwrap();
    let session = stored.lock().unwrap()[0].clone();
    assert_eq!(signed_in.session, session);
    assert_eq!((session.token_hash, session.authenticated_at), (signed_in.cookie.hash(), noon()));
    assert_eq!(store.endings().committed(), 1);
    let [event] = store.events().all().try_into().unwrap();
    assert_eq!((event.kind, event.actor), (AuditKind::PasswordSet, AuditActor::Person));
    assert_eq!((event.subject, event.count), (Some(session.id.as_uuid()), Some(2)));
}

fn disconnecting(stored: &CallLog<Session>, grants: u64, tokens: u64) -> MockUnitOfWork {
    let mut unit = changing(stored);
    unit.grants
        .expect_revoke()
        .times(1)
        .withf(|filter, at, reason| {
            let all_of_person = GrantFilter { user_id: Some(user_id(1)), ..GrantFilter::default() };
            *filter == all_of_person && *at == noon() && *reason == RevocationReason::Person
        })
        .returning(move |_, _, _| Ok(grants));
    unit.personal_tokens
        .expect_revoke()
        .times(1)
        .withf(|user, id, at| *user == user_id(1) && id.is_none() && *at == noon())
        .returning(move |_, _, _| Ok(tokens));
    unit.consents
        .expect_forget()
        .times(1)
        .withf(|user, client| *user == Some(user_id(1)) && client.is_none())
        .returning(|_, _| Ok(1));
    unit
}

#[tokio::test]
async fn t67_apps_tokens_and_consents_are_revoked_if_the_person_chooses_so() {
    let stored = CallLog::default();
    let store = units([disconnecting(&stored, 3, 2)]);
    let change = PasswordChange { disconnect_apps: true, ..CHANGE };
    of(&person(), &store).change(&signer(), change).await.unwrap();
    let events: Vec<_> = store.events().all().iter().map(|event| (event.kind, event.count)).collect();
    let expected = [
        (AuditKind::PasswordSet, Some(2)),
        (AuditKind::GrantRevoked, Some(3)),
        (AuditKind::PersonalTokenRevoked, Some(2)),
    ];
    assert_eq!(events, expected);
}

#[tokio::test]
async fn disconnecting_nothing_is_not_audited() {
    let stored = CallLog::default();
    let store = units([disconnecting(&stored, 0, 0)]);
    let change = PasswordChange { disconnect_apps: true, ..CHANGE };
    of(&person(), &store).change(&signer(), change).await.unwrap();
    assert_eq!(store.events().all().len(), 1);
}

#[tokio::test]
async fn t85_a_bad_new_password_is_reported_before_the_current_one_is_checked() {
    for (new, expected) in [
        ("", NewPasswordError::TooShort),
        ("fourteen chars", NewPasswordError::TooShort),
        ("password and some more", NewPasswordError::Guessable),
    ] {
        let (passwords, hasher, failures) = recording(&person(), &units([]));
        let error = passwords.change(&signer(), PasswordChange { new, ..CHANGE }).await.unwrap_err();
        assert!(matches!(error, ChangePasswordError::Rule(rule) if rule == expected), "{error}");
        assert_eq!((hasher.checks(), failures.counts().len()), (0, 0));
    }
}

#[tokio::test]
async fn t81_guesses_of_the_current_password_are_limited_like_sign_ins() {
    let store = Arc::new(PreparedUnitsOfWork::new((0..11).map(|_| MockUnitOfWork::default())));
    let (passwords, hasher, _) = recording(&person(), &store);
    for number in 0..20 {
        let change = PasswordChange { current: WRONG, ..CHANGE };
        let error = passwords.change(&signer(), change).await.unwrap_err();
        let is_expected = match error {
            ChangePasswordError::Check(PasswordCheckError::WrongCredentials) => number < 10,
            ChangePasswordError::Check(PasswordCheckError::TooManyAttempts { .. }) => number >= 10,
            _ => false,
        };
        assert!(is_expected, "{number}");
    }
    assert_eq!(hasher.checks(), 10);
    let kinds: Vec<_> = store.events().all().iter().map(|event| event.kind).collect();
    assert_eq!(kinds[..10], [AuditKind::SignInRefused; 10]);
    assert_eq!(kinds[10..], [AuditKind::SignInLimited]);
}

#[tokio::test]
async fn t84_a_malformed_current_password_is_not_hashed() {
    let (passwords, hasher, failures) = recording(&person(), &units([]));
    let change = PasswordChange { current: &"x".repeat(1_000_000), ..CHANGE };
    let error = passwords.change(&signer(), change).await.unwrap_err();
    assert!(matches!(error, ChangePasswordError::Check(PasswordCheckError::InvalidForm)));
    assert_eq!((hasher.checks(), failures.counts().len()), (0, 0));
}

#[tokio::test]
async fn an_address_taken_over_by_another_account_gives_no_access_to_it() {
    let other = User { id: user_id(2), ..person() };
    let store = units([]);
    let (passwords, hasher, _) = recording(&other, &store);
    let error = passwords.change(&signer(), CHANGE).await.unwrap_err();
    assert!(matches!(error, ChangePasswordError::Check(PasswordCheckError::WrongCredentials)));
    assert_eq!(*hasher.checked.lock().unwrap(), [None]);
    assert_eq!(store.endings().opened(), 0);
}

#[tokio::test]
async fn a_busy_server_changes_nothing() {
    let store = units([]);
    let (passwords, hasher, failures) = recording(&person(), &store);
    hasher.is_busy.store(true, Ordering::SeqCst);
    let error = passwords.change(&signer(), CHANGE).await.unwrap_err();
    assert!(matches!(
        error,
        ChangePasswordError::Check(PasswordCheckError::Hashing(PasswordHashingError::Busy))
    ));
    assert_eq!(failures.counts(), []);
}

#[tokio::test]
async fn the_later_of_two_concurrent_changes_must_be_retried() {
    for unit in [
        still(person(), Some(hash_of("what the other browser chose"))),
        still(locked_person(), Some(hash_of(PASSWORD))),
    ] {
        let store = units([unit]);
        let error = of(&person(), &store).change(&signer(), CHANGE).await.unwrap_err();
        let is_retryable =
            matches!(error, ChangePasswordError::Check(PasswordCheckError::Storage(StorageError::Retryable)));
        assert!(is_retryable, "{error}");
        assert_eq!(store.endings().committed(), 0);
    }
}

#[tokio::test]
async fn the_person_gets_an_email_without_a_link_that_opens_anything() {
    let stored = CallLog::default();
    let store = units([queueing(changing(&stored))]);
    let (queue, sealer) = mail();
    let passwords = Passwords { mail: Some(queue), ..of(&person(), &store) };
    passwords.change(&signer(), CHANGE).await.unwrap();
    let message = sealer.only();
    assert_eq!(message.to, email(EMAIL));
    assert!(message.text.contains("https://rest.example/forgot-password\n"));
    assert!(!message.text.contains("rwl_"));
}
