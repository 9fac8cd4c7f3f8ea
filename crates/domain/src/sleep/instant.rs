//! Instants in whole milliseconds.

use chrono::{DateTime, Utc};

/// First instant after the year 9999 in milliseconds since the Unix epoch, the limit of four-digit years.
pub(super) const YEAR_10000_MILLIS: i64 = 253_402_300_800_000;

/// Truncates an instant to whole milliseconds, towards the past.
pub(super) fn whole_millis(instant: DateTime<Utc>) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(instant.timestamp_millis()).unwrap_or(instant)
}
