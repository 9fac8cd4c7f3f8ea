use super::super::PasswordLinks;
use super::support::{
    CallLog, EMAIL, PASSWORD, email, hash_of, link, locked_person, look, mail, password_links, queueing,
    secret_link, still, units,
};
use crate::ports::storage::test_support::MockUnitOfWork;
use crate::testing::{noon, person, seconds, secret, user_id};
use chrono::TimeDelta;
use domain::audit::{AuditActor, AuditKind};
use domain::password_link::{PasswordLink, PasswordLinkPurpose};
use domain::secret::SecretKind;
use domain::user::User;
use std::sync::Arc;

/// A unit of work in which the user's links are replaced by one.
fn issuing(mut unit: MockUnitOfWork, stored: &CallLog<PasswordLink>) -> MockUnitOfWork {
    let stored = Arc::clone(stored);
    unit.password_links.expect_delete_of_user().times(1).withf(|id| *id == user_id(1)).returning(|_| Ok(1));
    unit.password_links.expect_insert().times(1).returning(move |link| {
        stored.lock().unwrap().push(link.clone());
        Ok(())
    });
    unit
}

#[tokio::test]
async fn the_operator_gets_a_link_of_three_days_that_is_stored_as_a_hash() {
    let stored = CallLog::default();
    let store = units([issuing(still(person(), None), &stored)]);
    let issued = password_links(&store).issue(user_id(1), false).await.unwrap();
    assert_eq!(issued.link.kind(), SecretKind::PasswordLink);
    assert_eq!(issued.expires_at, noon() + TimeDelta::days(3));
    assert!(!issued.is_mailed);
    let purpose = PasswordLinkPurpose::Invitation { user_id: user_id(1) };
    assert_eq!(*stored.lock().unwrap(), [PasswordLink::new(issued.link.hash(), purpose, noon())]);
    assert_eq!(store.endings().committed(), 1);
    let [event] = store.events().all().try_into().unwrap();
    assert_eq!((event.kind, event.actor), (AuditKind::PasswordLinkIssued, AuditActor::Operator));
    assert_eq!((event.user_id, event.subject), (Some(user_id(1)), None));
}

#[tokio::test]
async fn with_email_the_person_is_sent_the_link_and_its_purpose() {
    for (password, subject) in [
        (None, "Restwell: Choose your password"),
        (Some(hash_of(PASSWORD)), "Restwell: Choose a new password"),
    ] {
        let stored = CallLog::default();
        let store = units([queueing(issuing(still(person(), password), &stored))]);
        let (queue, sealer) = mail();
        let links = PasswordLinks { mail: Some(queue), ..password_links(&store) };
        let issued = links.issue(user_id(1), false).await.unwrap();
        assert!(issued.is_mailed);
        let message = sealer.only();
        assert_eq!((message.to, message.subject.as_str()), (email(EMAIL), subject));
        let url = format!("\nhttps://rest.example/set-password?link={}\n", issued.link.expose());
        assert!(message.text.contains(&url));
        assert!(message.text.contains("once and expires after 3 days."));
    }
}

#[tokio::test]
async fn a_link_that_stands_alone_ends_the_password_the_passkeys_and_the_sign_ins() {
    let stored = CallLog::default();
    let mut unit = still(person(), Some(hash_of(PASSWORD)));
    unit.passwords.expect_delete().times(1).withf(|id| *id == user_id(1)).returning(|_| Ok(true));
    unit.codes.expect_discard_unredeemed().times(1).returning(|_, _| Ok(1));
    unit.pending_sign_ins.expect_delete_of_user().times(1).returning(|_| Ok(1));
    unit.sessions.expect_delete_of_user().times(1).withf(|_, kept| kept.is_none()).returning(|_, _| Ok(2));
    // An earlier link ends with the sign-ins, and the new one is stored after that.
    unit.password_links.expect_delete_of_user().times(1).returning(|_| Ok(1));
    let store = units([queueing(issuing(unit, &stored))]);
    let (queue, sealer) = mail();
    let links = PasswordLinks { mail: Some(queue), ..password_links(&store) };
    let issued = links.issue(user_id(1), true).await.unwrap();
    assert_eq!((issued.passkeys_removed, stored.lock().unwrap().len()), (0, 1));
    let text = sealer.only().text;
    assert!(text.contains("Your old password no longer works."), "{text}");
    let kinds: Vec<_> = store.events().all().into_iter().map(|event| (event.kind, event.count)).collect();
    assert_eq!(kinds, [(AuditKind::SignedOutEverywhere, Some(2)), (AuditKind::PasswordLinkIssued, None)]);
}

#[tokio::test]
async fn a_usable_link_is_found_with_its_purpose_and_address() {
    let sign_up = PasswordLinkPurpose::SignUp { email: email("new@example.org") };
    for (purpose, address) in [
        (PasswordLinkPurpose::Invitation { user_id: user_id(1) }, EMAIL),
        (PasswordLinkPurpose::Reset { user_id: user_id(1) }, EMAIL),
        (sign_up, "new@example.org"),
    ] {
        let account = (!matches!(purpose, PasswordLinkPurpose::SignUp { .. })).then(person);
        let reader = look(Some(link(purpose.clone())), account);
        let links = PasswordLinks { reader, ..password_links(&units([])) };
        let found = links.find(secret_link().expose()).await.unwrap().unwrap();
        assert_eq!((found.purpose, found.email), (purpose.clone(), email(address)));
        assert_eq!(found.expires_at, noon() + purpose.lifetime());
    }
}

#[tokio::test]
async fn a_used_or_expired_link_and_one_of_a_locked_account_are_rejected() {
    let reset = link(PasswordLinkPurpose::Reset { user_id: user_id(1) });
    let ended = PasswordLink { expires_at: noon(), ..reset.clone() };
    assert!(ended.is_live(noon() - seconds(1)));
    for reader in [
        look(None, None::<User>),
        look(Some(ended), person()),
        look(Some(reset.clone()), locked_person()),
        look(Some(reset), None::<User>),
    ] {
        let links = PasswordLinks { reader, ..password_links(&units([])) };
        let outcome = links.find(secret_link().expose()).await;
        assert_eq!(outcome.unwrap(), None);
    }
}

#[tokio::test]
async fn a_malformed_link_is_not_looked_up() {
    let links = password_links(&units([]));
    for text in ["", "owl", secret(SecretKind::Session, 9).expose()] {
        assert_eq!(links.find(text).await.unwrap(), None);
    }
}
