//! The stages of a session as JSON: most of the text of a page.

use super::name::Beginnings;
use super::piece::put;
use domain::sleep::Hypnogram;
use domain::sleep::packed::{InvalidPacked, StageWalk};
use domain::time::{LocalDay, TimestampWriter, UtcOffset};

/// What stands between the start and the end of a stage.
const BETWEEN: &[u8; 9] = b"\",\"end\":\"";
/// What stands after the end of a stage.
const AFTER: &[u8; 3] = b"\"},";
/// Room for two times without fractions, and for what stands between and after them: 62 bytes and two more.
const LINE: usize = 64;

/// What the stages of a session stand in: its time in bed, in milliseconds since 1970, and the offset that they are told
/// with.
pub(super) struct Night {
    pub(super) started_at_millis: i64,
    pub(super) ended_at_millis: i64,
    pub(super) offset: Option<UtcOffset>,
}

/// Appends the member `raw_sleep`; fails as `check_stages` does.
pub(super) fn write_stages(
    night: &Night,
    stages: &[u8],
    timestamps: &mut TimestampWriter,
    out: &mut Vec<u8>,
) -> Result<(), InvalidPacked> {
    let Night { started_at_millis, ended_at_millis, offset } = *night;
    out.extend_from_slice(b",\"raw_sleep\":[");
    let beginnings = Beginnings::get();
    let mut times = Times::new(offset, timestamps);
    let (mut last_end, mut count) = (started_at_millis, 0_usize);
    for entry in StageWalk::new(started_at_millis, stages)? {
        let (stage, start, end) = entry?;
        (last_end, count) = (end, count.saturating_add(1));
        let (beginning, length) = beginnings.of_stage(stage);
        put(out, beginning, *length);
        times.write(start, end, out);
    }
    // Each stage ends after the one before it.
    if last_end > ended_at_millis {
        return Err(InvalidPacked::OutsideTimeInBed);
    }
    if count > Hypnogram::MAX_ENTRIES {
        return Err(InvalidPacked::TooMany);
    }
    close_list(out);
    Ok(())
}

/// Ends a list after whose last element there is a comma.
pub(super) fn close_list(out: &mut Vec<u8>) {
    if out.last() == Some(&b',') {
        out.pop();
    }
    out.push(b']');
}

/// Writes starts and ends, one stage after another.
struct Times<'t> {
    offset: Option<UtcOffset>,
    timestamps: &'t mut TimestampWriter,
    line: Option<Line>,
    /// The last end and its time of day: mostly the start of the next stage.
    last: (i64, [u8; 8]),
}

impl<'t> Times<'t> {
    fn new(offset: Option<UtcOffset>, timestamps: &'t mut TimestampWriter) -> Self {
        // No day has the first instant of all.
        Self { offset, timestamps, line: None, last: (i64::MIN, [0; 8]) }
    }

    /// Appends start and end of a stage, and what stands between and after them.
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

    /// Appends what the line has for these times; nothing when there is no line, or one of them has a fraction.
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

/// The times of the stages that start on one day and end on one day: `...","end":"..."},`, of which only the two times of
/// day are another stage's.
struct Line {
    start_day: LocalDay,
    end_day: LocalDay,
    text: [u8; LINE],
    length: usize,
    /// Where the time of day of the end stands.
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

    /// Appends the line with these times of day. They are put in after it is copied: a copy of what was just written
    /// would have to wait for it.
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
