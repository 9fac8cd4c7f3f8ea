//! Pages of sleep sessions, and which of them to read.

use crate::StorageError;
use domain::id::{SleepSessionId, UserId};
use domain::paging::PageRequest;
use domain::time::{DateRange, UtcOffset};

/// Which sessions are asked for, and how much of each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SleepPageQuery {
    /// Owner's id.
    pub user_id: UserId,
    /// Those whose time in bed starts in this range, both ends inclusive.
    pub range: DateRange,
    /// Which page, sorted by start of time in bed, ties by id, both in the direction asked for.
    pub page: PageRequest,
    /// Whether the packed stages are wanted.
    pub with_stages: bool,
    /// Whether the packed metrics are wanted.
    pub with_metrics: bool,
}

/// One session as it is stored: about 320 bytes with stages and metrics. See `domain::sleep::packed`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedSleepRow {
    /// The session's id.
    pub id: SleepSessionId,
    /// Start of time in bed, in milliseconds since 1970-01-01 UTC.
    pub started_at_millis: i64,
    /// End of time in bed, likewise.
    pub ended_at_millis: i64,
    /// The offset in force at the start, when known.
    pub offset_at_start: Option<UtcOffset>,
    /// The offset in force at the end, when known.
    pub offset_at_end: Option<UtcOffset>,
    /// What recorded it.
    pub source: Option<Box<str>>,
    /// Whether it is a nap, when known.
    pub is_nap: Option<bool>,
    /// When the session last changed, in milliseconds since 1970-01-01 UTC.
    pub updated_at_millis: i64,
    /// Packed stages; empty when there are none or none were asked for.
    pub stages: Box<[u8]>,
    /// Packed metrics; empty when none were asked for.
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
    /// The rows, in the order asked for, at most the page's size.
    pub rows: Vec<PackedSleepRow>,
    /// Whether a further page exists.
    pub has_more: bool,
}

impl PackedSleepRow {
    /// Returns the error for a part that cannot be decoded.
    pub fn corrupt(&self, part: PackedPart) -> StorageError {
        let column = match part {
            PackedPart::Stages => "stages",
            PackedPart::Metrics => "metrics",
        };
        StorageError::Corrupt { table: "sleep_session", column, row: self.id.to_string() }
    }
}
