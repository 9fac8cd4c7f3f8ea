//! Encoding of stages; the parent module describes the format.

use super::super::{Hypnogram, Stage, StageEntry, TimeInBed};
use super::{InvalidPacked, VERSION, varint};
use chrono::DateTime;

/// Lengths of units 1, 2 and 3 in milliseconds.
const UNITS: [i64; 3] = [1, 1_000, 30_000];

/// Encodes the stages of a session that starts at `start_millis` (milliseconds since the Unix epoch).
///
/// Anything before that instant is cut off; a [`super::super::SleepRecord`] has nothing there.
pub fn encode_stages(start_millis: i64, hypnogram: &Hypnogram) -> Vec<u8> {
    let stretches = stretches(start_millis, hypnogram);
    if stretches.is_empty() {
        return Vec::new();
    }
    let whole_in =
        |unit: i64| stretches.iter().all(|&(_, gap, length)| gap % unit == 0 && length % unit == 0);
    let coarsest = (1_u8..=3).zip(UNITS).rev().find(|&(_, unit)| whole_in(unit));
    let (number, unit) = coarsest.unwrap_or((1, 1));
    let mut out = Vec::with_capacity(stretches.len().saturating_mul(4));
    out.push(VERSION * 16 + number);
    for (stage, gap, length) in stretches {
        out.push(stage.code() * 2 + u8::from(gap > 0));
        if gap > 0 {
            varint::write((gap / unit).unsigned_abs(), &mut out);
        }
        varint::write((length / unit).unsigned_abs(), &mut out);
    }
    out
}

/// Returns stage, preceding gap and length in milliseconds; the length is at least 1.
fn stretches(start_millis: i64, hypnogram: &Hypnogram) -> Vec<(Stage, i64, i64)> {
    let mut cursor = start_millis;
    let mut stretches = Vec::with_capacity(hypnogram.len());
    for entry in hypnogram.entries() {
        let start = entry.start_millis().max(cursor);
        let length = entry.end_millis().saturating_sub(start);
        if length > 0 {
            stretches.push((entry.stage(), start.saturating_sub(cursor), length));
            cursor = entry.end_millis();
        }
    }
    stretches
}

/// Decodes the stages of a session; rejects whatever [`check_stages`] rejects.
pub fn decode_stages(time_in_bed: &TimeInBed, bytes: &[u8]) -> Result<Hypnogram, InvalidPacked> {
    let (start, end) = (time_in_bed.start_millis(), time_in_bed.end_millis());
    let mut entries = Vec::with_capacity(check_stages(start, end, bytes)?);
    for stretch in StageWalk::new(start, bytes)? {
        let (stage, from, to) = stretch?;
        let instant = |millis| DateTime::from_timestamp_millis(millis).ok_or(InvalidPacked::OutsideTimeInBed);
        let entry = StageEntry::new(stage, instant(from)?, instant(to)?);
        entries.push(entry.map_err(|_| InvalidPacked::EmptyStretch)?);
    }
    Hypnogram::new(entries, time_in_bed).map_err(|_| InvalidPacked::OutsideTimeInBed)
}

/// Checks packed stages of a session between two instants (milliseconds since the Unix epoch) and counts the
/// entries.
///
/// Does not allocate. Afterwards, a [`StageWalk`] with the same start over the same bytes returns no error,
/// so a response whose first bytes are sent can be completed.
pub fn check_stages(start_millis: i64, end_millis: i64, bytes: &[u8]) -> Result<usize, InvalidPacked> {
    let mut walk = StageWalk::new(start_millis, bytes)?;
    let mut count = walk.skip_plain();
    while let Some(stretch) = walk.next() {
        stretch?;
        count = count.saturating_add(1).saturating_add(walk.skip_plain());
    }
    // Each stage ends after the previous one.
    if walk.cursor > end_millis {
        return Err(InvalidPacked::OutsideTimeInBed);
    }
    if count > Hypnogram::MAX_ENTRIES { Err(InvalidPacked::TooMany) } else { Ok(count) }
}

/// Iterates over packed stages without allocation: stage, start and end in milliseconds since the Unix epoch,
/// in time order, disjoint, end after start. Stops after the first error.
#[derive(Debug, Clone)]
pub struct StageWalk<'a> {
    cursor: i64,
    unit: i64,
    rest: &'a [u8],
}

impl<'a> StageWalk<'a> {
    /// Starts an iteration over the stages of a session that starts at `start_millis`; checks only the
    /// header.
    pub fn new(start_millis: i64, bytes: &'a [u8]) -> Result<Self, InvalidPacked> {
        let Some((&header, rest)) = bytes.split_first() else {
            return Ok(Self { cursor: start_millis, unit: 1, rest: &[] });
        };
        if header / 16 != VERSION {
            return Err(InvalidPacked::UnknownHeader);
        }
        let unit = (header % 16).checked_sub(1).and_then(|place| UNITS.get(usize::from(place)));
        let unit = *unit.ok_or(InvalidPacked::UnknownHeader)?;
        if rest.is_empty() {
            return Err(InvalidPacked::Truncated);
        }
        Ok(Self { cursor: start_millis, unit, rest })
    }

    /// Reads a two-byte entry, the common case: it has no gap, and its length is below 128.
    #[inline]
    fn plain(&mut self) -> Option<(Stage, i64, i64)> {
        let &[tag, units @ 1..0x80, ref rest @ ..] = self.rest else { return None };
        let stage = Stage::from_code(tag / 2).filter(|_| tag % 2 == 0)?;
        let start = self.cursor;
        let end = start.checked_add(i64::from(units) * self.unit)?;
        (self.cursor, self.rest) = (end, rest);
        Some((stage, start, end))
    }

    /// Skips two-byte entries and counts them.
    fn skip_plain(&mut self) -> usize {
        let is_plain = |&&[tag, units]: &&[u8; 2]| {
            tag % 2 == 0 && Stage::from_code(tag / 2).is_some() && (1..0x80).contains(&units)
        };
        let (pairs, _) = self.rest.as_chunks();
        let count = pairs.iter().take_while(is_plain).count();
        let units: i64 = pairs.iter().take(count).map(|[_, units]| i64::from(*units)).sum();
        // Leave an overflow to the iteration, which rejects it.
        let Some(cursor) = self.cursor.checked_add(units.saturating_mul(self.unit)) else { return 0 };
        self.rest = self.rest.get(count.saturating_mul(2)..).unwrap_or_default();
        self.cursor = cursor;
        count
    }

    /// Reads the next entry of any form.
    fn next_entry(&mut self) -> Option<Result<(Stage, i64, i64), InvalidPacked>> {
        if self.rest.is_empty() {
            return None;
        }
        let entry = self.entry();
        if entry.is_err() {
            self.rest = &[];
        }
        Some(entry)
    }

    fn entry(&mut self) -> Result<(Stage, i64, i64), InvalidPacked> {
        let (&tag, rest) = self.rest.split_first().ok_or(InvalidPacked::Truncated)?;
        let stage = Stage::from_code(tag / 2).ok_or(InvalidPacked::UnknownTag)?;
        self.rest = rest;
        let start = if tag % 2 == 1 { self.advance()? } else { self.cursor };
        let end = self.advance()?;
        Ok((stage, start, end))
    }

    /// Reads a length and advances the cursor.
    fn advance(&mut self) -> Result<i64, InvalidPacked> {
        let (units, rest) = varint::read(self.rest)?;
        if units == 0 {
            return Err(InvalidPacked::EmptyStretch);
        }
        let moved = units.checked_mul(self.unit).and_then(|millis| self.cursor.checked_add(millis));
        self.cursor = moved.ok_or(InvalidPacked::OutsideTimeInBed)?;
        self.rest = rest;
        Ok(self.cursor)
    }
}

impl Iterator for StageWalk<'_> {
    type Item = Result<(Stage, i64, i64), InvalidPacked>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self.plain() {
            Some(entry) => Some(Ok(entry)),
            None => self.next_entry(),
        }
    }
}

impl std::iter::FusedIterator for StageWalk<'_> {}
