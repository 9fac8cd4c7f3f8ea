use super::super::{EmailChangeError, LinkRequestError, PasswordLinks};
use super::support::{email, mail, password_links, units};
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::testing::{noon, person, seconds, secret, session, signed_in, user_id};
use domain::audit::{AuditActor, AuditKind};
use domain::password_link::{PasswordLink, PasswordLinkPurpose};
use domain::secret::SecretKind;
use std::sync::Arc;

const NEW: &str = "robin@new.example.org";

/// A unit of work in which the person and the session exist.
fn existing() -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().returning(|_| Ok(Some(person())));
    unit.sessions.expect_find().returning(|_, _| Ok(Some(session(10))));
    unit
}

/// Requests a change, and returns the outcome, the store and the recipients of the queued emails.
async fn request(
    unit: MockUnitOfWork,
    address: &str,
    age: i64,
) -> (Result<(), EmailChangeError>, Arc<PreparedUnitsOfWork>, Vec<String>) {
    let store = units([unit]);
    let (queue, sealer) = mail();
    let links = PasswordLinks { mail: Some(queue), ..password_links(&store) };
    let outcome = links.mailed().unwrap().request_email_change(&signed_in(age), address).await;
    let sent = sealer.all().into_iter().map(|mail| mail.to.as_str().to_owned()).collect();
    (outcome, store, sent)
}

#[tokio::test]
async fn the_new_address_gets_a_link_and_the_current_one_a_notice() {
    let mut unit = existing();
    unit.password_links
        .expect_insert()
        .times(1)
        .withf(|link| {
            link.purpose == PasswordLinkPurpose::EmailChange { user_id: user_id(1), email: email(NEW) }
                && link.expires_at == noon() + seconds(3600)
        })
        .returning(|_| Ok(()));
    unit.outbox.expect_insert().times(2).returning(|_| Ok(()));
    let (outcome, store, sent) = request(unit, NEW, 10).await;
    outcome.unwrap();
    assert_eq!(sent, [NEW, "robin@example.org"]);
    assert_eq!(store.endings().committed(), 1);
    let [event] = store.events().all().try_into().unwrap();
    assert_eq!((event.kind, event.actor), (AuditKind::EmailChangeRequested, AuditActor::Person));
}

#[tokio::test]
async fn a_change_needs_a_recent_sign_in() {
    let (old, store, sent) = request(MockUnitOfWork::default(), NEW, 301).await;
    assert!(matches!(old, Err(EmailChangeError::NotFresh)) && sent.is_empty());
    assert_eq!(store.endings().opened(), 0);
}

#[tokio::test]
async fn an_invalid_address_gets_no_link() {
    for invalid in ["", "robin", "robin@", "ro\nbin@example.org", &format!("{}@example.org", "x".repeat(300))]
    {
        let (outcome, _, sent) = request(MockUnitOfWork::default(), invalid, 10).await;
        let is_invalid = matches!(outcome, Err(EmailChangeError::Request(LinkRequestError::InvalidEmail)));
        assert!(is_invalid && sent.is_empty(), "{invalid}");
    }
}

#[tokio::test]
async fn a_confirmed_address_is_stored_and_the_owner_of_the_old_one_is_notified() {
    let secret = secret(SecretKind::PasswordLink, 9);
    let purpose = PasswordLinkPurpose::EmailChange { user_id: user_id(1), email: email(NEW) };
    let link = PasswordLink::new(secret.hash(), purpose, noon());
    let mut unit = existing();
    let (found, consumed) = (link.clone(), link);
    unit.password_links.expect_find().times(1).return_once(|_| Ok(Some(found)));
    unit.password_links.expect_consume().times(1).return_once(|_| Ok(Some(consumed)));
    unit.users.expect_update().times(1).withf(|user| user.email.as_str() == NEW).returning(|_| Ok(true));
    unit.password_links.expect_delete_of_user().times(1).returning(|_| Ok(2));
    unit.outbox.expect_insert().times(1).returning(|_| Ok(()));
    let store = units([unit]);
    let (queue, sealer) = mail();
    let links = PasswordLinks { mail: Some(queue), ..password_links(&store) };
    let confirmed = links.confirm_email_change(&signed_in(10), secret.expose()).await.unwrap();
    assert_eq!((confirmed, sealer.only().to), (email(NEW), person().email));
    let [event] = store.events().all().try_into().unwrap();
    assert_eq!((event.kind, event.user_id), (AuditKind::EmailChanged, Some(user_id(1))));
}
