//! Pages of changes.

use super::sleep_page::PackedSleepRow;
use super::supplement_page::IntakeLogRow;
use domain::change::ChangePosition;
use domain::data_kind::DataKind;
use domain::id::UserId;
use domain::supplement::Supplement;
use domain::user::User;
use std::sync::Arc;

/// Query for a page of changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangePageQuery {
    /// Owner's id.
    pub user_id: UserId,
    /// Position to continue after; from the beginning if `None`.
    pub after: Option<ChangePosition>,
    /// Kinds to include; none returns an empty page.
    pub kinds: Vec<DataKind>,
    /// Maximum number of items.
    pub limit: u32,
}

/// Current state of a changed record.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// The current profile.
    Profile(Box<User>),
    /// The current session, with stages and metrics.
    Session(Box<PackedSleepRow>),
    /// The current intake log, with its supplement.
    Log {
        /// Supplement version that the log refers to.
        supplement: Arc<Supplement>,
        /// The log.
        log: IntakeLogRow,
    },
    /// The record was deleted.
    Deleted,
}

/// A page of changes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChangePage {
    /// Ascending by position; only the latest change of each record.
    pub changes: Vec<(ChangePosition, Change)>,
    /// Whether further changes exist.
    pub has_more: bool,
    /// Whether the requested position is beyond the user's latest change. This happens only after the store
    /// was restored from a backup; the page is empty then.
    pub is_ahead: bool,
}
