use super::super::{SignInOrigin, SignInProgress, SignIns, SignedIn};
use super::support::{
    CallLog, EMAIL, PASSWORD, account, checkpoint, fixture, hash_of, home, opened, sign_in, still, storing,
    stranger, units, weak_hash_of,
};
use crate::ports::storage::test_support::MockUnitOfWork;
use crate::testing::{noon, person, session, user_id};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditKind};
use domain::known_browser::is_known_browser;
use domain::pending_sign_in::{PendingSignIn, SecondStep};
use domain::second_factor::{SealedTotpSecret, SecondFactorPolicy, Totp, TotpStep};
use domain::secret::SecretKind;
use domain::session::{AuthenticationMethod, Session};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A session of this person that began an hour ago.
fn old_session(number: u128) -> Session {
    Session { user_id: user_id(number), ..session(3600) }
}

/// Signs in in a browser with this session.
async fn replace(sign_ins: &SignIns, old: &Session) -> SignedIn {
    let origin = SignInOrigin { replaces: Some(old), ..stranger(home()) };
    opened(sign_ins.sign_in(origin, None, EMAIL, PASSWORD).await.unwrap())
}

/// Expects that this session is deleted.
fn ending(mut unit: MockUnitOfWork, session: &Session, existed: bool) -> MockUnitOfWork {
    let (user_id, id) = (session.user_id, session.id);
    unit.sessions
        .expect_delete()
        .times(1)
        .withf(move |owner, asked| *owner == user_id && *asked == id)
        .returning(move |_, _| Ok(existed));
    unit
}

#[tokio::test]
async fn the_right_password_opens_a_session_with_a_new_cookie() {
    let stored = CallLog::<Session>::default();
    let store = units([storing(still(person(), Some(hash_of(PASSWORD))), &stored)]);
    let (checkpoint, hasher, _) = checkpoint(account(&person(), Some(hash_of(PASSWORD))), &store);
    let progress = sign_in(&fixture(checkpoint), EMAIL, PASSWORD).await.unwrap();
    let SignedIn { session, cookie, known_browser } = opened(progress);

    assert_eq!(*stored.lock().unwrap(), std::slice::from_ref(&session));
    assert_eq!(cookie.kind(), SecretKind::Session);
    assert!(is_known_browser(&known_browser.unwrap(), user_id(1), &hash_of(PASSWORD)));
    let expected = Session {
        id: session.id,
        user_id: user_id(1),
        token_hash: cookie.hash(),
        method: AuthenticationMethod::Password,
        authenticated_at: noon(),
        last_seen_at: noon(),
        first_seen_at: noon(),
        device: None,
        address: Some(AddressBlock::containing(home())),
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
    let stored = CallLog::default();
    let store = units([storing(still(person(), Some(hash_of(PASSWORD))), &stored)]);
    let (checkpoint, _, _) = checkpoint(account(&person(), Some(hash_of(PASSWORD))), &store);
    let progress = sign_in(&fixture(checkpoint), "Robin@Example.org", PASSWORD).await.unwrap();
    assert_eq!(opened(progress).session.user_id, user_id(1));
}

#[tokio::test]
async fn t30_each_sign_in_creates_a_new_id_and_cookie_and_ends_the_previous_session() {
    let stored = CallLog::<Session>::default();
    let unit = |existed| {
        let unit = storing(still(person(), Some(hash_of(PASSWORD))), &stored);
        ending(unit, &old_session(1), existed)
    };
    let store = units([unit(true), unit(false)]);
    let (checkpoint, _, _) = checkpoint(account(&person(), Some(hash_of(PASSWORD))), &store);
    let (sign_ins, old) = (fixture(checkpoint), old_session(1));
    replace(&sign_ins, &old).await;
    replace(&sign_ins, &old).await;

    let stored = stored.lock().unwrap();
    assert_ne!(stored[0].id, stored[1].id);
    assert_ne!(stored[0].token_hash, stored[1].token_hash);
    // The browser has been in use since the first sign-in.
    assert!(stored.iter().all(|session| session.first_seen_at == old.first_seen_at));
    assert!(stored.iter().all(|session| session.id != old_session(1).id));
    let kinds: Vec<_> = store.events().all().iter().map(|event| event.kind).collect();
    // The second time, the old session no longer existed.
    assert_eq!(kinds, [AuditKind::SignedOut, AuditKind::SignedIn, AuditKind::SignedIn]);
}

#[tokio::test]
async fn the_previous_users_session_in_this_browser_ends_in_their_name() {
    let stored = CallLog::default();
    let unit = storing(still(person(), Some(hash_of(PASSWORD))), &stored);
    let store = units([ending(unit, &old_session(2), true)]);
    let (checkpoint, _, _) = checkpoint(account(&person(), Some(hash_of(PASSWORD))), &store);
    let signed_in = replace(&fixture(checkpoint), &old_session(2)).await;
    assert_eq!(signed_in.session.first_seen_at, noon());
    let events = store.events().all();
    assert_eq!((events[0].kind, events[0].user_id), (AuditKind::SignedOut, Some(user_id(2))));
    assert_eq!((events[1].kind, events[1].user_id), (AuditKind::SignedIn, Some(user_id(1))));
}

#[tokio::test]
async fn t86_a_weak_hash_is_rehashed_with_the_sign_in() {
    let stored = CallLog::default();
    let mut unit = storing(still(person(), Some(weak_hash_of(PASSWORD))), &stored);
    unit.passwords
        .expect_rehash()
        .times(1)
        .withf(|user, old, new| {
            *user == user_id(1) && *old == weak_hash_of(PASSWORD) && *new == hash_of(PASSWORD)
        })
        .returning(|_, _, _| Ok(true));
    let store = units([unit]);
    let (checkpoint, hasher, _) = checkpoint(account(&person(), Some(weak_hash_of(PASSWORD))), &store);
    sign_in(&fixture(checkpoint), EMAIL, PASSWORD).await.unwrap();
    assert_eq!((hasher.checks(), hasher.hashed.load(Ordering::SeqCst)), (1, 1));
    assert_eq!(store.endings().committed(), 1);
}

#[tokio::test]
async fn t86_a_hash_with_current_parameters_is_not_rehashed() {
    let stored = CallLog::default();
    let store = units([storing(still(person(), Some(hash_of(PASSWORD))), &stored)]);
    let (checkpoint, hasher, _) = checkpoint(account(&person(), Some(hash_of(PASSWORD))), &store);
    sign_in(&fixture(checkpoint), EMAIL, PASSWORD).await.unwrap();
    assert_eq!(hasher.hashed.load(Ordering::SeqCst), 0);
}

/// A unit of work in which the person has an authenticator app or none, that stores a pending sign-in.
fn waiting(has_app: bool, stored: &CallLog<PendingSignIn>) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().returning(|_| Ok(Some(person())));
    unit.passwords.expect_find().returning(|_| Ok(Some(hash_of(PASSWORD))));
    let (secret, last_step, set_at) = (SealedTotpSecret::new(vec![1]), TotpStep::new(1), noon());
    let totp = has_app.then_some(Totp { secret, last_step, set_at });
    unit.second_factors.expect_find().returning(move |_| Ok(totp.clone()));
    unit.passkeys.expect_list().returning(|_| Ok(Vec::new()));
    let stored = Arc::clone(stored);
    unit.pending_sign_ins.expect_insert().times(1).returning(move |pending| {
        stored.lock().unwrap().push(pending.clone());
        Ok(())
    });
    unit
}

#[tokio::test]
async fn a_password_alone_opens_no_session_if_a_second_step_is_required() {
    for (has_app, policy, step) in [
        (true, SecondFactorPolicy::Optional, SecondStep::Code),
        (true, SecondFactorPolicy::Required, SecondStep::Code),
        (false, SecondFactorPolicy::Required, SecondStep::SetUp),
    ] {
        let stored = CallLog::<PendingSignIn>::default();
        // Inserting a session would panic: the mock does not expect it.
        let store = units([waiting(has_app, &stored)]);
        let (checkpoint, _, _) = checkpoint(account(&person(), Some(hash_of(PASSWORD))), &store);
        let sign_ins = SignIns { policy, ..fixture(checkpoint) };
        let progress = sign_in(&sign_ins, EMAIL, PASSWORD).await.unwrap();
        let SignInProgress::SecondStep(cookie) = progress else { panic!("there is a session") };
        let expected = PendingSignIn {
            cookie_hash: cookie.hash(),
            user_id: user_id(1),
            step,
            is_known_browser: false,
            expires_at: noon() + step.lifetime(),
        };
        assert_eq!(*stored.lock().unwrap(), [expected]);
        assert_eq!(store.endings().committed(), 1);
        assert_eq!(store.events().all(), []);
    }
}
