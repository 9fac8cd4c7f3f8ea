//! Sign-ins with the right password.

use crate::Harness;
use crate::account::{Accounts, PASSWORD, hash_of, weak_hash_of};
use crate::fixture::{browser, now, seconds, user, user_id};
use crate::service::{ADDRESS, ORIGIN, assert_units, event_of_person, recorded};
use application::account::{PasswordHashingError, SignInProgress};
use application::session::{SignInOrigin, SignedIn};
use domain::address::AddressBlock;
use domain::audit::{AuditEvent, AuditKind};
use domain::id::UserId;
use domain::known_browser::is_known_browser;
use domain::password::PasswordHash;
use domain::pending_sign_in::{PendingSignIn, SecondStep};
use domain::second_factor::{SealedTotpSecret, SecondFactorPolicy, Totp, TotpStep};
use domain::secret::SecretKind;
use domain::session::{AuthenticationMethod, Session};

/// Accounts in which person 1 has this hash of a password.
async fn accounts(harness: &Harness, hash: &PasswordHash) -> Accounts {
    harness.store_user(&user(1)).await;
    let accounts = Accounts::new(harness);
    accounts.set_password(hash).await;
    accounts
}

/// Signs person 1 in with [`PASSWORD`] in a browser with this session.
async fn sign_in(accounts: &Accounts, email: &str, replaces: Option<&Session>) -> SignedIn {
    let origin = SignInOrigin { replaces, ..ORIGIN };
    let sign_ins = accounts.sign_ins(SecondFactorPolicy::Optional);
    let progress = sign_ins.sign_in(origin, None, email, PASSWORD).await.unwrap();
    let SignInProgress::SignedIn(signed_in) = progress else { panic!("{progress:?}") };
    signed_in
}

fn signed_in_event(session: &Session) -> AuditEvent {
    event_of_person(AuditKind::SignedIn).subject(session.id.as_uuid())
}

/// Case does not make another account.
pub(crate) async fn the_right_password_opens_a_session_with_a_new_cookie(harness: &Harness) {
    let accounts = accounts(harness, &hash_of(PASSWORD)).await;
    for email in ["person-1@example.org", "Person-1@EXAMPLE.org"] {
        let SignedIn { session, cookie, known_browser } =
            assert_units(harness, 2, sign_in(&accounts, email, None)).await;
        assert_eq!(cookie.kind(), SecretKind::Session);
        assert!(is_known_browser(&known_browser.unwrap(), user_id(1), &hash_of(PASSWORD)));
        let expected = Session {
            id: session.id,
            user_id: user_id(1),
            token_hash: cookie.hash(),
            method: AuthenticationMethod::Password,
            authenticated_at: now(),
            last_seen_at: now(),
            first_seen_at: now(),
            device: None,
            address: Some(AddressBlock::containing(ADDRESS)),
        };
        assert_eq!(session, expected);
        let stored = harness.sessions.find_session(&cookie.hash()).await.unwrap().unwrap();
        assert_eq!(stored.session, expected);
        assert_eq!(recorded(harness).await, [signed_in_event(&session)]);
    }
    // T86: a hash with current parameters is not rehashed.
    assert_eq!(*accounts.hasher.checked.lock().unwrap(), [Some(hash_of(PASSWORD)), Some(hash_of(PASSWORD))]);
    assert!(accounts.hasher.hashed.lock().unwrap().is_empty());
}

// T30
pub(crate) async fn a_sign_in_ends_the_previous_session_of_its_browser(harness: &Harness) {
    let accounts = accounts(harness, &hash_of(PASSWORD)).await;
    harness.store_user(&user(3)).await;
    let email = user(1).email;
    let mine = browser(1);
    let anothers = Session { user_id: user_id(3), ..browser(3) };
    let mut unit = harness.begin().await;
    for session in [&mine, &anothers] {
        unit.sessions().insert(session).await.unwrap();
    }
    unit.commit().await.unwrap();
    let ended = |user: UserId, session: &Session| {
        event_of_person(AuditKind::SignedOut).user(user).subject(session.id.as_uuid())
    };
    let mut opened: Vec<Session> = Vec::new();
    for (old, event, first_seen_at) in [
        (&mine, Some(ended(user_id(1), &mine)), mine.first_seen_at),
        // Now the old session is gone.
        (&mine, None, mine.first_seen_at),
        (&anothers, Some(ended(user_id(3), &anothers)), now()),
    ] {
        let session = sign_in(&accounts, email.as_str(), Some(old)).await.session;
        assert_eq!((session.user_id, session.first_seen_at), (user_id(1), first_seen_at));
        let is_new = |other: &Session| other.id != session.id && other.token_hash != session.token_hash;
        assert!(opened.iter().chain([old]).all(is_new));
        let events: Vec<_> = event.into_iter().chain([signed_in_event(&session)]).collect();
        assert_eq!(recorded(harness).await, events);
        opened.push(session);
    }
    let mut stored = harness.sessions.list_sessions(user_id(1)).await.unwrap();
    stored.sort_by_key(|session| session.id);
    opened.sort_by_key(|session| session.id);
    assert_eq!(stored, opened);
    assert_eq!(harness.sessions.list_sessions(user_id(3)).await.unwrap(), []);
}

// T86
pub(crate) async fn a_weak_hash_is_replaced_with_the_sign_in_if_it_can_be(harness: &Harness) {
    let accounts = accounts(harness, &weak_hash_of(PASSWORD)).await;
    let email = user(1).email;
    for fault in [PasswordHashingError::Busy, PasswordHashingError::Failed] {
        sign_in(&Accounts::failing(harness, Some(fault)), email.as_str(), None).await;
        assert_eq!(accounts.password(user_id(1)).await, Some(weak_hash_of(PASSWORD)));
    }
    assert_units(harness, 3, sign_in(&accounts, email.as_str(), None)).await;
    assert_eq!(accounts.password(user_id(1)).await, Some(hash_of(PASSWORD)));
    assert_eq!(accounts.hasher.checked.lock().unwrap().len(), 1);
    assert_eq!(*accounts.hasher.hashed.lock().unwrap(), [PASSWORD]);
}

pub(crate) async fn a_password_opens_no_session_if_a_second_step_is_due(harness: &Harness) {
    let accounts = accounts(harness, &hash_of(PASSWORD)).await;
    let totp = Totp { secret: SealedTotpSecret::new(vec![1]), last_step: TotpStep::new(1), set_at: now() };
    for (has_app, policy, step) in [
        (false, SecondFactorPolicy::Required, SecondStep::SetUp),
        (true, SecondFactorPolicy::Optional, SecondStep::Code),
        (true, SecondFactorPolicy::Required, SecondStep::Code),
    ] {
        if has_app {
            commit!(harness, second_factors().set(user_id(1), &totp));
        }
        let sign_ins = accounts.sign_ins(policy);
        let progress = sign_ins.sign_in(ORIGIN, None, user(1).email.as_str(), PASSWORD).await.unwrap();
        let SignInProgress::SecondStep(cookie) = progress else { panic!("{progress:?}") };
        let expected = PendingSignIn {
            cookie_hash: cookie.hash(),
            user_id: user_id(1),
            step,
            is_known_browser: false,
            expires_at: seconds(step.lifetime().num_seconds()),
        };
        let stored = harness.pending_sign_ins.find_pending_sign_in(&cookie.hash()).await.unwrap().unwrap();
        assert_eq!((stored.pending, stored.email), (expected, user(1).email));
    }
    assert_eq!(harness.sessions.list_sessions(user_id(1)).await.unwrap(), []);
    assert_eq!(recorded(harness).await, []);
}
