//! Pages of supplement intake.

use chrono::{DateTime, Utc};
use domain::id::{IntakeLogId, SupplementId, UserId};
use domain::paging::PageRequest;
use domain::supplement::Supplement;
use std::sync::Arc;

/// Query for a page of supplement intake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SupplementPageQuery {
    /// Owner's id.
    pub user_id: UserId,
    /// Earliest time of a log.
    pub start: Option<DateTime<Utc>>,
    /// Latest time of a log. Supplements without a log in the range are left out.
    pub end: Option<DateTime<Utc>>,
    /// Returns only this supplement, if set.
    pub supplement_id: Option<SupplementId>,
    /// Page; records are sorted by their first log, then by id, both in the requested direction.
    pub page: PageRequest,
}

/// An intake log as a page needs it: 32 bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntakeLogRow {
    /// Id of the log.
    pub id: IntakeLogId,
    /// Time of intake, in microseconds since 1970-01-01 UTC.
    pub created_at_micros: i64,
    /// Number of servings.
    pub servings: f64,
}

/// A supplement with its logs in the range.
#[derive(Debug, Clone, PartialEq)]
pub struct SupplementRecord {
    /// The supplement; shared, because many users' pages contain the same label.
    pub supplement: Arc<Supplement>,
    /// At least one log, sorted by time, then by id, both in the requested direction.
    pub logs: Vec<IntakeLogRow>,
}

/// A page of supplements.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SupplementPage {
    /// Records in the requested order, at most one page.
    pub records: Vec<SupplementRecord>,
    /// Whether a further page exists.
    pub has_more: bool,
}
