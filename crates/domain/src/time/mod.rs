//! Time: zones, offsets from UTC, the dates of a request, and how instants are printed.
//!
//! An instant is a `chrono::DateTime<Utc>` everywhere. A local time exists only between a request or a file
//! and the zone that turns it into an instant.

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
