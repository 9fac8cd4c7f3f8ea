//! Sends queued messages.

use crate::ports::storage::{QueuedMessage, StorageError};
use crate::ports::system::{MailError, MailSealer, Mailer};
use crate::store::{Store, transact};
use chrono::{DateTime, TimeDelta, Utc};
use std::sync::Arc;

/// Lease of a claimed message in seconds. Sending one must take less; after a crash another process claims it
/// again.
pub const LEASE_SECONDS: i64 = 300;

/// Maximum age of a message in seconds: any link in it has expired by then, or can be requested again.
pub const MAX_AGE_SECONDS: i64 = 86_400;

/// Maximum pause between two attempts, in minutes.
const LONGEST_PAUSE_MINUTES: i64 = 60;

/// Result of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeliveryReport {
    /// Messages accepted by the mail server.
    pub sent: u32,
    /// Messages that will be retried.
    pub postponed: u32,
    /// Messages deleted unsent: permanently rejected, or too old.
    pub given_up: u32,
}

impl DeliveryReport {
    /// Returns the number of messages handled; if it equals the limit, more may be queued.
    pub const fn handled(self) -> u32 {
        self.sent.saturating_add(self.postponed).saturating_add(self.given_up)
    }
}

/// Sends the messages of the outbox. Each is sent at least once, and exactly once unless a process crashes.
pub struct DeliverMail {
    /// The store.
    pub store: Store,
    /// Sends messages.
    pub mailer: Arc<dyn Mailer>,
    /// Decrypts messages.
    pub sealer: Arc<dyn MailSealer>,
}

enum Outcome {
    Sent,
    Postponed { due_at: DateTime<Utc> },
    GivenUp,
}

impl DeliverMail {
    /// Sends at most `limit` due messages, one after the other. May run in several processes concurrently.
    pub async fn run(&self, limit: u32) -> Result<DeliveryReport, StorageError> {
        let mut report = DeliveryReport::default();
        while report.handled() < limit {
            // Claimed one at a time, so that slow messages do not use up the lease of later ones.
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
        let now = self.store.now();
        let lease_ends_at = now + TimeDelta::seconds(LEASE_SECONDS);
        let claimed = transact!(self.store, |tx| { tx.outbox().claim(now, lease_ends_at, 1).await }).await?;
        Ok(claimed.into_iter().next())
    }

    /// Sends a message outside of any unit of work. The log must not contain addresses or texts, so it does
    /// not contain the mail server's response either.
    async fn deliver(&self, message: &QueuedMessage) -> Outcome {
        let (outcome, trouble) = self.attempt(message).await;
        if let Some(trouble) = trouble {
            tracing::warn!(message_id = %message.id, attempts = message.attempts, trouble, "a message was not sent");
        }
        outcome
    }

    /// Returns the outcome of an attempt, and the error.
    async fn attempt(&self, message: &QueuedMessage) -> (Outcome, Option<&'static str>) {
        let now = self.store.now();
        if now - message.queued_at >= TimeDelta::seconds(MAX_AGE_SECONDS) {
            return (Outcome::GivenUp, Some("it is older than a day, so delivery was abandoned"));
        }
        let Ok(mail) = self.sealer.open(message.id, &message.sealed) else {
            // Retried, because this replica may have been started with a wrong key.
            let trouble = "it cannot be decrypted with keys.encryption_key; trying again later";
            return (postponed(message, now), Some(trouble));
        };
        match self.mailer.send(&mail).await {
            Ok(()) => (Outcome::Sent, None),
            Err(MailError::Refused) => (Outcome::GivenUp, Some("the mail server permanently rejected it")),
            Err(MailError::Unavailable(_)) => {
                let trouble = "the mail server did not accept it; trying again later";
                (postponed(message, self.store.now()), Some(trouble))
            }
        }
    }

    async fn settle(&self, message: &QueuedMessage, outcome: &Outcome) -> Result<(), StorageError> {
        transact!(self.store, |tx| {
            match outcome {
                Outcome::Sent | Outcome::GivenUp => {
                    tx.outbox().delete(message.id).await?;
                }
                Outcome::Postponed { due_at } => tx.outbox().postpone(message.id, *due_at).await?,
            }
            Ok(())
        })
        .await
    }
}

/// Returns the pause after an attempt: 1, 2, 4 and so on minutes, at most an hour.
fn postponed(message: &QueuedMessage, now: DateTime<Utc>) -> Outcome {
    let doublings = message.attempts.saturating_sub(1).min(6);
    let minutes = (1_i64 << doublings).min(LONGEST_PAUSE_MINUTES);
    Outcome::Postponed { due_at: now + TimeDelta::minutes(minutes) }
}
