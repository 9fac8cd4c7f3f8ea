use super::super::{PublicLinks, QueueMail};
use crate::ports::storage::test_support::MockUnitOfWork;
use crate::ports::storage::{QueuedMessage, StorageError};
use crate::ports::system::{Mail, MailSealError, MockMailSealer};
use crate::testing::{drawn_uuid, entropy, noon};
use domain::id::MessageId;
use domain::user::Email;
use std::sync::Arc;

fn mail() -> Mail {
    Mail {
        to: Email::parse("robin@example.org").unwrap(),
        subject: "Hello".to_owned(),
        text: "Hello.\n".to_owned(),
    }
}

fn queue(sealer: MockMailSealer) -> QueueMail {
    QueueMail::new(Arc::new(sealer), entropy(), PublicLinks::new("https://rest.example"))
}

fn id() -> MessageId {
    MessageId::from_uuid(drawn_uuid(1))
}

/// A sealer with this outcome for the message and its id.
fn sealing(outcome: Result<Vec<u8>, MailSealError>) -> MockMailSealer {
    let mut sealer = MockMailSealer::new();
    sealer.expect_seal().returning(move |asked, sealed| {
        assert!(asked == id() && *sealed == mail());
        outcome.clone()
    });
    sealer
}

/// A unit of work that queues the message once with this outcome.
fn queueing(outcome: fn() -> Result<(), StorageError>) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    let expected =
        QueuedMessage { id: id(), sealed: vec![1, 2, 3], queued_at: noon(), due_at: noon(), attempts: 0 };
    unit.outbox.expect_insert().times(1).returning(move |message| {
        assert_eq!(*message, expected);
        outcome()
    });
    unit
}

#[tokio::test]
async fn a_message_is_encrypted_with_its_id_and_due_at_once() {
    let sealer = sealing(Ok(vec![1, 2, 3]));
    assert_eq!(queue(sealer).run(&mut queueing(|| Ok(())), &mail(), noon()).await.unwrap(), id());
}

#[tokio::test]
async fn a_message_that_cannot_be_encrypted_or_stored_is_not_queued() {
    let sealer = sealing(Err(MailSealError));
    let outcome = queue(sealer).run(&mut MockUnitOfWork::default(), &mail(), noon()).await;
    assert!(matches!(outcome, Err(StorageError::Internal(_))));
    let sealer = sealing(Ok(vec![1, 2, 3]));
    let outcome = queue(sealer).run(&mut queueing(|| Err(StorageError::Unavailable)), &mail(), noon()).await;
    assert!(matches!(outcome, Err(StorageError::Unavailable)));
}
