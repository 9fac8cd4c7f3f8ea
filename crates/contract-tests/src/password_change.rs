//! Passwords that people change or choose with a link, and that the operator sets.

use crate::Harness;
use crate::account::{Accounts, NEW_PASSWORD, PASSWORD, hash_of, link_for, link_secret};
use crate::fixture::{
    client_id, code, consent, grant, now, passkey_id, personal_token, seconds, user, user_id,
};
use crate::password_link::store;
use crate::service::{
    ORIGIN, assert_only_sessions, assert_rejected, assert_units, assert_untouched, event_by, event_of_person,
    prepare, recorded, sign_in_elsewhere, signed_in_ago,
};
use application::account::{
    ChangePasswordError, ChoosePasswordError, NewPasswordError, PasswordChange, PasswordCheckError,
    PasswordChoice, PasswordHashingError, SetPasswordError, SignInProgress,
};
use application::ports::storage::GrantFilter;
use application::session::SignedInPerson;
use domain::audit::{AuditActor, AuditKind};
use domain::code::AuthorizationCode;
use domain::grant::{GrantState, RevocationReason};
use domain::password_link::{PasswordLink, PasswordLinkPurpose};
use domain::pending_sign_in::SecondStep;
use domain::second_factor::SecondFactorPolicy;
use domain::session::Session;
use domain::time::TimeZone;
use domain::user::{Email, User};

pub(crate) const CHANGE: PasswordChange<'_> = PasswordChange {
    current: PASSWORD,
    new: NEW_PASSWORD,
    known_browser: None,
    kept_passkeys: &[],
    disconnect_apps: false,
    device: None,
};
pub(crate) const CHOICE: PasswordChoice<'_> = PasswordChoice {
    password: NEW_PASSWORD,
    home_timezone: None,
    kept_passkeys: None,
    disconnect_apps: false,
    origin: ORIGIN,
};

/// Person 1, who has [`PASSWORD`], is signed in elsewhere too, and has a code of a replica whose clock is
/// ahead.
async fn signed_in(harness: &Harness, accounts: &Accounts) -> SignedInPerson {
    let person = prepare(harness).await;
    accounts.set_password(&hash_of(PASSWORD)).await;
    sign_in_elsewhere(harness).await;
    harness.store_code(&AuthorizationCode { issued_at: seconds(61), ..code(1) }).await;
    signed_in_ago(&person, 299)
}

/// Checks that person 1 has this password, only these sessions, and no code.
async fn assert_replaced(harness: &Harness, accounts: &Accounts, sessions: &[&Session]) {
    assert_eq!(accounts.password(user_id(1)).await, Some(hash_of(NEW_PASSWORD)));
    assert_only_sessions(harness, &sessions.iter().map(|session| session.id).collect::<Vec<_>>()).await;
    assert_eq!(harness.begin().await.codes().find(&code(1).hash).await.unwrap(), None);
}

// T17, T30
pub(crate) async fn a_new_password_ends_all_sign_ins_and_opens_one_new_session(harness: &Harness) {
    let accounts = Accounts::new(harness);
    let person = signed_in(harness, &accounts).await;
    let passwords = accounts.passwords(SecondFactorPolicy::Optional);
    let change = PasswordChange { kept_passkeys: &[passkey_id(1)], ..CHANGE };
    let signed_in = assert_units(harness, 3, passwords.change(&person, change)).await.unwrap();
    let session = &signed_in.session;
    assert_eq!((session.token_hash, session.authenticated_at), (signed_in.cookie.hash(), now()));
    let stored = harness.sessions.find_session(&signed_in.cookie.hash()).await.unwrap().unwrap();
    assert_eq!(&stored.session, session);
    assert_replaced(harness, &accounts, &[session]).await;
    let event = event_of_person(AuditKind::PasswordSet).subject(session.id.as_uuid());
    assert_eq!(recorded(harness).await, [event.count(3)]);
    let (_, text) = accounts.only_mail().await;
    assert!(text.contains("https://rest.example/forgot-password\n") && !text.contains("rwl_"), "{text}");
}

// T67
pub(crate) async fn apps_tokens_and_consents_end_with_a_password_if_chosen_so(harness: &Harness) {
    let accounts = Accounts::new(harness);
    let person = signed_in(harness, &accounts).await;
    let passwords = accounts.passwords(SecondFactorPolicy::Optional);
    let change = PasswordChange { disconnect_apps: true, ..CHANGE };
    harness.store_grants(&[1, 2, 3].map(grant)).await;
    harness.store_personal_tokens(&[1, 2].map(personal_token)).await;
    commit!(harness, consents().remember(&consent(1, 1)));
    let signed_in = passwords.change(&person, change).await.unwrap();
    let set = |session: &Session| event_of_person(AuditKind::PasswordSet).subject(session.id.as_uuid());
    let expected = [
        set(&signed_in.session).count(3),
        event_of_person(AuditKind::PasskeyRemoved).subject(passkey_id(1).as_uuid()),
        event_of_person(AuditKind::GrantRevoked).count(3),
        event_of_person(AuditKind::PersonalTokenRevoked).count(2),
    ];
    assert_eq!(recorded(harness).await, expected);
    let grants = harness.grants.list_grants(GrantFilter::default(), None, 9).await.unwrap();
    let state = GrantState::Revoked { at: now(), reason: RevocationReason::Person };
    assert!(grants.len() == 3 && grants.iter().all(|grant| grant.state == state), "{grants:?}");
    let tokens = harness.personal_tokens.list_personal_tokens(user_id(1)).await.unwrap();
    assert!(tokens.len() == 2 && tokens.iter().all(|token| token.revoked_at == Some(now())), "{tokens:?}");
    let consent = harness.begin().await.consents().find(user_id(1), client_id(1)).await.unwrap();
    assert_eq!(consent, None);
    // Disconnecting nothing is not recorded.
    let person = SignedInPerson { session: signed_in.session, ..person };
    let change = PasswordChange { current: NEW_PASSWORD, ..change };
    let again = passwords.change(&person, change).await.unwrap();
    assert_eq!(recorded(harness).await, [set(&again.session).count(1)]);
}

// T81, T84, T85
pub(crate) async fn a_bad_new_password_is_reported_before_the_current_one_is_checked(harness: &Harness) {
    let accounts = Accounts::new(harness);
    let person = &signed_in(harness, &accounts).await;
    let passwords = &accounts.passwords(SecondFactorPolicy::Optional);
    let is_short =
        |error: &ChangePasswordError| matches!(error, ChangePasswordError::Rule(NewPasswordError::TooShort));
    let is_guessable =
        |error: &ChangePasswordError| matches!(error, ChangePasswordError::Rule(NewPasswordError::Guessable));
    let is_malformed = |error: &ChangePasswordError| {
        matches!(error, ChangePasswordError::Check(PasswordCheckError::InvalidForm))
    };
    let million = &"x".repeat(1_000_000);
    for (is_expected, current, new) in [
        (is_short as fn(&_) -> bool, million.as_str(), ""),
        (is_short, PASSWORD, "fourteen chars"),
        (is_guessable, PASSWORD, "password and some more"),
        (is_guessable, PASSWORD, "I am person-1 of the hills"),
        (is_malformed, million, NEW_PASSWORD),
    ] {
        let change = PasswordChange { current, new, ..CHANGE };
        assert_untouched(harness, new, is_expected, async || passwords.change(person, change).await).await;
    }
    assert!(accounts.hasher.checked.lock().unwrap().is_empty());
}

pub(crate) async fn a_password_is_not_changed_by_a_stranger_or_a_busy_server(harness: &Harness) {
    let accounts = Accounts::new(harness);
    let person = &signed_in(harness, &accounts).await;
    let is_wrong = |error: &ChangePasswordError| {
        matches!(error, ChangePasswordError::Check(PasswordCheckError::WrongCredentials))
    };
    let is_busy = |error: &ChangePasswordError| {
        matches!(error, ChangePasswordError::Check(PasswordCheckError::Hashing(PasswordHashingError::Busy)))
    };
    // Another account has taken the address over, with the same password.
    let other = &SignedInPerson { user_id: user_id(2), ..person.clone() };
    let passwords = &accounts.passwords(SecondFactorPolicy::Optional);
    assert_rejected(harness, "other", is_wrong, async || passwords.change(other, CHANGE).await).await;
    assert_eq!(*accounts.hasher.checked.lock().unwrap(), vec![None; 21]);
    for busy in [Accounts::busy(harness), Accounts::failing(harness, Some(PasswordHashingError::Busy))] {
        let busy = &busy.passwords(SecondFactorPolicy::Optional);
        assert_rejected(harness, "busy", is_busy, async || busy.change(person, CHANGE).await).await;
    }
    assert_eq!(accounts.password(user_id(1)).await, Some(hash_of(PASSWORD)));
    assert_eq!(recorded(harness).await, []);
}

fn reset(number: u8) -> PasswordLink {
    link_for(number, PasswordLinkPurpose::Reset { user_id: user_id(1) })
}

fn sign_up(number: u8) -> PasswordLink {
    link_for(number, PasswordLinkPurpose::SignUp { email: user(7).email })
}

// T17, T30
pub(crate) async fn a_link_sets_the_password_and_ends_all_sign_ins(harness: &Harness) {
    let accounts = Accounts::new(harness);
    signed_in(harness, &accounts).await;
    let passwords = accounts.passwords(SecondFactorPolicy::Optional);
    let invitation = link_for(2, PasswordLinkPurpose::Invitation { user_id: user_id(1) });
    store(harness, &[reset(1)]).await;
    let chosen = assert_units(harness, 2, passwords.choose(link_secret(1).expose(), CHOICE)).await.unwrap();
    assert_eq!((chosen.user_id, chosen.email), (user_id(1), user(1).email));
    assert!(chosen.sign_in.is_none());
    assert_replaced(harness, &accounts, &[]).await;
    let set = event_of_person(AuditKind::PasswordSet);
    let removed = event_of_person(AuditKind::PasskeyRemoved).subject(passkey_id(1).as_uuid());
    assert_eq!(recorded(harness).await, [set.clone().count(3), removed]);
    accounts.only_mail().await;
    // A person who had no password gets no email about a change.
    assert!(commit!(harness, passwords().delete(user_id(1))));
    store(harness, &[invitation]).await;
    passwords.choose(link_secret(2).expose(), CHOICE).await.unwrap();
    assert_replaced(harness, &accounts, &[]).await;
    assert_eq!(recorded(harness).await, [set.count(0)]);
    assert!(accounts.queued().await.is_empty());
}

// T84, T85
pub(crate) async fn a_rejected_choice_hashes_nothing_and_leaves_the_link(harness: &Harness) {
    let accounts = Accounts::new(harness);
    prepare(harness).await;
    let ended = PasswordLink { expires_at: now(), ..reset(2) };
    let locked = link_for(3, PasswordLinkPurpose::Reset { user_id: user_id(2) });
    let address = PasswordLinkPurpose::EmailChange { user_id: user_id(1), email: user(7).email };
    store(harness, &[reset(1), ended, locked, link_for(4, address)]).await;
    let passwords = &accounts.passwords(SecondFactorPolicy::Optional);
    let choose = async |number, password: &str| {
        passwords.choose(link_secret(number).expose(), PasswordChoice { password, ..CHOICE }).await
    };
    let is_short =
        |error: &ChoosePasswordError| matches!(error, ChoosePasswordError::Rule(NewPasswordError::TooShort));
    let is_long =
        |error: &ChoosePasswordError| matches!(error, ChoosePasswordError::Rule(NewPasswordError::TooLong));
    let is_guessable =
        |error: &ChoosePasswordError| matches!(error, ChoosePasswordError::Rule(NewPasswordError::Guessable));
    let is_unusable = |error: &ChoosePasswordError| matches!(error, ChoosePasswordError::UnusableLink);
    let is_busy = |error: &ChoosePasswordError| {
        matches!(error, ChoosePasswordError::Hashing(PasswordHashingError::Busy))
    };
    for (password, is_expected) in [
        ("", is_short as fn(&_) -> bool),
        ("too short", is_short),
        ("password and some more", is_guessable),
        ("I am person-1 of the hills", is_guessable),
        (&"x".repeat(1025), is_long),
    ] {
        assert_untouched(harness, password, is_expected, async || choose(1, password).await).await;
    }
    for number in [2, 3, 4, 9] {
        let name = format!("link {number}");
        assert_untouched(harness, &name, is_unusable, async || choose(number, NEW_PASSWORD).await).await;
    }
    for link in ["", "owl", crate::service::secret_text(domain::secret::SecretKind::Session, 1).expose()] {
        assert_untouched(harness, link, is_unusable, async || passwords.choose(link, CHOICE).await).await;
    }
    assert!(accounts.hasher.hashed.lock().unwrap().is_empty());
    let busy = &Accounts::failing(harness, Some(PasswordHashingError::Busy));
    let busy = &busy.passwords(SecondFactorPolicy::Optional);
    assert_untouched(harness, "busy", is_busy, async || busy.choose(link_secret(1).expose(), CHOICE).await)
        .await;
    choose(1, NEW_PASSWORD).await.unwrap();
}

pub(crate) async fn a_link_to_sign_up_creates_the_account_and_signs_its_owner_in(harness: &Harness) {
    let accounts = Accounts::new(harness);
    let berlin = TimeZone::parse("Europe/Berlin").unwrap();
    for (policy, named) in [
        (SecondFactorPolicy::Optional, Some(berlin)),
        (SecondFactorPolicy::Optional, None),
        (SecondFactorPolicy::Required, None),
    ] {
        // The second link would outlive the account.
        store(harness, &[sign_up(1), sign_up(2)]).await;
        let choice = PasswordChoice { home_timezone: named, ..CHOICE };
        let chosen = accounts.passwords(policy).choose(link_secret(1).expose(), choice).await.unwrap();
        let id = chosen.user_id;
        let home_timezone = named.unwrap_or(TimeZone::UTC);
        let created = harness.profiles.find_profile(id).await.unwrap();
        assert_eq!(created, Some(User { id, home_timezone, ..user(7) }));
        assert_eq!(accounts.password(id).await, Some(hash_of(NEW_PASSWORD)));
        for number in [1, 2] {
            let found = harness.password_links.find_password_link(&link_secret(number).hash()).await;
            assert_eq!(found.unwrap(), None);
        }
        let sessions = harness.sessions.list_sessions(id).await.unwrap();
        let event = |kind| event_of_person(kind).user(id);
        let mut events = vec![event(AuditKind::UserCreated), event(AuditKind::PasswordSet)];
        match chosen.sign_in.unwrap() {
            SignInProgress::SignedIn(signed_in) => {
                assert_eq!(sessions, [signed_in.session]);
                events.push(event(AuditKind::SignedIn).subject(sessions[0].id.as_uuid()));
            }
            SignInProgress::SecondStep(cookie) => {
                assert_eq!((policy, sessions), (SecondFactorPolicy::Required, Vec::new()));
                let found = harness.pending_sign_ins.find_pending_sign_in(&cookie.hash()).await;
                let pending = found.unwrap().unwrap().pending;
                assert_eq!((pending.user_id, pending.step), (id, SecondStep::SetUp));
            }
            SignInProgress::PasskeyNeeded => panic!("a new account has no passkey"),
        }
        assert_eq!(recorded(harness).await, events);
        assert!(commit!(harness, users().delete(id)));
    }
    assert!(accounts.queued().await.is_empty());
}

pub(crate) async fn an_address_taken_in_the_meantime_uses_the_link_up(harness: &Harness) {
    let accounts = Accounts::new(harness);
    harness.store_user(&user(7)).await;
    store(harness, &[sign_up(1)]).await;
    let passwords = accounts.passwords(SecondFactorPolicy::Optional);
    let error = passwords.choose(link_secret(1).expose(), CHOICE).await.unwrap_err();
    assert!(matches!(error, ChoosePasswordError::AccountExists), "{error}");
    let error = passwords.choose(link_secret(1).expose(), CHOICE).await.unwrap_err();
    assert!(matches!(error, ChoosePasswordError::UnusableLink), "{error}");
    assert_eq!(accounts.password(user_id(7)).await, None);
    assert_eq!(recorded(harness).await, []);
}

// T17, T30, T85
pub(crate) async fn a_password_set_by_the_operator_ends_all_sign_ins(harness: &Harness) {
    let accounts = Accounts::new(harness);
    signed_in(harness, &accounts).await;
    let email = Email::parse_stored("gaps-000000000001@sandbox.invalid").unwrap();
    harness.store_user(&User { email, ..user(3) }).await;
    let passwords = &accounts.passwords(SecondFactorPolicy::Optional);
    let set = async |number, text: &str| passwords.set(user_id(number), text).await;
    let is_guessable =
        |error: &SetPasswordError| matches!(error, SetPasswordError::Rule(NewPasswordError::Guessable));
    let is_unknown = |error: &SetPasswordError| matches!(error, SetPasswordError::NotFound);
    let is_sandbox = |error: &SetPasswordError| matches!(error, SetPasswordError::SandboxPerson);
    let is_busy =
        |error: &SetPasswordError| matches!(error, SetPasswordError::Hashing(PasswordHashingError::Busy));
    for text in ["password and some more", "I am person-1 of the hills"] {
        assert_untouched(harness, text, is_guessable, async || set(1, text).await).await;
    }
    assert_untouched(harness, "unknown", is_unknown, async || set(9, NEW_PASSWORD).await).await;
    assert_untouched(harness, "sandbox", is_sandbox, async || set(3, NEW_PASSWORD).await).await;
    let busy = &Accounts::failing(harness, Some(PasswordHashingError::Busy));
    let busy = &busy.passwords(SecondFactorPolicy::Optional);
    assert_untouched(harness, "busy", is_busy, async || busy.set(user_id(1), NEW_PASSWORD).await).await;
    assert_eq!(recorded(harness).await, []);
    assert_units(harness, 2, set(1, NEW_PASSWORD)).await.unwrap();
    assert_replaced(harness, &accounts, &[]).await;
    let event = event_by(AuditActor::Operator, AuditKind::PasswordSet).user(user_id(1));
    assert_eq!(recorded(harness).await, [event.count(3)]);
}
