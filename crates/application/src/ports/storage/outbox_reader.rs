//! How much mail waits.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
#[cfg(feature = "test-support")]
use mockall::automock;

/// What waits in the outbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MailBacklog {
    /// How many messages are neither sent nor given up, those that are being sent included.
    pub messages: u64,
    /// When the oldest of them was queued; nothing when there is none.
    pub oldest_queued_at: Option<DateTime<Utc>>,
}

/// Tells how much mail waits, for the monitoring.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait OutboxReader: Send + Sync {
    /// Counts the messages that wait; only what is committed counts.
    async fn backlog(&self) -> Result<MailBacklog, StorageError>;
}
