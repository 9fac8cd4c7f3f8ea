//! Time range of a request.

use super::{Bound, DateParameter, TimeZone};
use chrono::{DateTime, Utc};

/// Time range of `startDate` and `endDate`, both ends included, either end open.
///
/// The default is unbounded. A range from parameters may be empty (a day that a zone skipped, two fractions
/// within one microsecond). Its start is then after its end, and comparisons with both, as in
/// [`DateRange::contains`] and the storage, match nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DateRange {
    start: Option<DateTime<Utc>>,
    end: Option<DateTime<Utc>>,
}

/// `startDate` is after `endDate` (decisions 5: a 400).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("startDate is after endDate")]
pub struct StartAfterEnd;

impl DateRange {
    /// Creates a range from two instants; fails if it ends before it starts.
    pub fn new(start: Option<DateTime<Utc>>, end: Option<DateTime<Utc>>) -> Result<Self, StartAfterEnd> {
        match (start, end) {
            (Some(start), Some(end)) if start > end => Err(StartAfterEnd),
            _ => Ok(Self { start, end }),
        }
    }

    /// Creates a range from two parameters in the person's zone (decisions 5).
    ///
    /// The order is checked on the values as written, to the nanosecond, before rounding. The same day twice
    /// is always in order, even if the zone skipped it.
    pub fn of_parameters(
        start: Option<DateParameter>,
        end: Option<DateParameter>,
        zone: TimeZone,
    ) -> Result<Self, StartAfterEnd> {
        if let (Some(start), Some(end)) = (start, end)
            && start != end
            && start.exact(zone, Bound::Start) > end.exact(zone, Bound::End)
        {
            return Err(StartAfterEnd);
        }
        Ok(Self {
            start: start.map(|date| date.resolve(zone, Bound::Start)),
            end: end.map(|date| date.resolve(zone, Bound::End)),
        })
    }

    /// Returns the first instant; `None` if the start is open.
    pub fn start(self) -> Option<DateTime<Utc>> {
        self.start
    }

    /// Returns the last instant; `None` if the end is open.
    pub fn end(self) -> Option<DateTime<Utc>> {
        self.end
    }

    /// Returns whether an instant is in the range, ends included.
    pub fn contains(self, instant: DateTime<Utc>) -> bool {
        self.start.is_none_or(|start| start <= instant) && self.end.is_none_or(|end| instant <= end)
    }
}

#[cfg(test)]
mod tests;
