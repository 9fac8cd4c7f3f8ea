use super::super::{
    ConfirmEmailChange, ConfirmEmailChangeError, EmailChangeCommand, EmailChangeError, LinkRequestError,
    LinkRequestLimits, LinkRequestPorts, RequestEmailChange,
};
use super::support::{MemoryFailures, email, home, locked_person, mail, units};
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::storage::{StorageError, UniqueKey};
use crate::testing::{clock, entropy, noon, person, seconds, secret, session, user_id};
use domain::audit::{AuditActor, AuditKind};
use domain::password_link::{PasswordLink, PasswordLinkPurpose};
use domain::secret::SecretKind;
use domain::session::Session;
use domain::user::User;
use std::sync::Arc;

const NEW: &str = "robin@new.example.org";

/// A unit of work in which this user exists, with or without the session.
fn with(user: User, session: Option<Session>) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().returning(move |_| Ok(Some(user.clone())));
    unit.sessions.expect_find().returning(move |_, _| Ok(session.clone()));
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
    let ports = LinkRequestPorts {
        units: store.clone(),
        failures: Arc::new(MemoryFailures::default()),
        clock: clock(),
        entropy: entropy(),
        limits: LinkRequestLimits::default(),
        mail: queue,
    };
    let use_case = RequestEmailChange::new(ports);
    let session = session(age);
    let command = EmailChangeCommand { session: &session, email: address, address: home() };
    let outcome = use_case.run(command).await;
    let sent = sealer.all().into_iter().map(|mail| mail.to.as_str().to_owned()).collect();
    (outcome, store, sent)
}

#[tokio::test]
async fn the_new_address_gets_a_link_and_the_current_one_a_notice() {
    let mut unit = with(person(), Some(session(10)));
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
async fn a_change_needs_a_recent_sign_in_that_has_not_ended() {
    let (old, _, sent) = request(with(person(), Some(session(301))), NEW, 301).await;
    assert!(matches!(old, Err(EmailChangeError::NotFresh)) && sent.is_empty());
    let (ended, store, sent) = request(with(person(), None), NEW, 10).await;
    assert!(matches!(ended, Err(EmailChangeError::SessionEnded)) && sent.is_empty());
    assert_eq!(store.endings().committed(), 0);
    let (locked, _, sent) = request(with(locked_person(), Some(session(10))), NEW, 10).await;
    assert!(matches!(locked, Err(EmailChangeError::SessionEnded)) && sent.is_empty());
}

#[tokio::test]
async fn an_invalid_address_and_the_current_one_send_nothing() {
    for invalid in ["", "robin", "robin@", "ro\nbin@example.org", &format!("{}@example.org", "x".repeat(300))]
    {
        let (outcome, _, sent) = request(with(person(), Some(session(10))), invalid, 10).await;
        let is_invalid = matches!(outcome, Err(EmailChangeError::Request(LinkRequestError::InvalidEmail)));
        assert!(is_invalid && sent.is_empty(), "{invalid}");
    }
    let (same, _, sent) = request(with(person(), Some(session(10))), "robin@example.org", 10).await;
    assert!(matches!(same, Err(EmailChangeError::SameAddress)) && sent.is_empty());
}

/// A unit of work that holds a link for this purpose.
fn holding(purpose: PasswordLinkPurpose, user: User) -> MockUnitOfWork {
    let link = PasswordLink::new(secret(SecretKind::PasswordLink, 9).hash(), purpose, noon());
    let mut unit = MockUnitOfWork::default();
    let found = link.clone();
    unit.password_links.expect_find().returning(move |hash| Ok((found.hash == *hash).then(|| found.clone())));
    unit.password_links.expect_consume().returning(move |_| Ok(Some(link.clone())));
    unit.users.expect_find().returning(move |_| Ok(Some(user.clone())));
    unit.sessions.expect_find().returning(|_, _| Ok(Some(session(10))));
    unit
}

fn change() -> PasswordLinkPurpose {
    PasswordLinkPurpose::EmailChange { user_id: user_id(1), email: email(NEW) }
}

async fn confirm(
    unit: MockUnitOfWork,
) -> (Result<domain::user::Email, ConfirmEmailChangeError>, Arc<PreparedUnitsOfWork>, Vec<String>) {
    let store = units([unit]);
    let (queue, sealer) = mail();
    let use_case = ConfirmEmailChange::new(store.clone(), Some(queue), entropy(), clock());
    let outcome = use_case.run(&session(10), secret(SecretKind::PasswordLink, 9).expose(), home()).await;
    let sent = sealer.all().into_iter().map(|mail| mail.to.as_str().to_owned()).collect();
    (outcome, store, sent)
}

#[tokio::test]
async fn an_address_is_confirmed_only_in_a_live_session_of_its_account() {
    let mut ended = holding(change(), person());
    ended.sessions.checkpoint();
    ended.sessions.expect_find().returning(|_, _| Ok(None));
    let of_another = PasswordLinkPurpose::EmailChange { user_id: user_id(2), email: email(NEW) };
    for unit in [ended, holding(of_another, person())] {
        let (outcome, store, sent) = confirm(unit).await;
        assert!(matches!(outcome, Err(ConfirmEmailChangeError::UnusableLink)), "{outcome:?}");
        assert!(store.endings().committed() == 0 && sent.is_empty());
    }
}

#[tokio::test]
async fn a_confirmed_address_replaces_the_old_one_whose_owner_is_notified_and_whose_links_are_deleted() {
    let mut unit = holding(change(), person());
    unit.users.expect_update().times(1).withf(|user| user.email.as_str() == NEW).returning(|_| Ok(true));
    unit.password_links.expect_delete_of_user().times(1).returning(|_| Ok(2));
    unit.outbox.expect_insert().times(1).returning(|_| Ok(()));
    let (outcome, store, sent) = confirm(unit).await;
    assert_eq!(outcome.unwrap().as_str(), NEW);
    assert_eq!(sent, ["robin@example.org"]);
    let [event] = store.events().all().try_into().unwrap();
    assert_eq!((event.kind, event.user_id), (AuditKind::EmailChanged, Some(user_id(1))));
}

#[tokio::test]
async fn an_address_that_another_account_took_is_refused_and_the_link_stays() {
    let mut unit = holding(change(), person());
    unit.users.expect_update().returning(|_| Err(StorageError::Conflict(UniqueKey::UserEmail)));
    let (outcome, store, sent) = confirm(unit).await;
    assert!(matches!(outcome, Err(ConfirmEmailChangeError::AddressTaken)) && sent.is_empty());
    assert_eq!(store.endings().committed(), 0);
}

#[tokio::test]
async fn a_link_for_a_password_or_of_a_locked_account_confirms_no_address() {
    let reset = PasswordLinkPurpose::Reset { user_id: user_id(1) };
    for unit in [holding(reset, person()), holding(change(), locked_person())] {
        let (outcome, store, _) = confirm(unit).await;
        assert!(matches!(outcome, Err(ConfirmEmailChangeError::UnusableLink)));
        assert_eq!(store.endings().committed(), 0);
    }
}
