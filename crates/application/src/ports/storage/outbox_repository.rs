//! Messages that wait to be sent.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::id::MessageId;
#[cfg(feature = "test-support")]
use mockall::automock;

/// A message as the store holds it: sealed, because it may carry a one-time link (security.md T56).
#[derive(Clone, PartialEq, Eq)]
pub struct QueuedMessage {
    /// Its id.
    pub id: MessageId,
    /// Recipient, subject and text, sealed under the operator's key and bound to the id.
    pub sealed: Vec<u8>,
    /// When it was queued.
    pub queued_at: DateTime<Utc>,
    /// From when on it may be tried.
    pub due_at: DateTime<Utc>,
    /// How often it was handed out for sending.
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

/// Keeps messages until they are sent.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait OutboxRepository: Send {
    /// Queues a message, in the transaction of what it tells about.
    async fn insert(&mut self, message: &QueuedMessage) -> Result<(), StorageError>;
    /// Hands out messages that are due at `now`, the longest due first, at most `limit`; each is due again at
    /// `again_at` and has one attempt more. Of many racing calls, over many processes, each message goes to one.
    async fn claim(
        &mut self,
        now: DateTime<Utc>,
        again_at: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<QueuedMessage>, StorageError>;
    /// Sets when a message is due again; nothing happens when it does not exist.
    async fn postpone(&mut self, id: MessageId, due_at: DateTime<Utc>) -> Result<(), StorageError>;
    /// Deletes a message that was sent or given up; returns whether it existed.
    async fn delete(&mut self, id: MessageId) -> Result<bool, StorageError>;
    /// Deletes messages that were queued before this moment, at most `limit`; returns how many. They are left where
    /// nobody sends mail any more.
    async fn delete_queued_before(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
}
