//! Size of the email outbox.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
#[cfg(feature = "test-support")]
use mockall::automock;

/// Backlog of the outbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MailBacklog {
    /// Messages neither sent nor given up, including those in flight.
    pub messages: u64,
    /// Queue time of the oldest message; `None` if there is none.
    pub oldest_queued_at: Option<DateTime<Utc>>,
}

/// Reads the outbox backlog for monitoring.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait OutboxReader: Send + Sync {
    /// Returns the committed backlog.
    async fn backlog(&self) -> Result<MailBacklog, StorageError>;
}
