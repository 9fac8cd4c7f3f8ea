//! Counts of clients' requests, for their developers (ADR 71).

mod flush_usage;
mod usage_recorder;

pub use flush_usage::*;
pub use usage_recorder::*;

use chrono::{DateTime, Days, NaiveDate, Utc};

/// Number of days whose usage is kept and shown, the current one included.
pub const USAGE_DAYS: u8 = 14;

/// Returns the first day whose usage is kept and shown at this time.
pub fn first_usage_day(now: DateTime<Utc>) -> NaiveDate {
    let today = now.date_naive();
    today.checked_sub_days(Days::new(u64::from(USAGE_DAYS) - 1)).unwrap_or(today)
}

#[cfg(test)]
mod tests;
