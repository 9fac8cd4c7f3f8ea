//! Pages of supplements, and which of them to read.

use chrono::{DateTime, Utc};
use domain::id::{IntakeLogId, SupplementId, UserId};
use domain::paging::PageRequest;
use domain::supplement::Supplement;
use std::sync::Arc;

/// Which supplements are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SupplementPageQuery {
    /// Whose intake.
    pub user_id: UserId,
    /// Only logs at or after this moment; a supplement without one is not in the result.
    pub start: Option<DateTime<Utc>>,
    /// Only this supplement.
    pub supplement_id: Option<SupplementId>,
    /// Which page; records sort by their first log in the direction asked for, ties by id in that direction.
    pub page: PageRequest,
}

/// One log as a page needs it: 32 bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntakeLogRow {
    /// The log's id.
    pub id: IntakeLogId,
    /// When it was taken, in microseconds since 1970-01-01 UTC.
    pub created_at_micros: i64,
    /// How many servings.
    pub servings: f64,
}

/// A supplement with the logs in the range.
#[derive(Debug, Clone, PartialEq)]
pub struct SupplementRecord {
    /// The supplement; one label is on many people's pages.
    pub supplement: Arc<Supplement>,
    /// Its logs, at least one, sorted by time in the direction asked for, ties by id in that direction.
    pub logs: Vec<IntakeLogRow>,
}

/// A page of supplements.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SupplementPage {
    /// The records, in the order asked for, at most the page's size.
    pub records: Vec<SupplementRecord>,
    /// Whether a further page exists.
    pub has_more: bool,
}
