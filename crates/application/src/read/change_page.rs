//! Pages of changes, and which of them to read.

use super::sleep_page::PackedSleepRow;
use super::supplement_page::IntakeLogRow;
use domain::change::{ChangeKind, ChangePosition};
use domain::id::UserId;
use domain::supplement::Supplement;
use domain::user::User;
use std::sync::Arc;

/// Which changes are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangePageQuery {
    /// Owner's id.
    pub user_id: UserId,
    /// Those after this position; from the beginning without one.
    pub after: Option<ChangePosition>,
    /// Only of these kinds; none gives an empty page.
    pub kinds: Vec<ChangeKind>,
    /// Maximum number of items.
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
