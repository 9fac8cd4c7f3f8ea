//! Sends the messages that wait.

use crate::ports::storage::{QueuedMessage, StorageError, UnitOfWorkFactory};
use crate::ports::system::{Clock, MailError, MailSealer, Mailer};
use chrono::{DateTime, TimeDelta, Utc};
use std::sync::Arc;

/// How long a message belongs to whoever claimed it, in seconds. Handing one over must take less; a process that
/// dies meanwhile leaves it to the next after this time.
pub const LEASE_SECONDS: i64 = 300;

/// How long a message is tried at most, in seconds: every link that one may carry has either ended by then or can
/// be asked for again.
pub const GIVE_UP_SECONDS: i64 = 86_400;

/// The longest pause between two attempts, in minutes.
const LONGEST_PAUSE_MINUTES: i64 = 60;

/// What one run did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeliveryReport {
    /// Messages that the mail server took.
    pub sent: u32,
    /// Messages that will be tried again.
    pub postponed: u32,
    /// Messages that were deleted unsent: refused for good, or too old.
    pub given_up: u32,
}

impl DeliveryReport {
    /// Returns how many messages were handled; as many as the limit means that more may wait.
    pub const fn handled(self) -> u32 {
        self.sent.saturating_add(self.postponed).saturating_add(self.given_up)
    }
}

/// Sends what waits in the outbox, each message at least once and, unless a process dies in between, exactly once.
pub struct DeliverMail {
    units: Arc<dyn UnitOfWorkFactory>,
    mailer: Arc<dyn Mailer>,
    sealer: Arc<dyn MailSealer>,
    clock: Arc<dyn Clock>,
}

enum Outcome {
    Sent,
    Postponed { due_at: DateTime<Utc> },
    GivenUp,
}

impl DeliverMail {
    /// Creates the use case.
    pub fn new(
        units: Arc<dyn UnitOfWorkFactory>,
        mailer: Arc<dyn Mailer>,
        sealer: Arc<dyn MailSealer>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { units, mailer, sealer, clock }
    }

    /// Sends messages that are due, one after the other, at most `limit`. Several processes may run it at once.
    pub async fn run(&self, limit: u32) -> Result<DeliveryReport, StorageError> {
        let mut report = DeliveryReport::default();
        while report.handled() < limit {
            // One at a time, so that no lease runs out while the messages before it are slow.
            let Some(message) = self.claim().await? else { break };
            let outcome = self.deliver(&message).await;
            self.settle(&message, &outcome).await?;
            let counter = match outcome {
                Outcome::Sent => &mut report.sent,
                Outcome::Postponed { .. } => &mut report.postponed,
                Outcome::GivenUp => &mut report.given_up,
            };
            *counter = counter.saturating_add(1);
        }
        Ok(report)
    }

    async fn claim(&self) -> Result<Option<QueuedMessage>, StorageError> {
        let now = self.clock.now();
        let mut unit = self.units.begin().await?;
        let claimed = unit.outbox().claim(now, now + TimeDelta::seconds(LEASE_SECONDS), 1).await?;
        unit.commit().await?;
        Ok(claimed.into_iter().next())
    }

    /// Hands a message over, outside any unit of work. No line of the log holds an address or a text, so what the
    /// mail server said is not among them either.
    async fn deliver(&self, message: &QueuedMessage) -> Outcome {
        let (outcome, trouble) = self.attempt(message).await;
        if let Some(trouble) = trouble {
            tracing::warn!(message_id = %message.id, attempts = message.attempts, trouble, "a message was not sent");
        }
        outcome
    }

    /// Returns what came of an attempt, and what was in its way.
    async fn attempt(&self, message: &QueuedMessage) -> (Outcome, Option<&'static str>) {
        let now = self.clock.now();
        if now - message.queued_at >= TimeDelta::seconds(GIVE_UP_SECONDS) {
            return (Outcome::GivenUp, Some("it waited too long and is given up"));
        }
        let Ok(mail) = self.sealer.open(message.id, &message.sealed) else {
            // The right key may come back: another replica may have been started with a wrong one.
            let trouble = "it does not open with keys.encryption_key; trying again later";
            return (postponed(message, now), Some(trouble));
        };
        match self.mailer.send(&mail).await {
            Ok(()) => (Outcome::Sent, None),
            Err(MailError::Refused) => (Outcome::GivenUp, Some("the mail server refused it for good")),
            Err(MailError::Unavailable(_)) => {
                let trouble = "the mail server did not take it; trying again later";
                (postponed(message, self.clock.now()), Some(trouble))
            }
        }
    }

    async fn settle(&self, message: &QueuedMessage, outcome: &Outcome) -> Result<(), StorageError> {
        let mut unit = self.units.begin().await?;
        match outcome {
            Outcome::Sent | Outcome::GivenUp => {
                unit.outbox().delete(message.id).await?;
            }
            Outcome::Postponed { due_at } => unit.outbox().postpone(message.id, *due_at).await?,
        }
        unit.commit().await
    }
}

/// Waits 1, 2, 4 and so on minutes after each attempt, at most an hour.
fn postponed(message: &QueuedMessage, now: DateTime<Utc>) -> Outcome {
    let doublings = message.attempts.saturating_sub(1).min(6);
    let minutes = (1_i64 << doublings).min(LONGEST_PAUSE_MINUTES);
    Outcome::Postponed { due_at: now + TimeDelta::minutes(minutes) }
}
