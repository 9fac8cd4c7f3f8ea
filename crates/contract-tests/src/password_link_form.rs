//! Links to choose a password or to confirm an address, and the email that they are sent in.

use crate::Harness;
use crate::account::{Accounts, PASSWORD, hash_of, link_for, link_secret};
use crate::fixture::{code, hash, link, now, passkey_id, seconds, user, user_id};
use crate::password_link::store;
use crate::service::{
    assert_only_sessions, assert_units, assert_untouched, event_by, event_of_person, prepare, recorded,
    sign_in_elsewhere, stale,
};
use application::account::{EmailChangeError, LinkRequestError, PasswordLinks};
use application::session::SignedInPerson;
use chrono::TimeDelta;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::code::AuthorizationCode;
use domain::password_link::{PasswordLink, PasswordLinkPurpose};
use domain::secret::{Secret, SecretKind};
use domain::user::{Email, User};

fn issued_event() -> AuditEvent {
    event_by(AuditActor::Operator, AuditKind::PasswordLinkIssued).user(user_id(1))
}

/// Returns the link with this secret.
async fn stored(harness: &Harness, secret: &Secret) -> Option<PasswordLink> {
    let found = harness.password_links.find_password_link(&secret.hash()).await.unwrap();
    found.map(|found| found.link)
}

pub(crate) async fn the_operators_link_replaces_all_and_is_stored_as_a_hash(harness: &Harness) {
    prepare(harness).await;
    sign_in_elsewhere(harness).await;
    let links = PasswordLinks { mail: None, ..Accounts::new(harness).links() };
    let issued = links.issue(user_id(1), false).await.unwrap();
    assert_eq!((issued.link.kind(), issued.is_mailed), (SecretKind::PasswordLink, false));
    assert_eq!(issued.expires_at, now() + TimeDelta::days(3));
    let purpose = PasswordLinkPurpose::Invitation { user_id: user_id(1) };
    let expected = PasswordLink::new(issued.link.hash(), purpose, now());
    assert_eq!(stored(harness, &issued.link).await, Some(expected));
    assert_eq!(harness.password_links.find_password_link(&link(1).hash).await.unwrap(), None);
    // Sign-ins stay.
    assert_eq!(harness.sessions.list_sessions(user_id(1)).await.unwrap().len(), 3);
    assert!(harness.pending_sign_ins.find_pending_sign_in(&hash(1)).await.unwrap().is_some());
    assert_eq!(recorded(harness).await, [issued_event()]);
}

pub(crate) async fn with_email_the_person_is_sent_the_operators_link_and_its_purpose(harness: &Harness) {
    prepare(harness).await;
    let accounts = Accounts::new(harness);
    for (has_password, expected) in
        [(false, "Restwell: Choose your password"), (true, "Restwell: Choose a new password")]
    {
        if has_password {
            accounts.set_password(&hash_of(PASSWORD)).await;
        }
        let issued = accounts.links().issue(user_id(1), false).await.unwrap();
        assert!(issued.is_mailed);
        let (subject, text) = accounts.only_mail().await;
        assert_eq!(subject, expected);
        let url = format!("\nhttps://rest.example/set-password?link={}\n", issued.link.expose());
        assert!(text.contains(&url) && text.contains("once and expires after 3 days."), "{text}");
    }
    // The password stays valid.
    assert_eq!(accounts.password(user_id(1)).await, Some(hash_of(PASSWORD)));
}

pub(crate) async fn a_link_as_the_only_way_ends_password_passkeys_and_sign_ins(harness: &Harness) {
    prepare(harness).await;
    sign_in_elsewhere(harness).await;
    let accounts = Accounts::new(harness);
    accounts.set_password(&hash_of(PASSWORD)).await;
    harness.store_code(&AuthorizationCode { issued_at: seconds(61), ..code(1) }).await;
    let issued = assert_units(harness, 1, accounts.links().issue(user_id(1), true)).await.unwrap();
    assert!(stored(harness, &issued.link).await.is_some());
    assert_only_sessions(harness, &[]).await;
    assert_eq!((issued.passkeys_removed, accounts.password(user_id(1)).await), (1, None));
    assert_eq!(harness.passkeys.list_passkeys(user_id(1)).await.unwrap(), []);
    assert_eq!(harness.begin().await.codes().find(&code(1).hash).await.unwrap(), None);
    let [_, sent] = accounts.queued().await.try_into().ok().unwrap();
    assert!(sent.text.contains("Your old password no longer works."), "{}", sent.text);
    let by_operator = |kind| event_by(AuditActor::Operator, kind).user(user_id(1));
    let removed = by_operator(AuditKind::PasskeyRemoved).subject(passkey_id(1).as_uuid());
    let ended = |count| by_operator(AuditKind::SignedOutEverywhere).count(count);
    assert_eq!(recorded(harness).await, [removed, ended(3), issued_event()]);
    // Without a passkey there is no notice about one.
    assert_eq!(accounts.links().issue(user_id(1), true).await.unwrap().passkeys_removed, 0);
    accounts.only_mail().await;
    assert_eq!(recorded(harness).await, [ended(0), issued_event()]);
}

pub(crate) async fn a_usable_link_is_found_with_its_purpose_and_address(harness: &Harness) {
    prepare(harness).await;
    let links = Accounts::new(harness).links();
    let usable = [
        (1, PasswordLinkPurpose::Invitation { user_id: user_id(1) }, user(1).email),
        (2, PasswordLinkPurpose::Reset { user_id: user_id(1) }, user(1).email),
        (3, PasswordLinkPurpose::SignUp { email: user(7).email }, user(7).email),
        (4, PasswordLinkPurpose::EmailChange { user_id: user_id(1), email: user(8).email }, user(8).email),
    ];
    for (number, purpose, email) in usable {
        let new = PasswordLink::new(link_secret(number).hash(), purpose.clone(), now());
        store(harness, &[new]).await;
        let found = links.find(link_secret(number).expose()).await.unwrap().unwrap();
        assert_eq!(found.expires_at, now() + purpose.lifetime());
        assert_eq!((found.purpose, found.email), (purpose, email));
    }
    // An expired link, one of a locked account, and one that is gone.
    let reset = |number, user| link_for(number, PasswordLinkPurpose::Reset { user_id: user_id(user) });
    let ended = PasswordLink { expires_at: now(), ..reset(5, 1) };
    assert!(ended.is_live(seconds(-1)));
    store(harness, &[ended, reset(6, 2)]).await;
    for number in [5, 6, 7] {
        assert_eq!(links.find(link_secret(number).expose()).await.unwrap(), None, "{number}");
    }
}

pub(crate) async fn another_address_is_sent_a_link_and_the_current_one_a_notice(harness: &Harness) {
    let person = prepare(harness).await;
    let accounts = Accounts::new(harness);
    let links = &accounts.links();
    let request =
        async |person, email: &str| links.mailed().unwrap().request_email_change(person, email).await;
    let is_stale = |error: &EmailChangeError| matches!(error, EmailChangeError::NotFresh);
    let is_invalid =
        |error: &EmailChangeError| matches!(error, EmailChangeError::Request(LinkRequestError::InvalidEmail));
    let (stale, new) = (stale(&person), user(7).email);
    assert_untouched(harness, "stale", is_stale, async || request(&stale, new.as_str()).await).await;
    for invalid in ["", "robin", "robin@", "ro\nbin@example.org", &format!("{}@example.org", "x".repeat(300))]
    {
        assert_untouched(harness, invalid, is_invalid, async || request(&person, invalid).await).await;
    }
    assert!(accounts.queued().await.is_empty());

    assert_units(harness, 1, request(&person, new.as_str())).await.unwrap();
    let [to_new, to_current] = accounts.queued().await.try_into().ok().unwrap();
    assert_eq!((&to_new.to, &to_current.to), (&new, &user(1).email));
    assert!(!to_current.text.contains("rwl_"), "{}", to_current.text);
    assert_eq!(recorded(harness).await, [event_of_person(AuditKind::EmailChangeRequested)]);
    let (_, text) = to_new.text.split_once("link=").unwrap();
    let secret = Secret::parse(SecretKind::PasswordLink, text.split_whitespace().next().unwrap()).unwrap();
    let purpose = PasswordLinkPurpose::EmailChange { user_id: user_id(1), email: new.clone() };
    let expected = PasswordLink::new(secret.hash(), purpose, now());
    assert_eq!(expected.expires_at, seconds(3600));
    assert_eq!(stored(harness, &secret).await, Some(expected));
    assert_replaces_the_address(harness, &person, &secret, new).await;
}

async fn assert_replaces_the_address(
    harness: &Harness,
    person: &SignedInPerson,
    secret: &Secret,
    new: Email,
) {
    let accounts = Accounts::new(harness);
    // The other links of the account end with the old address.
    store(harness, &[link(1)]).await;
    let links = accounts.links();
    let confirmed = assert_units(harness, 1, links.confirm_email_change(person, secret.expose())).await;
    assert_eq!(confirmed.unwrap(), new);
    let changed = harness.profiles.find_profile(user_id(1)).await.unwrap();
    assert_eq!(changed, Some(User { email: new, ..user(1) }));
    assert_eq!(harness.password_links.find_password_link(&link(1).hash).await.unwrap(), None);
    assert_eq!(stored(harness, secret).await, None);
    accounts.only_mail().await;
    assert_eq!(recorded(harness).await, [event_of_person(AuditKind::EmailChanged)]);
}
