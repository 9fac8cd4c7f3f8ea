use super::super::{
    ChangePassword, ChangePasswordCommand, ChangePasswordError, NewPasswordError, PasswordCheckError,
    SignInPorts,
};
use super::support::{
    CallLog, EMAIL, PASSWORD, WRONG, WordListChecker, account, email, hash_of, home, limits, locked_person,
    mail, ports, queueing, replacing, still, storing, units,
};
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::storage::{GrantFilter, StorageError};
use crate::ports::system::PasswordHashingError;
use crate::testing::{noon, person, session, user_id};
use domain::audit::{AuditActor, AuditKind};
use domain::grant::RevocationReason;
use domain::second_factor::SecondFactorPolicy;
use domain::session::{AuthenticationMethod, Session};
use domain::user::{Email, User};
use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock};

const OPTIONAL: SecondFactorPolicy = SecondFactorPolicy::Optional;
const NEW: &str = "another night by the sea";

/// The person's session, which began an hour ago.
fn own_session() -> Session {
    Session { method: AuthenticationMethod::PasswordAndTotp, ..session(3600) }
}

fn command(email: &Email) -> ChangePasswordCommand<'_> {
    static SESSION: LazyLock<Session> = LazyLock::new(own_session);
    ChangePasswordCommand {
        session: &SESSION,
        email,
        current: PASSWORD,
        new: NEW,
        known_browser: None,
        kept_passkeys: &[],
        disconnect_apps: false,
        address: home(),
        device: None,
    }
}

fn change(ports: SignInPorts) -> ChangePassword {
    ChangePassword::new(ports, limits(), Arc::new(WordListChecker), OPTIONAL, None)
}

/// A unit of work in which the password is replaced and two sessions end.
fn changing(stored: &CallLog<Session>) -> MockUnitOfWork {
    let user = person();
    let mut unit = still(user.clone(), Some(hash_of(PASSWORD)));
    unit.sessions.expect_find().times(1).returning(|_, _| Ok(Some(own_session())));
    storing(replacing(unit, &user, NEW, 2), stored)
}

fn own_ports(store: &Arc<PreparedUnitsOfWork>) -> SignInPorts {
    ports(account(&person(), Some(hash_of(PASSWORD))), Arc::clone(store)).0
}

#[tokio::test]
async fn t17_t30_a_new_password_ends_sessions_links_and_codes_and_opens_one_new_session() {
    let stored = CallLog::<Session>::default();
    let store = units([changing(&stored)]);
    let signed_in = change(own_ports(&store)).run(command(&email(EMAIL))).await.unwrap();
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
    let address = email(EMAIL);
    let command = ChangePasswordCommand { disconnect_apps: true, ..command(&address) };
    change(own_ports(&store)).run(command).await.unwrap();
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
    let address = email(EMAIL);
    let command = ChangePasswordCommand { disconnect_apps: true, ..command(&address) };
    change(own_ports(&store)).run(command).await.unwrap();
    assert_eq!(store.events().all().len(), 1);
}

#[tokio::test]
async fn t85_a_bad_new_password_is_reported_before_the_current_one_is_checked() {
    for (new, expected) in [
        ("", NewPasswordError::TooShort),
        ("fourteen chars", NewPasswordError::TooShort),
        ("password and some more", NewPasswordError::Guessable),
    ] {
        let store = units([]);
        let (ports, hasher, failures) = ports(account(&person(), Some(hash_of(PASSWORD))), store);
        let address = email(EMAIL);
        let error = change(ports).run(ChangePasswordCommand { new, ..command(&address) }).await.unwrap_err();
        assert!(matches!(error, ChangePasswordError::Rule(rule) if rule == expected), "{error}");
        assert_eq!((hasher.checks(), failures.counts().len()), (0, 0));
    }
}

#[tokio::test]
async fn t81_guesses_of_the_current_password_are_limited_like_sign_ins() {
    let store = Arc::new(PreparedUnitsOfWork::new((0..11).map(|_| MockUnitOfWork::default())));
    let (ports, hasher, _) = ports(account(&person(), Some(hash_of(PASSWORD))), store.clone());
    let (change, address) = (change(ports), email(EMAIL));
    for number in 0..20 {
        let command = ChangePasswordCommand { current: WRONG, ..command(&address) };
        let error = change.run(command).await.unwrap_err();
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
    let (ports, hasher, failures) = ports(account(&person(), Some(hash_of(PASSWORD))), units([]));
    let address = email(EMAIL);
    let command = ChangePasswordCommand { current: &"x".repeat(1_000_000), ..command(&address) };
    let error = change(ports).run(command).await.unwrap_err();
    assert!(matches!(error, ChangePasswordError::Check(PasswordCheckError::InvalidForm)));
    assert_eq!((hasher.checks(), failures.counts().len()), (0, 0));
}

#[tokio::test]
async fn an_address_taken_over_by_another_account_gives_no_access_to_it() {
    let other = User { id: user_id(2), ..person() };
    let store = units([]);
    let (ports, hasher, _) = ports(account(&other, Some(hash_of(PASSWORD))), store.clone());
    let error = change(ports).run(command(&email(EMAIL))).await.unwrap_err();
    assert!(matches!(error, ChangePasswordError::Check(PasswordCheckError::WrongCredentials)));
    assert_eq!(*hasher.checked.lock().unwrap(), [None]);
    assert_eq!(store.endings().opened(), 0);
}

#[tokio::test]
async fn a_busy_server_changes_nothing() {
    let store = units([]);
    let (ports, hasher, failures) = ports(account(&person(), Some(hash_of(PASSWORD))), store.clone());
    hasher.is_busy.store(true, Ordering::SeqCst);
    let error = change(ports).run(command(&email(EMAIL))).await.unwrap_err();
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
        let error = change(own_ports(&store)).run(command(&email(EMAIL))).await.unwrap_err();
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
    let change =
        ChangePassword::new(own_ports(&store), limits(), Arc::new(WordListChecker), OPTIONAL, Some(queue));
    change.run(command(&email(EMAIL))).await.unwrap();
    let message = sealer.only();
    assert_eq!(message.to, email(EMAIL));
    assert!(message.text.contains("https://rest.example/forgot-password\n"));
    assert!(!message.text.contains("rwl_"));
}
