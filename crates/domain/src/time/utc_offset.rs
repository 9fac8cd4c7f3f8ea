//! UTC offsets.

use super::digits::{number, two};
use std::fmt;

/// UTC offset in whole minutes, positive east of UTC, from -18:00 to +18:00.
///
/// ISO 8601 cannot express finer offsets, and no zone ever exceeded 18 hours (the widest local mean time is
/// 15:56 from UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UtcOffset {
    minutes: i16,
}

/// The value is not a UTC offset between -18:00 and +18:00.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an offset from UTC: write Z, +02:00, +0200 or +02, at most 18 hours")]
pub struct InvalidUtcOffset;

impl UtcOffset {
    /// Maximum offset in seconds, east or west of UTC: 18 hours.
    pub const MAX_SECONDS: i32 = 18 * 3600;

    /// The offset of UTC, printed `+00:00`.
    pub const UTC: Self = Self { minutes: 0 };

    /// Converts seconds; seconds of an old local mean time are truncated towards zero, and more than 18 hours
    /// is `None`.
    ///
    /// Callers also compute the local time from the result, so the printed text still denotes the right
    /// instant.
    pub fn from_seconds(seconds: i32) -> Option<Self> {
        if !(-Self::MAX_SECONDS..=Self::MAX_SECONDS).contains(&seconds) {
            return None;
        }
        i16::try_from(seconds / 60).ok().map(|minutes| Self { minutes })
    }

    /// Converts minutes; more than 18 hours is `None`.
    pub fn from_minutes(minutes: i16) -> Option<Self> {
        Self::from_seconds(i32::from(minutes) * 60)
    }

    /// Returns the offset in seconds, positive east of UTC; always a multiple of 60.
    pub const fn seconds(self) -> i32 {
        self.minutes as i32 * 60
    }

    /// Returns the offset in minutes, positive east of UTC.
    pub const fn minutes(self) -> i16 {
        self.minutes
    }

    /// Parses `Z` (in either case), `+02:00`, `+0200` or `+02`, with either sign (decisions 5, dates).
    pub fn parse(text: &str) -> Result<Self, InvalidUtcOffset> {
        Self::from_ascii(text.as_bytes()).ok_or(InvalidUtcOffset)
    }

    /// Parses the bytes of an accepted spelling.
    pub(super) fn from_ascii(text: &[u8]) -> Option<Self> {
        match text {
            [b'Z' | b'z'] => Some(Self::UTC),
            [b'+', clock @ ..] => Self::east(clock),
            [b'-', clock @ ..] => Self::east(clock).map(|east| Self { minutes: -east.minutes }),
            _ => None,
        }
    }

    /// Parses an offset east of UTC without its sign.
    pub(super) fn east(clock: &[u8]) -> Option<Self> {
        let (hours, minutes) = match clock {
            [h1, h2] => (number(&[*h1, *h2])?, 0),
            [h1, h2, m1, m2] | [h1, h2, b':', m1, m2] => (number(&[*h1, *h2])?, number(&[*m1, *m2])?),
            _ => return None,
        };
        if minutes > 59 {
            return None;
        }
        i16::try_from(hours * 60 + minutes).ok().and_then(Self::from_minutes)
    }

    /// Returns the six characters `+02:00`.
    pub(super) fn ascii(self) -> [u8; 6] {
        let sign = if self.minutes < 0 { b'-' } else { b'+' };
        let size = u32::from(self.minutes.unsigned_abs());
        let ([h1, h2], [m1, m2]) = (two(size / 60), two(size % 60));
        [sign, h1, h2, b':', m1, m2]
    }
}

/// Prints `+02:00`; UTC is `+00:00`.
impl fmt::Display for UtcOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.ascii().iter().try_for_each(|byte| fmt::Write::write_char(f, char::from(*byte)))
    }
}

#[cfg(test)]
mod tests;
