//! What changed of a person's records, read outside a transaction.

use super::{IntakeLogRow, PackedSleepRow, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::change::{ChangeKind, ChangePosition};
use domain::id::UserId;
use domain::supplement::Supplement;
use domain::user::User;
#[cfg(feature = "test-support")]
use mockall::automock;
use std::sync::Arc;

/// Which changes are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangePageQuery {
    /// Whose.
    pub user_id: UserId,
    /// Those after this position; from the beginning without one.
    pub after: Option<ChangePosition>,
    /// Only of these kinds; none gives an empty page.
    pub kinds: Vec<ChangeKind>,
    /// At most so many.
    pub limit: u32,
}

/// What became of a record.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// The profile as it is now.
    Profile(Box<User>),
    /// A session as it is now, with stages and metrics.
    Session(Box<PackedSleepRow>),
    /// An intake log as it is now, with its supplement.
    Log {
        /// The version that the log points at.
        supplement: Arc<Supplement>,
        /// The log.
        log: IntakeLogRow,
    },
    /// The record is gone.
    Deleted,
}

/// A page of changes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChangePage {
    /// Ascending by position; of each record only its last change.
    pub changes: Vec<(ChangePosition, Change)>,
    /// Whether further changes exist.
    pub has_more: bool,
    /// Whether the position that was asked for has a number that the person's changes have not reached yet. Only a
    /// store that was put back to an earlier state says so; the page is empty then.
    pub is_ahead: bool,
}

/// Answers what changed.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait ChangeReader: Send + Sync {
    /// Returns one page.
    ///
    /// A change that was committed MUST be on the page when its position lies in it, and none may appear later at
    /// or before the last position of a page that was returned. The cost grows with the page.
    /// A copy of the store that lags behind MUST NOT say that a position is ahead: the store that is written to says.
    async fn changes(&self, query: ChangePageQuery) -> Result<ChangePage, StorageError>;
    /// Forgets at most `limit` deletions that happened before this moment; returns how many.
    async fn forget_deletions(&self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
}
