use super::super::{PasswordCheckError, SessionKey, SignIn, SignInCommand, SignedIn};
use super::support::{
    EMAIL, Noted, PASSWORD, account, hash_of, home, limits, locked_person, ports, still, storing, units,
    weak_hash_of,
};
use crate::ports::storage::StorageError;
use crate::ports::storage::test_support::MockUnitOfWork;
use crate::testing::{noon, person, user_id};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditKind};
use domain::id::SessionId;
use domain::known_browser::is_known_browser;
use domain::password::PasswordHash;
use domain::secret::SecretKind;
use domain::session::{AuthenticationMethod, Session};
use std::sync::atomic::Ordering;
use uuid::Uuid;

fn command() -> SignInCommand<'static> {
    SignInCommand { email: EMAIL, password: PASSWORD, address: home(), known_browser: None, replaces: None }
}

fn old_session(number: u128) -> SessionKey {
    SessionKey { user_id: user_id(number), id: SessionId::from_uuid(Uuid::from_u128(0x01d)) }
}

/// Expects that this session is deleted.
fn ending(mut unit: MockUnitOfWork, session: SessionKey, existed: bool) -> MockUnitOfWork {
    let SessionKey { user_id, id } = session;
    unit.sessions
        .expect_delete()
        .times(1)
        .withf(move |owner, asked| *owner == user_id && *asked == id)
        .returning(move |_, _| Ok(existed));
    unit
}

#[tokio::test]
async fn the_right_password_opens_a_session_with_a_new_cookie() {
    let stored = Noted::<Session>::default();
    let store = units([storing(still(person(), Some(hash_of(PASSWORD))), &stored)]);
    let (ports, hasher, _) = ports(account(&person(), Some(hash_of(PASSWORD))), store.clone());
    let SignedIn { session, cookie, known_browser } =
        SignIn::new(ports, limits()).run(command()).await.unwrap();

    assert_eq!(*stored.lock().unwrap(), std::slice::from_ref(&session));
    assert_eq!(cookie.kind(), SecretKind::Session);
    assert!(is_known_browser(&known_browser, user_id(1), &hash_of(PASSWORD)));
    let expected = Session {
        id: session.id,
        user_id: user_id(1),
        token_hash: cookie.hash(),
        method: AuthenticationMethod::Password,
        authenticated_at: noon(),
        last_seen_at: noon(),
    };
    assert_eq!(session, expected);
    assert!(session.is_fresh(noon()));
    assert_eq!(hasher.checks(), 1);
    assert_eq!(store.endings().committed(), 1);
    let [event] = store.events().all().try_into().unwrap();
    assert_eq!((event.kind, event.actor), (AuditKind::SignedIn, AuditActor::Person));
    assert_eq!(event.user_id, Some(user_id(1)));
    assert_eq!(event.subject, Some(session.id.as_uuid()));
    assert_eq!(event.address, Some(AddressBlock::containing(home())));
}

#[tokio::test]
async fn case_does_not_make_another_account() {
    let stored = Noted::default();
    let store = units([storing(still(person(), Some(hash_of(PASSWORD))), &stored)]);
    let (ports, _, _) = ports(account(&person(), Some(hash_of(PASSWORD))), store);
    let command = SignInCommand { email: "Robin@Example.org", ..command() };
    assert_eq!(SignIn::new(ports, limits()).run(command).await.unwrap().session.user_id, user_id(1));
}

#[tokio::test]
async fn t30_each_sign_in_draws_another_id_and_cookie_and_ends_the_session_before() {
    let stored = Noted::<Session>::default();
    let unit = |existed| {
        let unit = storing(still(person(), Some(hash_of(PASSWORD))), &stored);
        ending(unit, old_session(1), existed)
    };
    let store = units([unit(true), unit(false)]);
    let (ports, _, _) = ports(account(&person(), Some(hash_of(PASSWORD))), store.clone());
    let sign_in = SignIn::new(ports, limits());
    let command = SignInCommand { replaces: Some(old_session(1)), ..command() };
    sign_in.run(command).await.unwrap();
    sign_in.run(command).await.unwrap();

    let stored = stored.lock().unwrap();
    assert_ne!(stored[0].id, stored[1].id);
    assert_ne!(stored[0].token_hash, stored[1].token_hash);
    assert!(stored.iter().all(|session| session.id != old_session(1).id));
    let kinds: Vec<_> = store.events().all().iter().map(|event| event.kind).collect();
    // The second time the old session was already gone.
    assert_eq!(kinds, [AuditKind::SignedOut, AuditKind::SignedIn, AuditKind::SignedIn]);
}

#[tokio::test]
async fn the_previous_users_session_in_this_browser_ends_in_their_name() {
    let stored = Noted::default();
    let unit = storing(still(person(), Some(hash_of(PASSWORD))), &stored);
    let store = units([ending(unit, old_session(2), true)]);
    let (ports, _, _) = ports(account(&person(), Some(hash_of(PASSWORD))), store.clone());
    let command = SignInCommand { replaces: Some(old_session(2)), ..command() };
    SignIn::new(ports, limits()).run(command).await.unwrap();
    let events = store.events().all();
    assert_eq!((events[0].kind, events[0].user_id), (AuditKind::SignedOut, Some(user_id(2))));
    assert_eq!((events[1].kind, events[1].user_id), (AuditKind::SignedIn, Some(user_id(1))));
}

#[tokio::test]
async fn t86_a_weak_hash_is_rehashed_with_the_sign_in() {
    let stored = Noted::default();
    let mut unit = storing(still(person(), Some(weak_hash_of(PASSWORD))), &stored);
    unit.passwords
        .expect_rehash()
        .times(1)
        .withf(|user, old, new| {
            *user == user_id(1) && *old == weak_hash_of(PASSWORD) && *new == hash_of(PASSWORD)
        })
        .returning(|_, _, _| Ok(true));
    let store = units([unit]);
    let (ports, hasher, _) = ports(account(&person(), Some(weak_hash_of(PASSWORD))), store.clone());
    SignIn::new(ports, limits()).run(command()).await.unwrap();
    assert_eq!((hasher.checks(), hasher.hashed.load(Ordering::SeqCst)), (1, 1));
    assert_eq!(store.endings().committed(), 1);
}

#[tokio::test]
async fn t86_a_hash_with_current_parameters_is_not_rehashed() {
    let stored = Noted::default();
    let store = units([storing(still(person(), Some(hash_of(PASSWORD))), &stored)]);
    let (ports, hasher, _) = ports(account(&person(), Some(hash_of(PASSWORD))), store);
    SignIn::new(ports, limits()).run(command()).await.unwrap();
    assert_eq!(hasher.hashed.load(Ordering::SeqCst), 0);
}

/// Returns the error of a correct password when the unit of work then finds different state.
async fn overtaken(unit: MockUnitOfWork) -> PasswordCheckError {
    let store = units([unit]);
    let (ports, _, _) = ports(account(&person(), Some(hash_of(PASSWORD))), store.clone());
    let error = SignIn::new(ports, limits()).run(command()).await.unwrap_err();
    assert_eq!(store.endings().committed(), 0);
    error
}

#[tokio::test]
async fn a_password_changed_during_sign_in_opens_no_session() {
    for now_stored in [Some(hash_of("another one altogether")), None] {
        let error = overtaken(still(person(), now_stored)).await;
        assert!(matches!(error, PasswordCheckError::Storage(StorageError::Retryable)), "{error}");
    }
}

#[tokio::test]
async fn an_account_locked_or_erased_during_sign_in_opens_no_session() {
    let same: Option<PasswordHash> = Some(hash_of(PASSWORD));
    let mut erased = MockUnitOfWork::default();
    erased.users.expect_find().return_once(|_| Ok(None));
    erased.passwords.expect_find().returning(|_| Ok(None));
    for unit in [still(locked_person(), same), erased] {
        let error = overtaken(unit).await;
        assert!(matches!(error, PasswordCheckError::Storage(StorageError::Retryable)), "{error}");
    }
}
