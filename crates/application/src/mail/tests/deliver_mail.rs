use super::super::{DeliverMail, DeliveryReport};
use crate::ports::storage::test_support::{Endings, MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::storage::{QueuedMessage, StorageError};
use crate::ports::system::{Mail, MailError, MailSealError, MailSealer, Mailer, MockMailSealer, MockMailer};
use crate::testing::{self, noon, seconds};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::id::MessageId;
use domain::user::Email;
use std::sync::{Arc, Mutex};
use uuid::Uuid;

fn id(number: u128) -> MessageId {
    MessageId::from_uuid(Uuid::from_u128(number))
}

/// A message of this age on its `attempts`th attempt.
fn message(number: u128, attempts: u32, age: TimeDelta) -> QueuedMessage {
    let queued_at = noon() - age;
    QueuedMessage { id: id(number), sealed: vec![7], queued_at, due_at: noon(), attempts }
}

fn mail() -> Mail {
    Mail {
        to: Email::parse("robin@example.org").unwrap(),
        subject: "Hello".to_owned(),
        text: "Hello.\n".to_owned(),
    }
}

/// A unit of work that claims one message, or none.
fn claiming(message: Option<QueuedMessage>) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.outbox
        .expect_claim()
        .times(1)
        .withf(|now, again_at, limit| *now == noon() && *again_at == noon() + seconds(300) && *limit == 1)
        .return_once(move |_, _, _| Ok(message.into_iter().collect()));
    unit
}

fn deleting(number: u128) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.outbox.expect_delete().times(1).withf(move |asked| *asked == id(number)).returning(|_| Ok(true));
    unit
}

fn postponing(number: u128, until: DateTime<Utc>) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.outbox
        .expect_postpone()
        .times(1)
        .withf(move |asked, due_at| *asked == id(number) && *due_at == until)
        .returning(|_, _| Ok(()));
    unit
}

/// Records messages instead of sending them, and fails the test while a unit of work is open.
struct RecordingMailer {
    sent: Mutex<usize>,
    endings: Arc<Endings>,
}

#[async_trait]
impl Mailer for RecordingMailer {
    async fn send(&self, sent: &Mail) -> Result<(), MailError> {
        assert!(*sent == mail());
        assert_eq!(self.endings.opened(), self.endings.committed() + self.endings.rolled_back());
        *self.sent.lock().unwrap() += 1;
        Ok(())
    }
}

fn opening() -> MockMailSealer {
    opening_as(|| Ok(mail()))
}

fn opening_as(outcome: fn() -> Result<Mail, MailSealError>) -> MockMailSealer {
    let mut sealer = MockMailSealer::new();
    sealer.expect_open().times(1..).withf(|_, sealed| sealed == [7]).returning(move |_, _| outcome());
    sealer
}

fn failing(error: fn() -> MailError) -> MockMailer {
    let mut mailer = MockMailer::new();
    mailer.expect_send().times(1).returning(move |_| Err(error()));
    mailer
}

fn delivery(
    units: &Arc<PreparedUnitsOfWork>,
    mailer: Arc<dyn Mailer>,
    sealer: Arc<dyn MailSealer>,
) -> DeliverMail {
    DeliverMail { store: testing::store(units), mailer, sealer }
}

async fn deliver(units: Vec<MockUnitOfWork>, mailer: MockMailer, sealer: MockMailSealer) -> DeliveryReport {
    let store = Arc::new(PreparedUnitsOfWork::new(units));
    let deliver = delivery(&store, Arc::new(mailer), Arc::new(sealer));
    let report = deliver.run(1).await.unwrap();
    assert_eq!(store.endings().opened(), store.endings().committed());
    report
}

#[tokio::test]
async fn messages_are_sent_one_by_one_outside_any_unit_of_work_and_then_deleted() {
    let fresh = |number| claiming(Some(message(number, 1, TimeDelta::zero())));
    let units = vec![fresh(1), deleting(1), fresh(2), deleting(2), claiming(None)];
    let store = Arc::new(PreparedUnitsOfWork::new(units));
    let mailer = Arc::new(RecordingMailer { sent: Mutex::new(0), endings: store.endings() });
    let deliver = delivery(&store, Arc::<RecordingMailer>::clone(&mailer), Arc::new(opening()));
    let report = deliver.run(10).await.unwrap();
    assert_eq!(report, DeliveryReport { sent: 2, ..DeliveryReport::default() });
    assert_eq!((report.handled(), *mailer.sent.lock().unwrap()), (2, 2));
    assert_eq!(store.endings().committed(), 5);
}

#[tokio::test]
async fn no_more_than_the_limit_are_claimed() {
    let store =
        Arc::new(PreparedUnitsOfWork::new([claiming(Some(message(1, 1, TimeDelta::zero()))), deleting(1)]));
    let mailer = Arc::new(RecordingMailer { sent: Mutex::new(0), endings: store.endings() });
    let deliver = delivery(&store, mailer, Arc::new(opening()));
    assert_eq!(deliver.run(1).await.unwrap().sent, 1);
    assert_eq!(deliver.run(0).await.unwrap(), DeliveryReport::default());
    assert_eq!(store.endings().opened(), 2);
}

#[tokio::test]
async fn temporary_failures_are_retried_with_exponential_backoff_up_to_an_hour() {
    for (attempts, minutes) in [(1, 1), (2, 2), (3, 4), (6, 32), (7, 60), (8, 60), (u32::MAX, 60)] {
        let units = vec![
            claiming(Some(message(1, attempts, TimeDelta::hours(23)))),
            postponing(1, noon() + TimeDelta::minutes(minutes)),
        ];
        let report = deliver(units, failing(|| MailError::Unavailable(None)), opening()).await;
        assert_eq!(report, DeliveryReport { postponed: 1, ..DeliveryReport::default() }, "{attempts}");
    }
}

#[tokio::test]
async fn permanently_rejected_messages_are_abandoned() {
    let units = vec![claiming(Some(message(1, 1, TimeDelta::zero()))), deleting(1)];
    let report = deliver(units, failing(|| MailError::Refused), opening()).await;
    assert_eq!(report, DeliveryReport { given_up: 1, ..DeliveryReport::default() });
}

#[tokio::test]
async fn a_day_old_message_is_abandoned_without_being_decrypted_or_sent() {
    let units = vec![claiming(Some(message(1, 30, TimeDelta::days(1)))), deleting(1)];
    let report = deliver(units, MockMailer::new(), MockMailSealer::new()).await;
    assert_eq!(report, DeliveryReport { given_up: 1, ..DeliveryReport::default() });
}

#[tokio::test]
async fn a_message_sealed_with_another_key_waits_for_that_key() {
    let sealer = opening_as(|| Err(MailSealError));
    let units =
        vec![claiming(Some(message(1, 1, TimeDelta::zero()))), postponing(1, noon() + TimeDelta::minutes(1))];
    let report = deliver(units, MockMailer::new(), sealer).await;
    assert_eq!(report, DeliveryReport { postponed: 1, ..DeliveryReport::default() });
}

#[tokio::test]
async fn a_store_that_is_away_stops_the_run() {
    let store = Arc::new(PreparedUnitsOfWork::new([]));
    let deliver = delivery(&store, Arc::new(MockMailer::new()), Arc::new(MockMailSealer::new()));
    assert!(matches!(deliver.run(10).await, Err(StorageError::Unavailable)));
}
