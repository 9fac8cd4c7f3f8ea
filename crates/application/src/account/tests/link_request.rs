use super::super::{LinkRequestError, PasswordLinks};
use super::support::{
    CallLog, EMAIL, EndlessUnitsOfWork, FailingAt, email, home, locked_person, mail, password_links, units,
};
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::storage::{QueuedMessage, StorageError};
use crate::store::Store;
use crate::testing::{noon, person, user_id};
use chrono::TimeDelta;
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditKind};
use domain::password_link::{PasswordLink, PasswordLinkPurpose};
use domain::user::User;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex};

async fn request_reset(links: &PasswordLinks, email: &str, from: IpAddr) -> Result<(), LinkRequestError> {
    links.mailed().unwrap().request_reset(email, from).await
}

async fn request_sign_up(links: &PasswordLinks, email: &str, from: IpAddr) -> Result<(), LinkRequestError> {
    links.sign_up().unwrap().request(email, from).await
}

/// Rows in the store when the unit of work ends.
#[derive(Default)]
struct Rows {
    links: Mutex<Vec<PasswordLink>>,
    messages: Mutex<Vec<QueuedMessage>>,
    writes: CallLog<&'static str>,
}

/// A unit of work in which this user has the address; links and emails are recorded.
fn keeping(user: Option<User>, rows: &Arc<Rows>) -> MockUnitOfWork {
    keeping_then(user.clone(), user, rows)
}

/// Like [`keeping`], but the second lookup, under the lock, returns `held`.
fn keeping_then(user: Option<User>, held: Option<User>, rows: &Arc<Rows>) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find_by_email().times(1).returning(move |asked| {
        Ok(user.clone().filter(|user| user.email.normalised() == asked.normalised()))
    });
    unit.users.expect_find().returning(move |id| Ok(held.clone().filter(|user| user.id == id)));
    let kept = Arc::clone(rows);
    unit.password_links.expect_insert().returning(move |link| {
        kept.writes.lock().unwrap().push("link");
        kept.links.lock().unwrap().push(link.clone());
        Ok(())
    });
    let kept = Arc::clone(rows);
    unit.password_links.expect_consume().returning(move |hash| {
        Ok(kept.links.lock().unwrap().extract_if(.., |link| link.hash == *hash).next())
    });
    let kept = Arc::clone(rows);
    unit.outbox.expect_insert().returning(move |message| {
        kept.writes.lock().unwrap().push("message");
        kept.messages.lock().unwrap().push(message.clone());
        Ok(())
    });
    let kept = Arc::clone(rows);
    unit.outbox.expect_delete().returning(move |id| {
        Ok(kept.messages.lock().unwrap().extract_if(.., |message| message.id == id).next().is_some())
    });
    unit
}

/// Requests a reset for the address `asked` while this user exists, and returns the rows.
async fn reset(user: Option<User>, asked: &str) -> (Arc<Rows>, Arc<PreparedUnitsOfWork>, String) {
    reset_in(asked, |rows| keeping(user, rows)).await
}

async fn reset_in(
    asked: &str,
    unit: impl FnOnce(&Arc<Rows>) -> MockUnitOfWork,
) -> (Arc<Rows>, Arc<PreparedUnitsOfWork>, String) {
    let rows = Arc::<Rows>::default();
    let store = units([unit(&rows)]);
    let (queue, sealer) = mail();
    let links = PasswordLinks { mail: Some(queue), ..password_links(&store) };
    request_reset(&links, asked, home()).await.unwrap();
    assert_eq!(store.endings().committed(), 1);
    let text = sealer.only().text;
    (rows, store, text)
}

#[tokio::test]
async fn a_reset_request_emails_a_link_that_is_valid_for_one_hour() {
    let (rows, store, text) = reset(Some(person()), "ROBIN@example.org").await;
    let links = rows.links.lock().unwrap();
    assert_eq!(links[0].purpose, PasswordLinkPurpose::Reset { user_id: user_id(1) });
    assert_eq!(links[0].expires_at, noon() + TimeDelta::hours(1));
    let messages = rows.messages.lock().unwrap();
    assert_eq!((messages[0].queued_at, messages[0].due_at, messages[0].attempts), (noon(), noon(), 0));
    assert!(text.contains("https://rest.example/set-password?link=rwl_"));
    assert!(text.contains("once and expires after one hour."));
    let [event] = store.events().all().try_into().unwrap();
    assert_eq!((event.kind, event.actor), (AuditKind::PasswordLinkIssued, AuditActor::Person));
    assert_eq!((event.user_id, event.address), (Some(user_id(1)), Some(AddressBlock::containing(home()))));
}

#[tokio::test]
async fn the_email_goes_to_the_stored_address_and_not_to_the_typed_spelling() {
    let rows = Arc::<Rows>::default();
    let store = units([keeping(Some(person()), &rows)]);
    let (queue, sealer) = mail();
    let links = PasswordLinks { mail: Some(queue), ..password_links(&store) };
    request_reset(&links, "Robin@EXAMPLE.org", home()).await.unwrap();
    assert_eq!(sealer.only().to, email(EMAIL));
}

#[tokio::test]
async fn t80_a_reset_without_an_active_account_does_the_same_work_and_stores_nothing() {
    let (known, _, _) = reset(Some(person()), EMAIL).await;
    for (user, asked) in
        [(None, EMAIL), (Some(person()), "nobody@example.org"), (Some(locked_person()), EMAIL)]
    {
        let (rows, store, _) = reset(user, asked).await;
        assert_eq!(*rows.writes.lock().unwrap(), *known.writes.lock().unwrap());
        assert_eq!(*rows.links.lock().unwrap(), []);
        assert_eq!(*rows.messages.lock().unwrap(), []);
        assert_eq!(store.events().all(), []);
    }
}

#[tokio::test]
async fn an_account_that_changes_during_the_request_gets_no_link_for_the_same_work() {
    let (known, _, _) = reset(Some(person()), EMAIL).await;
    let moved = User { email: email("robin.new@example.org"), ..person() };
    for then in [Some(moved), Some(locked_person()), None] {
        let (rows, store, _) = reset_in(EMAIL, |rows| keeping_then(Some(person()), then, rows)).await;
        assert_eq!(*rows.writes.lock().unwrap(), *known.writes.lock().unwrap());
        assert_eq!(*rows.links.lock().unwrap(), []);
        assert_eq!(*rows.messages.lock().unwrap(), []);
        assert_eq!(store.events().all(), []);
    }
}

/// Requests a sign-up while this user exists, and returns the rows.
async fn sign_up(user: Option<User>) -> (Arc<Rows>, Arc<PreparedUnitsOfWork>, String) {
    let rows = Arc::<Rows>::default();
    let store = units([keeping(user, &rows)]);
    let (queue, sealer) = mail();
    let links = PasswordLinks { mail: Some(queue), ..password_links(&store) };
    request_sign_up(&links, EMAIL, home()).await.unwrap();
    assert_eq!(store.endings().committed(), 1);
    assert_eq!(sealer.only().to, email(EMAIL));
    let text = sealer.only().text;
    (rows, store, text)
}

#[tokio::test]
async fn a_sign_up_creates_a_link_but_no_account() {
    let (rows, store, text) = sign_up(None).await;
    let links = rows.links.lock().unwrap();
    assert_eq!(links[0].purpose, PasswordLinkPurpose::SignUp { email: email(EMAIL) });
    assert!(text.contains("https://rest.example/set-password?link=rwl_"));
    assert!(text.contains("once and expires after one day."));
    let [event] = store.events().all().try_into().unwrap();
    assert_eq!((event.kind, event.user_id), (AuditKind::PasswordLinkIssued, None));
}

#[tokio::test]
async fn t80_a_sign_up_for_an_account_does_the_same_work_and_is_reported_by_email() {
    let (new, _, _) = sign_up(None).await;
    for user in [person(), locked_person()] {
        let (rows, store, text) = sign_up(Some(user)).await;
        assert_eq!(*rows.writes.lock().unwrap(), *new.writes.lock().unwrap());
        assert_eq!(*rows.links.lock().unwrap(), []);
        assert_eq!(rows.messages.lock().unwrap().len(), 1);
        assert!(text.contains("it already has one") && !text.contains("rwl_"));
        assert_eq!(store.events().all(), []);
    }
}

/// Links with in-memory counters.
fn endless() -> PasswordLinks {
    let units = Arc::new(EndlessUnitsOfWork(|| keeping(Some(person()), &Arc::default())));
    let links = password_links(&super::support::units([]));
    let store = Store { units, ..links.store };
    PasswordLinks { store, mail: Some(mail().0), ..links }
}

fn address(number: u32) -> IpAddr {
    Ipv4Addr::from_bits(0x0a00_0000 + number).into()
}

#[tokio::test]
async fn a_mailbox_gets_five_messages_an_hour_with_or_without_an_account() {
    for asked in [EMAIL, "nobody@example.org"] {
        let links = endless();
        for number in 0..8 {
            // Counters ignore case.
            let asked = if number < 3 { asked.to_uppercase() } else { asked.to_owned() };
            let outcome = if number % 2 == 0 {
                request_reset(&links, &asked, address(number)).await
            } else {
                request_sign_up(&links, &asked, address(number)).await
            };
            match outcome {
                Ok(()) => assert!(number < 5, "{number}"),
                Err(LinkRequestError::TooManyAttempts { retry_after_seconds }) => {
                    assert_eq!((number >= 5, retry_after_seconds), (true, 3600), "{number}");
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
}

#[tokio::test]
async fn a_callers_twenty_first_link_is_rejected_and_not_counted_for_the_mailbox() {
    let links = endless();
    for number in 0..30 {
        let asked = format!("somebody{number}@example.org");
        assert_eq!(request_reset(&links, &asked, home()).await.is_ok(), number < 20, "{number}");
    }
    for _ in 0..10 {
        request_reset(&links, EMAIL, home()).await.unwrap_err();
    }
    request_reset(&links, EMAIL, address(1)).await.unwrap();
}

#[tokio::test]
async fn an_invalid_email_address_is_reported_and_counted() {
    let links = endless();
    for number in 0..20 {
        let text = format!("not an address {number}");
        let outcome = if number % 2 == 0 {
            request_reset(&links, &text, home()).await
        } else {
            request_sign_up(&links, &text, home()).await
        };
        assert!(matches!(outcome, Err(LinkRequestError::InvalidEmail)));
    }
    let outcome = request_reset(&links, EMAIL, home()).await;
    assert!(matches!(outcome, Err(LinkRequestError::TooManyAttempts { .. })));
}

#[tokio::test]
async fn a_failing_counter_rejects_the_request() {
    for call in 1..=2 {
        let store = units([]);
        let (failures, mail) = (Arc::new(FailingAt::call(call)), Some(mail().0));
        let links = PasswordLinks { failures, mail, ..password_links(&store) };
        let outcome = request_reset(&links, EMAIL, home()).await;
        assert!(matches!(outcome, Err(LinkRequestError::Storage(StorageError::Unavailable))));
        assert_eq!(store.endings().opened(), 0);
    }
}

#[tokio::test]
async fn without_email_there_are_no_requests_and_with_closed_sign_up_only_resets() {
    let links = password_links(&units([]));
    assert!(links.mailed().is_none() && links.sign_up().is_none());
    let links = PasswordLinks { mail: Some(mail().0), is_sign_up_open: false, ..links };
    assert!(links.mailed().is_some() && links.sign_up().is_none());
}
