//! The text of the instants of one day.

use super::{DAY_MILLIS, UtcOffset, clock, put, small};

/// The length of `YYYY-MM-DDThh:mm:ss+hh:mm`, the longest text without a fraction.
const LONGEST: usize = 25;
/// Where the time of day stands in the text.
const CLOCK: usize = 11;

/// A day of 24 hours at one offset from UTC: of all its instants without a fraction only the time of day differs.
///
/// Most of what a page prints falls on the day of what was printed before, so that eight characters are enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalDay {
    /// When it begins, in milliseconds since 1970.
    begin: i64,
    /// One of its instants, `YYYY-MM-DDThh:mm:ss+hh:mm` or `YYYY-MM-DDThh:mm:ssZ`.
    text: [u8; LONGEST],
    /// How much of the text there is.
    length: usize,
}

impl LocalDay {
    /// Where `hh:mm:ss` begins in [`Self::text`].
    pub const CLOCK: usize = CLOCK;
    /// The greatest length of [`Self::text`] in bytes.
    pub const LONGEST: usize = LONGEST;

    /// Makes a day out of its beginning, `YYYY-MM-DDT` and its offset.
    pub(super) fn new(begin: i64, date: &[u8; CLOCK], offset: Option<UtcOffset>) -> Self {
        let mut text = *b"YYYY-MM-DDThh:mm:ss+hh:mm";
        put(&mut text, 0, *date);
        put(&mut text, CLOCK, *b"00:00:00");
        match offset {
            Some(offset) => put(&mut text, CLOCK + 8, offset.ascii()),
            None => put(&mut text, CLOCK + 8, *b"Z"),
        }
        Self { begin, text, length: if offset.is_some() { LONGEST } else { CLOCK + 9 } }
    }

    /// Returns whether an instant, in milliseconds since 1970, falls on this day.
    #[inline]
    pub const fn contains(&self, unix_millis: i64) -> bool {
        let in_day = unix_millis.wrapping_sub(self.begin);
        0 <= in_day && in_day < DAY_MILLIS
    }

    /// Returns `hh:mm:ss` of an instant, in milliseconds since 1970; nothing when it falls on another day or has a
    /// fraction.
    #[inline]
    pub fn clock(&self, unix_millis: i64) -> Option<[u8; 8]> {
        if !self.contains(unix_millis) {
            return None;
        }
        let in_day = small(unix_millis.wrapping_sub(self.begin));
        let second = in_day / 1_000;
        (second * 1_000 == in_day).then(|| clock(second))
    }

    /// Returns the text of one of the day's instants; only the eight bytes from [`Self::CLOCK`] on are another instant's.
    #[inline]
    pub fn text(&self) -> &[u8] {
        self.text.get(..self.length).unwrap_or_default()
    }

    /// Returns the text of an instant, for which [`Self::clock`] gave the time of day.
    #[inline]
    pub(super) fn at(&mut self, clock: [u8; 8]) -> &[u8] {
        if let Some(room) = self.text.get_mut(CLOCK..CLOCK + 8) {
            room.copy_from_slice(&clock);
        }
        self.text()
    }
}
