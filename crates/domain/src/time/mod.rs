//! Time zones, UTC offsets, date parameters, and the formatting of instants.
//!
//! An instant is always a `chrono::DateTime<Utc>`. A local time exists only between a request or file and the
//! zone that converts it to an instant.

mod current_zones;
mod date_parameter;
mod date_range;
mod digits;
pub mod format;
mod time_zone;
mod utc_offset;

pub use date_parameter::{Bound, DateParameter, InvalidDateParameter};
pub use date_range::{DateRange, StartAfterEnd};
pub use format::{LocalDay, TimestampWriter};
pub use time_zone::{Fold, TimeZone, UnknownTimeZone};
pub use utc_offset::{InvalidUtcOffset, UtcOffset};

use chrono::{DateTime, TimeDelta, Utc};

/// How far a recorded time may be after the present.
const MAX_AHEAD: TimeDelta = TimeDelta::days(1);

/// Returns whether a recorded time is in the future. A day is tolerated, because the time may have been read
/// in another zone.
pub fn is_in_the_future(at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    at.signed_duration_since(now) > MAX_AHEAD
}

/// First instant after the year 9999 in milliseconds since the Unix epoch, the limit of four-digit years.
pub(crate) const YEAR_10000_MILLIS: i64 = 253_402_300_800_000;

/// Truncates an instant to whole milliseconds, towards the past.
pub(crate) fn whole_millis(instant: DateTime<Utc>) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(instant.timestamp_millis()).unwrap_or(instant)
}
