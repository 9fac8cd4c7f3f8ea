//! Pages of sleep sessions.

use chrono::NaiveDate;
use domain::id::{SleepSessionId, UserId};
use domain::paging::PageRequest;
use domain::sleep::waking_date;
use domain::time::{DateRange, TimeZone, UtcOffset};

/// Query for a page of sleep sessions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SleepPageQuery {
    /// Owner's id.
    pub user_id: UserId,
    /// Range of the start of time in bed, both ends inclusive.
    pub range: DateRange,
    /// Page, sorted by start of time in bed, then by id, both in the requested direction.
    pub page: PageRequest,
    /// Whether to return the packed stages.
    pub with_stages: bool,
    /// Whether to return the packed metrics.
    pub with_metrics: bool,
}

/// A session as stored: about 320 bytes with stages and metrics. See `domain::sleep::packed`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedSleepRow {
    /// Id of the session.
    pub id: SleepSessionId,
    /// Start of time in bed, in milliseconds since 1970-01-01 UTC.
    pub started_at_millis: i64,
    /// End of time in bed, in the same unit.
    pub ended_at_millis: i64,
    /// UTC offset at the start, if known.
    pub offset_at_start: Option<UtcOffset>,
    /// UTC offset at the end, if known.
    pub offset_at_end: Option<UtcOffset>,
    /// Recording device or app.
    pub source: Option<Box<str>>,
    /// Whether it is a nap, if known.
    pub is_nap: Option<bool>,
    /// Time of the last change, in milliseconds since 1970-01-01 UTC.
    pub updated_at_millis: i64,
    /// Packed stages; empty if there are none or they were not requested.
    pub stages: Box<[u8]>,
    /// Packed metrics; empty if not requested.
    pub metrics: Box<[u8]>,
}

/// Packed part of a [`PackedSleepRow`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PackedPart {
    /// The stages.
    Stages,
    /// The metrics.
    Metrics,
}

/// A page of packed rows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SleepPage {
    /// Rows in the requested order, at most one page.
    pub rows: Vec<PackedSleepRow>,
    /// Whether a further page exists.
    pub has_more: bool,
}

impl PackedSleepRow {
    /// Returns the [date of waking up](waking_date).
    pub fn waking_date(&self, zone: TimeZone) -> NaiveDate {
        waking_date(self.ended_at_millis, self.offset_at_end, zone)
    }
}
