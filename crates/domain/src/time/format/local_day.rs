//! Text of the instants of one day.

use super::{DAY_MILLIS, UtcOffset, clock, put, small};

/// Length of `YYYY-MM-DDThh:mm:ss+hh:mm`, the longest text without a fraction.
const LONGEST: usize = 25;
/// Position of the time of day in the text.
const CLOCK: usize = 11;

/// A 24-hour day at one UTC offset; its instants without a fraction differ only in the time of day.
///
/// Most printed instants are on the same day as the previous one, so only eight characters change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalDay {
    /// Start in milliseconds since 1970.
    begin: i64,
    /// One instant of the day: `YYYY-MM-DDThh:mm:ss+hh:mm` or `YYYY-MM-DDThh:mm:ssZ`.
    text: [u8; LONGEST],
    /// Length of the text.
    length: usize,
}

impl LocalDay {
    /// Position of `hh:mm:ss` in [`Self::text`].
    pub const CLOCK: usize = CLOCK;
    /// Maximum length of [`Self::text`] in bytes.
    pub const LONGEST: usize = LONGEST;

    /// Creates a day from its start, `YYYY-MM-DDT` and its offset.
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

    /// Returns whether an instant, in milliseconds since 1970, is on this day.
    #[inline]
    pub const fn contains(&self, unix_millis: i64) -> bool {
        let in_day = unix_millis.wrapping_sub(self.begin);
        0 <= in_day && in_day < DAY_MILLIS
    }

    /// Returns `hh:mm:ss` of an instant, in milliseconds since 1970; `None` if it is on another day or has a
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

    /// Returns the text of one instant of the day; others differ only in the eight bytes from
    /// [`Self::CLOCK`].
    #[inline]
    pub fn text(&self) -> &[u8] {
        self.text.get(..self.length).unwrap_or_default()
    }

    /// Returns the text of an instant, given its time of day from [`Self::clock`].
    #[inline]
    pub(super) fn at(&mut self, clock: [u8; 8]) -> &[u8] {
        if let Some(room) = self.text.get_mut(CLOCK..CLOCK + 8) {
            room.copy_from_slice(&clock);
        }
        self.text()
    }
}
