//! Time zones, UTC offsets, date parameters, and the formatting of instants.
//!
//! An instant is always a `chrono::DateTime<Utc>`. A local time exists only between a request or file and the
//! zone that converts it to an instant.

mod current_zones;
mod date_parameter;
mod date_range;
mod digits;
pub mod format;
mod future;
mod time_zone;
mod utc_offset;

pub use date_parameter::{Bound, DateParameter, InvalidDateParameter};
pub use date_range::{DateRange, StartAfterEnd};
pub use format::{LocalDay, TimestampWriter};
pub use future::is_in_the_future;
pub use time_zone::{Fold, TimeZone, UnknownTimeZone};
pub use utc_offset::{InvalidUtcOffset, UtcOffset};
