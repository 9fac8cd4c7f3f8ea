//! The zone whose clocks a person lives by.

use super::UtcOffset;
use chrono::offset::MappedLocalTime;
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Offset, TimeDelta, TimeZone as _, Utc};
use chrono_tz::Tz;
use std::fmt;

/// Further from UTC, in seconds, than any zone ever was; bounds the search for a clock change.
const WIDER_THAN_ANY_OFFSET: i64 = 26 * 3600;

/// Zone of the IANA time zone database, such as `Europe/Berlin`; the contract's `home_timezone`.
///
/// Every conversion is total: what lies outside the instants that chrono can hold (some 262,000 years
/// either way) becomes the first or the last of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TimeZone(Tz);

/// Says that a name is not in the IANA time zone database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the name of a zone in the IANA time zone database, such as Europe/Berlin")]
pub struct UnknownTimeZone;

/// Chooses between the two instants of a local time that exists twice because clocks were put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fold {
    /// The earlier instant, before the clocks were put back.
    First,
    /// The later instant, after the clocks were put back.
    Second,
}

impl TimeZone {
    /// The zone `UTC`.
    pub const UTC: Self = Self(Tz::UTC);

    /// Looks a zone up by its name, aliases such as `US/Eastern` included; upper and lower case count.
    pub fn parse(name: &str) -> Result<Self, UnknownTimeZone> {
        name.parse().map(Self).map_err(|_| UnknownTimeZone)
    }

    /// Returns the name by which the zone was looked up; an alias stays that alias.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// Returns the offset in force at an instant, odd seconds of a local mean time cut towards zero.
    pub fn offset_at(self, instant: DateTime<Utc>) -> UtcOffset {
        let seconds = self.0.offset_from_utc_datetime(&instant.naive_utc()).fix().local_minus_utc();
        UtcOffset::from_seconds(seconds).unwrap_or(UtcOffset::UTC)
    }

    /// Returns the instant of a local time (decisions 5).
    ///
    /// A local time that a clock change skips takes the offset before the change, so that it lands as far
    /// after the change as it lies after the last time that existed. One that exists twice is chosen by
    /// `fold`. A leap second is read as the last nanosecond before it.
    pub fn resolve(self, local: NaiveDateTime, fold: Fold) -> DateTime<Utc> {
        let wall = local.and_utc();
        let nanos = wall.timestamp_subsec_nanos().min(999_999_999);
        let seconds = match (self.instants_of(local), fold) {
            (Some((first, _)), Fold::First) => first,
            (Some((_, second)), Fold::Second) => second,
            (None, _) => {
                let change = self.first_second_beyond(wall.timestamp());
                wall.timestamp() - self.offset_seconds(change - 1)
            }
        };
        instant(seconds, nanos)
    }

    /// Returns the first instant of a local day.
    ///
    /// Where the clock change skips midnight that is the change itself, and so it is for a day that does
    /// not exist at all; where midnight exists twice it is the first.
    pub fn first_instant_of(self, date: NaiveDate) -> DateTime<Utc> {
        let midnight = date.and_time(NaiveTime::MIN);
        let seconds = match self.instants_of(midnight) {
            Some((first, _)) => first,
            None => self.first_second_beyond(midnight.and_utc().timestamp()),
        };
        instant(seconds, 0)
    }

    /// Returns the last instant of a local day: one microsecond before the next day's first (decisions 5).
    ///
    /// For a day that does not exist this lies one microsecond before the day's own first instant, so
    /// that the day holds no instant.
    pub fn last_instant_of(self, date: NaiveDate) -> DateTime<Utc> {
        date.succ_opt()
            .and_then(|next| self.first_instant_of(next).checked_sub_signed(TimeDelta::microseconds(1)))
            .unwrap_or(DateTime::<Utc>::MAX_UTC)
    }

    /// Returns the first and the second instant of a local time in Unix seconds, equal when it exists
    /// once; `None` when it is skipped.
    fn instants_of(self, local: NaiveDateTime) -> Option<(i64, i64)> {
        let seconds = local.and_utc().timestamp();
        let at = |offset: chrono_tz::TzOffset| seconds - i64::from(offset.fix().local_minus_utc());
        match self.0.offset_from_local_datetime(&local) {
            MappedLocalTime::Single(offset) => Some((at(offset), at(offset))),
            MappedLocalTime::Ambiguous(one, other) => Some((at(one).min(at(other)), at(one).max(at(other)))),
            MappedLocalTime::None => None,
        }
    }

    /// Returns the first second, in Unix time, at which the clocks show more than a skipped local time.
    ///
    /// A skipped time is shown at no second, so the clocks jump over it at the second found here.
    fn first_second_beyond(self, local: i64) -> i64 {
        let (mut before, mut beyond) = (local - WIDER_THAN_ANY_OFFSET, local + WIDER_THAN_ANY_OFFSET);
        while beyond - before > 1 {
            let middle = before + (beyond - before) / 2;
            if middle + self.offset_seconds(middle) > local {
                beyond = middle;
            } else {
                before = middle;
            }
        }
        beyond
    }

    /// Returns the exact offset, odd seconds included, at a second of Unix time.
    fn offset_seconds(self, unix_seconds: i64) -> i64 {
        let at = instant(unix_seconds, 0).naive_utc();
        i64::from(self.0.offset_from_utc_datetime(&at).fix().local_minus_utc())
    }
}

/// Prints the name.
impl fmt::Display for TimeZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns an instant, or the first or last that chrono can hold.
fn instant(unix_seconds: i64, nanos: u32) -> DateTime<Utc> {
    DateTime::from_timestamp(unix_seconds, nanos).unwrap_or(if unix_seconds < 0 {
        DateTime::<Utc>::MIN_UTC
    } else {
        DateTime::<Utc>::MAX_UTC
    })
}

#[cfg(test)]
mod tests;
