//! Time zones.

use super::UtcOffset;
use super::current_zones::CURRENT;
use chrono::offset::MappedLocalTime;
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Offset, TimeDelta, TimeZone as _, Utc};
use chrono_tz::Tz;
use std::fmt;

/// More seconds than any UTC offset; bounds the search for a clock change.
const WIDER_THAN_ANY_OFFSET: i64 = 26 * 3600;

/// Zone of the IANA time zone database, such as `Europe/Berlin`; the contract's `home_timezone`.
///
/// Conversions never fail: instants outside chrono's range (some 262,000 years either way) become its first
/// or last instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TimeZone(Tz);

/// The name is not in the IANA time zone database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the name of a zone in the IANA time zone database, such as Europe/Berlin")]
pub struct UnknownTimeZone;

/// Selects one of the two instants of a local time that occurs twice when clocks are set back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fold {
    /// The earlier instant, before clocks are set back.
    First,
    /// The later instant, after clocks are set back.
    Second,
}

impl TimeZone {
    /// The zone `UTC`.
    pub const UTC: Self = Self(Tz::UTC);

    /// Finds a zone by its case-sensitive name or alias, such as `US/Eastern`.
    pub fn parse(name: &str) -> Result<Self, UnknownTimeZone> {
        name.parse().map(Self).map_err(|_| UnknownTimeZone)
    }

    /// Lists the current names of zones: places by name, then `UTC`. Aliases such as `US/Eastern` are
    /// missing.
    pub fn current_names() -> impl Iterator<Item = &'static str> {
        CURRENT.split_ascii_whitespace().chain(["UTC"])
    }

    /// Finds a zone by its current name; an alias is unknown.
    pub fn parse_current(name: &str) -> Result<Self, UnknownTimeZone> {
        let is_current = Self::current_names().any(|current| current == name);
        if is_current { Self::parse(name) } else { Err(UnknownTimeZone) }
    }

    /// Returns the name used to find the zone, even if it is an alias.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// Returns the offset at an instant; seconds of a local mean time are truncated towards zero.
    pub fn offset_at(self, instant: DateTime<Utc>) -> UtcOffset {
        let seconds = self.0.offset_from_utc_datetime(&instant.naive_utc()).fix().local_minus_utc();
        UtcOffset::from_seconds(seconds).unwrap_or(UtcOffset::UTC)
    }

    /// Converts a local time to an instant (decisions 5).
    ///
    /// A local time skipped by a clock change uses the offset before the change, so that it is as far after
    /// the change as it is after the last existing time. For a time that occurs twice, `fold` decides. A leap
    /// second becomes the last nanosecond before it.
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

    /// Returns the first and second instant of a local time, equal if it occurs once; `None` if a clock
    /// change skips it.
    pub fn instants_at(self, local: NaiveDateTime) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
        self.instants_of(local).map(|(first, second)| (instant(first, 0), instant(second, 0)))
    }

    /// Returns the first instant of a local day.
    ///
    /// If a clock change skips midnight or the whole day, this is the instant of the change; if midnight
    /// occurs twice, it is the first.
    pub fn first_instant_of(self, date: NaiveDate) -> DateTime<Utc> {
        let midnight = date.and_time(NaiveTime::MIN);
        let seconds = match self.instants_of(midnight) {
            Some((first, _)) => first,
            None => self.first_second_beyond(midnight.and_utc().timestamp()),
        };
        instant(seconds, 0)
    }

    /// Returns the last instant of a local day: one microsecond before the start of the next (decisions 5).
    ///
    /// For a skipped day, this is one microsecond before the day's own first instant, so that the day is
    /// empty.
    pub fn last_instant_of(self, date: NaiveDate) -> DateTime<Utc> {
        date.succ_opt()
            .and_then(|next| self.first_instant_of(next).checked_sub_signed(TimeDelta::microseconds(1)))
            .unwrap_or(DateTime::<Utc>::MAX_UTC)
    }

    /// Returns the first and second instant of a local time in Unix seconds, equal if it occurs once; `None`
    /// if it is skipped.
    fn instants_of(self, local: NaiveDateTime) -> Option<(i64, i64)> {
        let seconds = local.and_utc().timestamp();
        let at = |offset: chrono_tz::TzOffset| seconds - i64::from(offset.fix().local_minus_utc());
        match self.0.offset_from_local_datetime(&local) {
            MappedLocalTime::Single(offset) => Some((at(offset), at(offset))),
            MappedLocalTime::Ambiguous(one, other) => Some((at(one).min(at(other)), at(one).max(at(other)))),
            MappedLocalTime::None => None,
        }
    }

    /// Returns the first second, in Unix time, at which clocks show more than a skipped local time.
    ///
    /// No clock shows a skipped time, so they jump over it at this second.
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

    /// Returns the exact offset with seconds at a second of Unix time.
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

/// Returns an instant, or the first or last of chrono's range.
fn instant(unix_seconds: i64, nanos: u32) -> DateTime<Utc> {
    DateTime::from_timestamp(unix_seconds, nanos).unwrap_or(if unix_seconds < 0 {
        DateTime::<Utc>::MIN_UTC
    } else {
        DateTime::<Utc>::MAX_UTC
    })
}

#[cfg(test)]
mod tests;
