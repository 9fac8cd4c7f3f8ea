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

#[tokio::test]
async fn a_message_is_encrypted_with_its_id_and_due_at_once() {
    let mut sealer = MockMailSealer::new();
    sealer
        .expect_seal()
        .times(1)
        .withf(|asked, sealed| *asked == id() && *sealed == mail())
        .returning(|_, _| Ok(vec![1, 2, 3]));
    let mut unit = MockUnitOfWork::default();
    let expected =
        QueuedMessage { id: id(), sealed: vec![1, 2, 3], queued_at: noon(), due_at: noon(), attempts: 0 };
    unit.outbox.expect_insert().times(1).withf(move |message| *message == expected).returning(|_| Ok(()));
    assert_eq!(queue(sealer).run(&mut unit, &mail(), noon()).await.unwrap(), id());
}

#[tokio::test]
async fn a_message_that_cannot_be_encrypted_or_stored_is_not_queued() {
    let mut sealer = MockMailSealer::new();
    sealer.expect_seal().returning(|_, _| Err(MailSealError));
    let outcome = queue(sealer).run(&mut MockUnitOfWork::default(), &mail(), noon()).await;
    assert!(matches!(outcome, Err(StorageError::Internal(_))));

    let mut sealer = MockMailSealer::new();
    sealer.expect_seal().returning(|_, _| Ok(Vec::new()));
    let mut unit = MockUnitOfWork::default();
    unit.outbox.expect_insert().returning(|_| Err(StorageError::Unavailable));
    let outcome = queue(sealer).run(&mut unit, &mail(), noon()).await;
    assert!(matches!(outcome, Err(StorageError::Unavailable)));
}
