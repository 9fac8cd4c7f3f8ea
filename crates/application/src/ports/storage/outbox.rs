//! Outbox of messages to send.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::id::MessageId;
#[cfg(feature = "test-support")]
use mockall::automock;

/// A stored message; encrypted, because it may contain a one-time link (security.md T56).
#[derive(Clone, PartialEq, Eq)]
pub struct QueuedMessage {
    /// Id of the message.
    pub id: MessageId,
    /// Recipient, subject and text, encrypted with the operator's key and bound to the id.
    pub sealed: Vec<u8>,
    /// Time of queueing.
    pub queued_at: DateTime<Utc>,
    /// Time from which it may be sent.
    pub due_at: DateTime<Utc>,
    /// Number of send attempts.
    pub attempts: u32,
}

impl std::fmt::Debug for QueuedMessage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { id, sealed: _, queued_at, due_at, attempts } = self;
        let mut shown = f.debug_struct("QueuedMessage");
        shown.field("id", id).field("queued_at", queued_at).field("due_at", due_at);
        shown.field("attempts", attempts).finish_non_exhaustive()
    }
}

/// Stores messages until they are sent.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait OutboxRepository: Send {
    /// Queues a message, in the transaction of the change that it reports.
    async fn insert(&mut self, message: &QueuedMessage) -> Result<(), StorageError>;
    /// Claims at most `limit` messages due at `now`, longest due first. Each becomes due again at `again_at`,
    /// and its attempts are incremented. Concurrent calls, also of other processes, never get the same
    /// message.
    async fn claim(
        &mut self,
        now: DateTime<Utc>,
        again_at: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<QueuedMessage>, StorageError>;
    /// Sets the time at which a message is due again; does nothing if it does not exist.
    async fn postpone(&mut self, id: MessageId, due_at: DateTime<Utc>) -> Result<(), StorageError>;
    /// Deletes a sent or abandoned message; returns whether it existed.
    async fn delete(&mut self, id: MessageId) -> Result<bool, StorageError>;
    /// Deletes at most `limit` messages queued before this time, left over where no email is sent any more;
    /// returns their number.
    async fn delete_queued_before(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
}

/// Backlog of the outbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MailBacklog {
    /// Messages neither sent nor given up, including those in flight.
    pub messages: u64,
    /// Queue time of the oldest message; `None` if there is none.
    pub oldest_queued_at: Option<DateTime<Utc>>,
}

/// Reads the outbox backlog for monitoring.
#[async_trait]
pub trait OutboxReader: Send + Sync {
    /// Returns the committed backlog.
    async fn backlog(&self) -> Result<MailBacklog, StorageError>;
}
