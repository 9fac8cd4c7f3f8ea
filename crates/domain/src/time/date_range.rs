//! The stretch of time that a request asks for.

use super::{Bound, DateParameter, TimeZone};
use chrono::{DateTime, Utc};

/// Stretch of time, both ends included, either end open; what `startDate` and `endDate` ask for.
///
/// The default is all of time. A range made of parameters may hold no instant at all (a day that a zone
/// skipped, two fractions within one microsecond): then its start lies after its end, and comparing with
/// both, as [`DateRange::contains`] and the storage do, finds nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DateRange {
    start: Option<DateTime<Utc>>,
    end: Option<DateTime<Utc>>,
}

/// Says that `startDate` lies after `endDate` (decisions 5: a 400).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("startDate is after endDate")]
pub struct StartAfterEnd;

impl DateRange {
    /// Makes a range of two instants; refuses one that ends before it starts.
    pub fn new(start: Option<DateTime<Utc>>, end: Option<DateTime<Utc>>) -> Result<Self, StartAfterEnd> {
        match (start, end) {
            (Some(start), Some(end)) if start > end => Err(StartAfterEnd),
            _ => Ok(Self { start, end }),
        }
    }

    /// Makes a range of the two parameters as they denote instants in the person's zone (decisions 5).
    ///
    /// The order is judged on what was written, to the nanosecond and before any rounding; the same day
    /// twice is never out of order, also where the zone skipped it.
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

    /// Returns the first instant within, or `None` when the start is open.
    pub fn start(self) -> Option<DateTime<Utc>> {
        self.start
    }

    /// Returns the last instant within, or `None` when the end is open.
    pub fn end(self) -> Option<DateTime<Utc>> {
        self.end
    }

    /// Says whether an instant lies within, the ends included.
    pub fn contains(self, instant: DateTime<Utc>) -> bool {
        self.start.is_none_or(|start| start <= instant) && self.end.is_none_or(|end| instant <= end)
    }
}

#[cfg(test)]
mod tests;
