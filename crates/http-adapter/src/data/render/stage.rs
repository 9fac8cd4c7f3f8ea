//! Stages of a session as JSON: most of the text of a page.

use super::json::put;
use super::name::NamePrefixes;
use domain::sleep::Hypnogram;
use domain::sleep::packed::{InvalidPacked, StageWalk};
use domain::time::{LocalDay, TimestampWriter, UtcOffset};

/// Text between the start and the end of a stage.
const BETWEEN: &[u8; 9] = b"\",\"end\":\"";
/// Text after the end of a stage.
const AFTER: &[u8; 3] = b"\"},";
/// Maximum size of two times without fractions and the text between and after them: 62 bytes, rounded up.
const LINE: usize = 64;

/// Context of the stages of a session: its time in bed in milliseconds since 1970, and its UTC offset.
pub(super) struct Night {
    pub(super) started_at_millis: i64,
    pub(super) ended_at_millis: i64,
    pub(super) offset: Option<UtcOffset>,
}

/// Appends the member `raw_sleep`; fails like `check_stages`.
pub(super) fn write_stages(
    night: &Night,
    stages: &[u8],
    timestamps: &mut TimestampWriter,
    out: &mut Vec<u8>,
) -> Result<(), InvalidPacked> {
    let Night { started_at_millis, ended_at_millis, offset } = *night;
    out.extend_from_slice(b",\"raw_sleep\":[");
    let prefixes = NamePrefixes::get();
    let mut times = TimeWriter::new(offset, timestamps);
    let (mut last_end, mut count) = (started_at_millis, 0_usize);
    for entry in StageWalk::new(started_at_millis, stages)? {
        let (stage, start, end) = entry?;
        (last_end, count) = (end, count.saturating_add(1));
        let (beginning, length) = prefixes.of_stage(stage);
        put(out, beginning, *length);
        times.write(start, end, out);
    }
    // Each stage ends after the previous one.
    if last_end > ended_at_millis {
        return Err(InvalidPacked::OutsideTimeInBed);
    }
    if count > Hypnogram::MAX_ENTRIES {
        return Err(InvalidPacked::TooMany);
    }
    close_list(out);
    Ok(())
}

/// Closes a list whose last element is followed by a comma.
pub(super) fn close_list(out: &mut Vec<u8>) {
    if out.last() == Some(&b',') {
        out.pop();
    }
    out.push(b']');
}

/// Writer of starts and ends.
struct TimeWriter<'t> {
    offset: Option<UtcOffset>,
    timestamps: &'t mut TimestampWriter,
    line: Option<Line>,
    /// Last end and its time of day, which is usually the start of the next stage.
    last: (i64, [u8; 8]),
}

impl<'t> TimeWriter<'t> {
    fn new(offset: Option<UtcOffset>, timestamps: &'t mut TimestampWriter) -> Self {
        // No local day contains this instant.
        Self { offset, timestamps, line: None, last: (i64::MIN, [0; 8]) }
    }

    /// Appends start and end of a stage, and the text between and after them.
    #[inline]
    fn write(&mut self, start: i64, end: i64, out: &mut Vec<u8>) {
        if !self.line.as_ref().is_some_and(|line| line.holds(start, end)) {
            self.line = self.line_of(start, end);
        }
        if self.write_line(start, end, out).is_none() {
            self.timestamps.write_millis(out, start, self.offset);
            out.extend_from_slice(BETWEEN);
            self.timestamps.write_millis(out, end, self.offset);
            out.extend_from_slice(AFTER);
        }
    }

    /// Appends the line with these times; `None` if there is no line or a time has a fraction.
    #[inline]
    fn write_line(&mut self, start: i64, end: i64, out: &mut Vec<u8>) -> Option<()> {
        let line = self.line.as_ref()?;
        let (last_end, last_clock) = self.last;
        let from = if start == last_end { last_clock } else { line.start_day.clock(start)? };
        let to = line.end_day.clock(end)?;
        self.last = (end, to);
        line.write(from, to, out)
    }

    #[cold]
    fn line_of(&mut self, start: i64, end: i64) -> Option<Line> {
        let start_day = self.timestamps.local_day(start, self.offset)?;
        Line::new(start_day, self.timestamps.local_day(end, self.offset)?)
    }
}

/// Template for stages with the same start day and end day: `...","end":"..."},`. Only the two times of day
/// differ.
struct Line {
    start_day: LocalDay,
    end_day: LocalDay,
    text: [u8; LINE],
    length: usize,
    /// Position of the time of day of the end.
    end_clock: usize,
}

impl Line {
    fn new(start_day: LocalDay, end_day: LocalDay) -> Option<Self> {
        let mut text = [0; LINE];
        let mut length = 0;
        for part in [start_day.text(), BETWEEN, end_day.text(), AFTER] {
            text.get_mut(length..length + part.len())?.copy_from_slice(part);
            length += part.len();
        }
        let end_clock = start_day.text().len() + BETWEEN.len() + LocalDay::CLOCK;
        Some(Self { start_day, end_day, text, length, end_clock })
    }

    #[inline]
    const fn holds(&self, start: i64, end: i64) -> bool {
        self.start_day.contains(start) && self.end_day.contains(end)
    }

    /// Appends the line with these times of day. They are written into the copy: a copy made right after
    /// writing them would stall.
    #[inline]
    fn write(&self, from: [u8; 8], to: [u8; 8], out: &mut Vec<u8>) -> Option<()> {
        let end = out.len().saturating_add(self.length);
        out.extend_from_slice(&self.text);
        let line = out.last_chunk_mut::<LINE>()?;
        *line.get_mut(LocalDay::CLOCK..)?.first_chunk_mut()? = from;
        *line.get_mut(self.end_clock..)?.first_chunk_mut()? = to;
        out.truncate(end);
        Some(())
    }
}
