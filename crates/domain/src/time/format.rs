//! How instants are printed: the same text as chrono's, an order of magnitude sooner.
//!
//! A page of 10,000 nights prints half a million timestamps, and printing them was most of its cost. Most
//! neighbours fall on the same local day, so the writer keeps the text of the last day.

use super::UtcOffset;
use super::digits::{four, pair, three, two};
use chrono::{DateTime, Datelike, Utc};

/// The milliseconds of a day.
const DAY_MILLIS: i64 = 86_400_000;
/// The microseconds of a day.
const DAY_MICROS: i64 = 86_400_000_000;
/// 0000-01-01, counted in days from 1970-01-01.
const FIRST_DAY: i64 = -719_528;
/// 9999-12-31, counted in days from 1970-01-01.
const LAST_DAY: i64 = 2_932_896;

/// Prints instants as ISO 8601 into a byte buffer, remembering the last local day between calls.
///
/// A local time outside the years 0000 to 9999, which four digits cannot write, is printed as the first or
/// last that they can. Nothing that Restwell stores lies there.
#[derive(Debug, Clone)]
pub struct TimestampWriter {
    /// The day that `prefix` shows, counted from 1970-01-01.
    day: i64,
    /// `YYYY-MM-DDT`.
    prefix: [u8; 11],
    /// The offset that `whole` shows; none at first.
    shown: Option<UtcOffset>,
    /// When the local day began that `whole` shows, in local milliseconds since 1970.
    shown_from: i64,
    /// `YYYY-MM-DDThh:mm:ss+hh:mm`, of the last instant that had an offset and no fraction.
    whole: [u8; 25],
}

impl TimestampWriter {
    /// Makes a writer.
    pub const fn new() -> Self {
        Self { day: 0, prefix: *b"1970-01-01T", shown: None, shown_from: 0, whole: [0; 25] }
    }

    /// Appends an instant in milliseconds since 1970 with the offset in force (decisions 6, sleep session).
    ///
    /// `2026-03-08T23:10:00-05:00`; offset zero is `+00:00`, none is UTC with `Z`. A fraction of three
    /// digits appears only when it is not zero.
    pub fn write_millis(&mut self, out: &mut Vec<u8>, unix_millis: i64, offset: Option<UtcOffset>) {
        let shift = offset.map_or(0, |offset| i64::from(offset.seconds()) * 1_000);
        let local = unix_millis
            .saturating_add(shift)
            .clamp(FIRST_DAY * DAY_MILLIS, LAST_DAY * DAY_MILLIS + DAY_MILLIS - 1);
        if let Some(offset) = offset
            && let Some(text) = self.whole(local, offset)
        {
            out.extend_from_slice(text);
            return;
        }
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

    /// Appends an instant in microseconds since 1970 in UTC (decisions 6, log entries).
    ///
    /// Always with six decimals and the numeric offset: `2026-03-08T23:10:00.000000+00:00`.
    pub fn write_micros_numeric(&mut self, out: &mut Vec<u8>, unix_micros: i64) {
        let local = unix_micros.clamp(FIRST_DAY * DAY_MICROS, LAST_DAY * DAY_MICROS + DAY_MICROS - 1);
        let in_day = local.rem_euclid(DAY_MICROS);
        out.reserve(32);
        self.write_day(out, local.div_euclid(DAY_MICROS));
        out.extend_from_slice(&clock(small(in_day / 1_000_000)));
        let micros = small(in_day % 1_000_000);
        out.push(b'.');
        out.extend_from_slice(&three(micros / 1_000));
        out.extend_from_slice(&three(micros % 1_000));
        out.extend_from_slice(b"+00:00");
    }

    /// Appends `YYYY-MM-DDT`.
    fn write_day(&mut self, out: &mut Vec<u8>, day: i64) {
        out.extend_from_slice(self.prefix(day));
    }

    /// Returns `YYYY-MM-DDT`, made anew only when the day is another than the last one.
    fn prefix(&mut self, day: i64) -> &[u8; 11] {
        if day != self.day {
            self.prefix = prefix(day);
            self.day = day;
        }
        &self.prefix
    }

    /// Returns `YYYY-MM-DDThh:mm:ss+hh:mm`; nothing when there is a fraction.
    ///
    /// Nearly all of a hypnogram comes here: only the time of day is another one than before.
    fn whole(&mut self, local: i64, offset: UtcOffset) -> Option<&[u8; 25]> {
        let mut in_day = local.wrapping_sub(self.shown_from);
        if self.shown != Some(offset) || !(0..DAY_MILLIS).contains(&in_day) {
            in_day = local.rem_euclid(DAY_MILLIS);
            let prefix = *self.prefix(local.div_euclid(DAY_MILLIS));
            self.put(0, &prefix);
            self.put(19, &offset.ascii());
            self.shown = Some(offset);
            self.shown_from = local - in_day;
        }
        let in_day = small(in_day);
        let second = in_day / 1_000;
        if second * 1_000 != in_day {
            return None;
        }
        self.put(11, &clock(second));
        Some(&self.whole)
    }

    /// Puts a part of `whole` into its place.
    fn put<const LENGTH: usize>(&mut self, place: usize, part: &[u8; LENGTH]) {
        if let Some(room) = self.whole.get_mut(place..place + LENGTH) {
            room.copy_from_slice(part);
        }
    }
}

impl Default for TimestampWriter {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns what [`TimestampWriter::write_millis`] writes, for a single instant.
pub fn millis(unix_millis: i64, offset: Option<UtcOffset>) -> String {
    let mut out = Vec::new();
    TimestampWriter::new().write_millis(&mut out, unix_millis, offset);
    ascii(out)
}

/// Returns what [`TimestampWriter::write_micros_numeric`] writes, for a single instant.
pub fn micros_numeric(unix_micros: i64) -> String {
    let mut out = Vec::new();
    TimestampWriter::new().write_micros_numeric(&mut out, unix_micros);
    ascii(out)
}

/// Returns an instant in UTC with `Z`, and milliseconds when they are not zero.
pub fn utc(instant: DateTime<Utc>) -> String {
    millis(instant.timestamp_millis(), None)
}

/// Returns the text of bytes that this module wrote, which are ASCII.
fn ascii(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_default()
}

/// Returns `YYYY-MM-DDT` of a day counted from 1970-01-01, in the years 0000 to 9999.
fn prefix(day: i64) -> [u8; 11] {
    let date = DateTime::from_timestamp(day * 86_400, 0).unwrap_or_default().date_naive();
    let [y1, y2, y3, y4] = four(date.year().unsigned_abs());
    let ([m1, m2], [d1, d2]) = (two(date.month()), two(date.day()));
    [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, b'T']
}

/// Returns `hh:mm:ss` of a second of the day.
const fn clock(second: u32) -> [u8; 8] {
    let minute = second / 60;
    let hour = minute / 60;
    let [h1, h2] = pair(hour);
    let [m1, m2] = pair(minute - hour * 60);
    let [s1, s2] = pair(second - minute * 60);
    [h1, h2, b':', m1, m2, b':', s1, s2]
}

/// Narrows a remainder that is known to fit.
fn small(remainder: i64) -> u32 {
    u32::try_from(remainder).unwrap_or_default()
}

#[cfg(test)]
mod tests;
