//! The time in bed, which frames a session.

use super::instant::{YEAR_10000_MILLIS, whole_millis};
use crate::time::UtcOffset;
use chrono::{DateTime, Utc};

const MILLIS_PER_MINUTE: i64 = 60_000;

/// Says why two instants frame no time in bed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidTimeInBed {
    /// The end is not after the start, both cut to milliseconds.
    #[error("the end is not after the start")]
    NotAfterStart,
    /// The stretch is longer than [`TimeInBed::MAX_MILLIS`].
    #[error("longer than seven days")]
    TooLong,
    /// An instant lies outside the years 1970 to 9999, in UTC or in the offset given with it.
    #[error("outside the years 1970 to 9999")]
    YearOutOfRange,
}

/// Frames one session: from going to bed to getting up, with the UTC offsets in force then, where known.
///
/// Both instants are whole milliseconds, the end is after the start, at most seven days lie between them
/// (beyond that a record is a mistake, not a night), and every way to print them has a year of four digits.
/// The start and the stages print with the offset at the start, the end with the offset at the end
/// (decisions 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeInBed {
    start: DateTime<Utc>,
    end: DateTime<Utc>,
    offset_at_start: Option<UtcOffset>,
    offset_at_end: Option<UtcOffset>,
}

impl TimeInBed {
    /// The longest time in bed: seven days, in milliseconds.
    pub const MAX_MILLIS: i64 = 7 * 24 * 60 * MILLIS_PER_MINUTE;

    /// Frames the time between two instants, which are cut to milliseconds first.
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

    /// Reads the end as any clock of this session may print it, and gives the latest reading.
    fn latest_local_millis(&self) -> i64 {
        let ahead = |offset: Option<UtcOffset>| {
            offset.map_or(0, |offset| i64::from(offset.minutes()).saturating_mul(MILLIS_PER_MINUTE))
        };
        let furthest = ahead(self.offset_at_start).max(ahead(self.offset_at_end)).max(0);
        self.end_millis().saturating_add(furthest)
    }

    /// Gives the start.
    pub const fn start(&self) -> DateTime<Utc> {
        self.start
    }

    /// Gives the end, which is after the start.
    pub const fn end(&self) -> DateTime<Utc> {
        self.end
    }

    /// Gives the UTC offset in force where and when the night began, where known.
    pub const fn offset_at_start(&self) -> Option<UtcOffset> {
        self.offset_at_start
    }

    /// Gives the UTC offset in force where and when the night ended, where known.
    pub const fn offset_at_end(&self) -> Option<UtcOffset> {
        self.offset_at_end
    }

    /// Gives the start in milliseconds since the Unix epoch.
    pub const fn start_millis(&self) -> i64 {
        self.start.timestamp_millis()
    }

    /// Gives the end in milliseconds since the Unix epoch.
    pub const fn end_millis(&self) -> i64 {
        self.end.timestamp_millis()
    }

    /// Gives the length in milliseconds, 1 to [`Self::MAX_MILLIS`].
    pub const fn millis(&self) -> i64 {
        self.end_millis().saturating_sub(self.start_millis())
    }

    /// Returns whether both share a stretch of time; touching is not sharing.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Gives the minutes since the Unix epoch in which it starts and ends.
    pub const fn minutes(&self) -> (i64, i64) {
        (self.start_millis() / MILLIS_PER_MINUTE, self.end_millis() / MILLIS_PER_MINUTE)
    }

    /// Returns whether both start in the same minute and end in the same minute.
    pub const fn same_to_the_minute(&self, other: &Self) -> bool {
        let (one, two) = (self.minutes(), other.minutes());
        one.0 == two.0 && one.1 == two.1
    }
}

#[cfg(test)]
mod tests;
