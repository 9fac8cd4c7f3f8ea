//! Instants in whole milliseconds.

use chrono::{DateTime, Utc};

/// The first instant after the year 9999, in milliseconds since the Unix epoch: four digits hold no more.
pub(super) const YEAR_10000_MILLIS: i64 = 253_402_300_800_000;

/// Cuts an instant to whole milliseconds, towards the past.
pub(super) fn whole_millis(instant: DateTime<Utc>) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(instant.timestamp_millis()).unwrap_or(instant)
}
