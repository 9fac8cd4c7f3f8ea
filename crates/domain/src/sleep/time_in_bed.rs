//! Time in bed of a session.

use super::waking_date;
use crate::time::{TimeZone, UtcOffset, YEAR_10000_MILLIS, is_in_the_future, whole_millis};
use chrono::{DateTime, NaiveDate, Utc};

const MILLIS_PER_MINUTE: i64 = 60_000;

/// Why two instants are not a valid time in bed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidTimeInBed {
    /// The end is not after the start, both truncated to milliseconds.
    #[error("the end is not after the start")]
    NotAfterStart,
    /// The interval is longer than [`TimeInBed::MAX_MILLIS`].
    #[error("longer than seven days")]
    TooLong,
    /// An instant is outside the years 1970 to 9999, in UTC or in its offset.
    #[error("outside the years 1970 to 9999")]
    YearOutOfRange,
}

/// Interval from going to bed to getting up, with the UTC offsets in force at both ends, if known.
///
/// Both instants are whole milliseconds, the end is after the start, the length is at most seven days
/// (anything longer is an error), and every local form has a four-digit year. The start and the stages are
/// printed with the offset at the start, the end with the offset at the end (decisions 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeInBed {
    start: DateTime<Utc>,
    end: DateTime<Utc>,
    offset_at_start: Option<UtcOffset>,
    offset_at_end: Option<UtcOffset>,
}

impl TimeInBed {
    /// Maximum length in milliseconds: seven days.
    pub const MAX_MILLIS: i64 = 7 * 24 * 60 * MILLIS_PER_MINUTE;

    /// Creates a time in bed from two instants, truncated to milliseconds.
    pub fn new(
        start: DateTime<Utc>,
        end: DateTime<Utc>,
        offset_at_start: Option<UtcOffset>,
        offset_at_end: Option<UtcOffset>,
    ) -> Result<Self, InvalidTimeInBed> {
        let (start, end) = (whole_millis(start), whole_millis(end));
        if end <= start {
            return Err(InvalidTimeInBed::NotAfterStart);
        }
        let frame = Self { start, end, offset_at_start, offset_at_end };
        if frame.start_millis() < 0 || frame.latest_local_millis() >= YEAR_10000_MILLIS {
            return Err(InvalidTimeInBed::YearOutOfRange);
        }
        if frame.millis() > Self::MAX_MILLIS {
            return Err(InvalidTimeInBed::TooLong);
        }
        Ok(frame)
    }

    /// Returns whether the night ends in the future, as recorded by a clock that was wrong.
    pub fn is_in_the_future(&self, now: DateTime<Utc>) -> bool {
        is_in_the_future(self.end, now)
    }

    /// Returns the latest local time of the end among the offsets of this session.
    fn latest_local_millis(&self) -> i64 {
        let ahead = |offset: Option<UtcOffset>| {
            offset.map_or(0, |offset| i64::from(offset.minutes()).saturating_mul(MILLIS_PER_MINUTE))
        };
        let furthest = ahead(self.offset_at_start).max(ahead(self.offset_at_end)).max(0);
        self.end_millis().saturating_add(furthest)
    }

    /// Returns the start.
    pub const fn start(&self) -> DateTime<Utc> {
        self.start
    }

    /// Returns the end, which is after the start.
    pub const fn end(&self) -> DateTime<Utc> {
        self.end
    }

    /// Returns the UTC offset at the start, if known.
    pub const fn offset_at_start(&self) -> Option<UtcOffset> {
        self.offset_at_start
    }

    /// Returns the UTC offset at the end, if known.
    pub const fn offset_at_end(&self) -> Option<UtcOffset> {
        self.offset_at_end
    }

    /// Returns the start in milliseconds since the Unix epoch.
    pub const fn start_millis(&self) -> i64 {
        self.start.timestamp_millis()
    }

    /// Returns the end in milliseconds since the Unix epoch.
    pub const fn end_millis(&self) -> i64 {
        self.end.timestamp_millis()
    }

    /// Returns the [date of waking up](waking_date).
    pub fn waking_date(&self, zone: TimeZone) -> NaiveDate {
        waking_date(self.end_millis(), self.offset_at_end, zone)
    }

    /// Returns the length in milliseconds, 1 to [`Self::MAX_MILLIS`].
    pub const fn millis(&self) -> i64 {
        self.end_millis().saturating_sub(self.start_millis())
    }

    /// Returns whether both intervals overlap; touching is not overlapping.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Returns whether this interval contains at least half of another one.
    pub fn covers_half_of(&self, other: &Self) -> bool {
        let end = self.end_millis().min(other.end_millis());
        let shared = end.saturating_sub(self.start_millis().max(other.start_millis()));
        shared.saturating_mul(2) >= other.millis()
    }

    /// Returns whether two intervals share at least half of the longer one.
    pub fn shares_half_of_longer(&self, other: &Self) -> bool {
        self.covers_half_of(other) && other.covers_half_of(self)
    }

    /// Returns start and end in minutes since the Unix epoch.
    pub const fn minutes(&self) -> (i64, i64) {
        (self.start_millis() / MILLIS_PER_MINUTE, self.end_millis() / MILLIS_PER_MINUTE)
    }

    /// Returns whether start and end are in the same minutes.
    pub const fn same_to_the_minute(&self, other: &Self) -> bool {
        let (one, two) = (self.minutes(), other.minutes());
        one.0 == two.0 && one.1 == two.1
    }
}

#[cfg(test)]
mod tests;
