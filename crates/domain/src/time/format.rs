//! Printing of instants: the same text as chrono's, an order of magnitude faster.
//!
//! A page of 10,000 nights prints half a million timestamps, which dominated its cost. Most neighbours are on
//! the same local day, so the writer caches the text of the last day.

mod local_day;

pub use local_day::LocalDay;

use super::UtcOffset;
use super::digits::{four, three, two};
use chrono::{DateTime, Datelike, NaiveDate, Utc};

/// Milliseconds per day.
const DAY_MILLIS: i64 = 86_400_000;
/// Microseconds per day.
const DAY_MICROS: i64 = 86_400_000_000;
/// The day before 0001-01-01, chrono's epoch, in days since 1970-01-01.
const FIRST_DAY_OF_CHRONO: i64 = -719_163;
/// 0000-01-01 in days since 1970-01-01.
const FIRST_DAY: i64 = -719_528;
/// 9999-12-31 in days since 1970-01-01.
const LAST_DAY: i64 = 2_932_896;

/// Prints instants as ISO 8601 into a byte buffer and caches the last local days.
///
/// Local times outside the years 0000 to 9999 are printed as the first or last in that range. Restwell stores
/// no such instants.
#[derive(Debug, Clone)]
pub struct TimestampWriter {
    /// The day in `prefix`, in days since 1970-01-01.
    day: i64,
    /// `YYYY-MM-DDT`.
    prefix: [u8; 11],
    /// The last days with their offsets: an even and an odd one without an offset, and the same with one. A
    /// night spans two days, and its times in UTC a third.
    last: [Option<(Option<UtcOffset>, LocalDay)>; 4],
    /// The day of the last log entry, in days since 1970-01-01.
    log_day: i64,
    /// Midnight of that day: `YYYY-MM-DDT00:00:00.000000+00:00`.
    log: [u8; 32],
}

impl TimestampWriter {
    /// Creates a writer.
    pub const fn new() -> Self {
        let log = *b"1970-01-01T00:00:00.000000+00:00";
        Self { day: 0, prefix: *b"1970-01-01T", last: [None; 4], log_day: 0, log }
    }

    /// Appends an instant in milliseconds since 1970 with its offset (decisions 6, sleep session).
    ///
    /// `2026-03-08T23:10:00-05:00`; offset zero is `+00:00`, no offset is UTC with `Z`. A three-digit
    /// fraction is printed only if it is not zero.
    pub fn write_millis(&mut self, out: &mut Vec<u8>, unix_millis: i64, offset: Option<UtcOffset>) {
        if let Some(day) = self.cache_day(unix_millis, offset)
            && let Some(clock) = day.clock(unix_millis)
        {
            out.extend_from_slice(day.at(clock));
            return;
        }
        let local = unix_millis
            .saturating_add(shift(offset))
            .clamp(FIRST_DAY * DAY_MILLIS, LAST_DAY * DAY_MILLIS + DAY_MILLIS - 1);
        let in_day = small(local.rem_euclid(DAY_MILLIS));
        let millis = in_day % 1_000;
        out.reserve(29);
        self.write_day(out, local.div_euclid(DAY_MILLIS));
        out.extend_from_slice(&clock(in_day / 1_000));
        if millis != 0 {
            let [a, b, c] = three(millis);
            out.extend_from_slice(&[b'.', a, b, c]);
        }
        match offset {
            Some(offset) => out.extend_from_slice(&offset.ascii()),
            None => out.push(b'Z'),
        }
    }

    /// Returns the local day of an instant in milliseconds since 1970, as [`Self::write_millis`] prints it;
    /// `None` if its year does not have four digits.
    pub fn local_day(&mut self, unix_millis: i64, offset: Option<UtcOffset>) -> Option<LocalDay> {
        self.cache_day(unix_millis, offset).copied()
    }

    /// Appends the text of [`Self::put_micros_numeric`].
    pub fn write_micros_numeric(&mut self, out: &mut Vec<u8>, unix_micros: i64) {
        let mut text = [0; 32];
        self.put_micros_numeric(&mut text, unix_micros);
        out.extend_from_slice(&text);
    }

    /// Writes an instant in microseconds since 1970 in UTC into the given buffer (decisions 6, log entries).
    ///
    /// Always with six decimals and a numeric offset: `2026-03-08T23:10:00.000000+00:00`.
    #[inline]
    pub fn put_micros_numeric(&mut self, place: &mut [u8; 32], unix_micros: i64) {
        let local = unix_micros.clamp(FIRST_DAY * DAY_MICROS, LAST_DAY * DAY_MICROS + DAY_MICROS - 1);
        let day = local.div_euclid(DAY_MICROS);
        if day != self.log_day {
            put(&mut self.log, 0, prefix(day));
            self.log_day = day;
        }
        let in_day = local - day * DAY_MICROS;
        let second = in_day / 1_000_000;
        let micros = small(in_day - second * 1_000_000);
        let thousands = micros / 1_000;
        // Write the digits into the copy; a later copy would have to wait for them.
        *place = self.log;
        put(place, 11, clock(small(second)));
        put(place, 20, three(thousands));
        put(place, 23, three(micros - thousands * 1_000));
    }

    /// Appends `YYYY-MM-DDT`.
    fn write_day(&mut self, out: &mut Vec<u8>, day: i64) {
        out.extend_from_slice(self.prefix(day));
    }

    /// Returns `YYYY-MM-DDT`, computed only if the day has changed.
    fn prefix(&mut self, day: i64) -> &[u8; 11] {
        if day != self.day {
            self.prefix = prefix(day);
            self.day = day;
        }
        &self.prefix
    }

    /// Caches the local day of an instant; `None` if its year does not have four digits.
    fn cache_day(&mut self, unix_millis: i64, offset: Option<UtcOffset>) -> Option<&mut LocalDay> {
        let local = unix_millis.checked_add(shift(offset))?;
        let number = local.div_euclid(DAY_MILLIS);
        let place = usize::from(number % 2 != 0) + 2 * usize::from(offset.is_some());
        let kept = self.last.get(place).copied().flatten();
        if !kept.is_some_and(|(known, day)| known == offset && day.contains(unix_millis)) {
            if !(FIRST_DAY..=LAST_DAY).contains(&number) {
                return None;
            }
            let day = LocalDay::new(unix_millis - local.rem_euclid(DAY_MILLIS), self.prefix(number), offset);
            *self.last.get_mut(place)? = Some((offset, day));
        }
        self.last.get_mut(place)?.as_mut().map(|(_, day)| day)
    }
}

impl Default for TimestampWriter {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the text of [`TimestampWriter::write_millis`] for a single instant.
pub fn millis(unix_millis: i64, offset: Option<UtcOffset>) -> String {
    let mut out = Vec::new();
    TimestampWriter::new().write_millis(&mut out, unix_millis, offset);
    ascii(out)
}

/// Returns the text of [`TimestampWriter::write_micros_numeric`] for a single instant.
pub fn micros_numeric(unix_micros: i64) -> String {
    let mut out = Vec::new();
    TimestampWriter::new().write_micros_numeric(&mut out, unix_micros);
    ascii(out)
}

/// Formats an instant in UTC with `Z`, and milliseconds if they are not zero.
pub fn utc(instant: DateTime<Utc>) -> String {
    millis(instant.timestamp_millis(), None)
}

/// Converts bytes written by this module, which are ASCII.
fn ascii(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_default()
}

/// Returns how many milliseconds a local time is ahead of UTC.
fn shift(offset: Option<UtcOffset>) -> i64 {
    offset.map_or(0, |offset| i64::from(offset.seconds()) * 1_000)
}

/// Returns `YYYY-MM-DDT` of a day since 1970-01-01, in the years 0000 to 9999.
fn prefix(day: i64) -> [u8; 11] {
    let date = i32::try_from(day - FIRST_DAY_OF_CHRONO).ok().and_then(NaiveDate::from_num_days_from_ce_opt);
    let date = date.unwrap_or_default();
    let [y1, y2, y3, y4] = four(date.year().unsigned_abs());
    let ([m1, m2], [d1, d2]) = (two(date.month()), two(date.day()));
    [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, b'T']
}

/// Returns `hh:mm:ss` of a second of the day.
///
/// The three numbers are in one word, each at the position of its first digit, so that all digits are
/// computed at once: 103 / 1024 approximates a tenth well enough for numbers below 100.
#[inline]
const fn clock(second: u32) -> [u8; 8] {
    const TENS: u64 = 0x000f_0000_0f00_000f;
    const DIGITS: [u8; 8] = *b"00:00:00";
    let minute = second / 60;
    let hour = minute / 60;
    let (in_hour, in_minute) = (minute - hour * 60, second - minute * 60);
    let numbers = hour as u64 | (in_hour as u64) << 24 | (in_minute as u64) << 48;
    let tens = ((numbers * 103) >> 10) & TENS;
    let ones = numbers - tens * 10;
    (u64::from_le_bytes(DIGITS) + tens + (ones << 8)).to_le_bytes()
}

/// Copies a part of a text to its position.
#[inline]
fn put<const ROOM: usize, const LENGTH: usize>(text: &mut [u8; ROOM], place: usize, part: [u8; LENGTH]) {
    if let Some(room) = text.get_mut(place..place + LENGTH) {
        room.copy_from_slice(&part);
    }
}

/// Narrows a remainder that is known to fit.
#[inline]
fn small(remainder: i64) -> u32 {
    u32::try_from(remainder).unwrap_or_default()
}

#[cfg(test)]
mod tests;
