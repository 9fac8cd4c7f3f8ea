//! The stages and metrics of a session as JSON: nearly all of the text of a page.

use super::name::Beginnings;
use super::room::Room;
use domain::sleep::Hypnogram;
use domain::sleep::packed::{InvalidPacked, MetricWalk, StageWalk};
use domain::time::{LocalDay, TimestampWriter, UtcOffset};

/// What stands between the start and the end of a stage.
const BETWEEN: &[u8; 9] = b"\",\"end\":\"";
/// What stands after the end of a stage.
const AFTER: &[u8; 3] = b"\"},";
/// Where the times of day stand in a line whose times have `length` characters.
const START: usize = LocalDay::CLOCK;
const fn end_clock(length: usize) -> usize {
    length + BETWEEN.len() + LocalDay::CLOCK
}

/// The most that is copied for a stage: beginning, two times with fractions, and what stands between and after them.
const MOST_OF_STAGE: usize = 32 + 29 + BETWEEN.len() + 29 + AFTER.len();
/// The most that is copied for a metric: beginning, the longest number, and what stands after it.
const MOST_OF_METRIC: usize = 48 + 32 + 2;
/// The least bytes of a packed stage, and of a packed metric.
const PACKED: usize = 2;
/// More than the name of a member, its brackets, and what is too much of the last piece.
const AROUND: usize = 128;

/// What the stages of a session stand in: its time in bed, in milliseconds since 1970, and the offset that they are told
/// with.
pub(super) struct Night {
    pub(super) started_at_millis: i64,
    pub(super) ended_at_millis: i64,
    pub(super) offset: Option<UtcOffset>,
}

/// The times of a stage whose start and end fall on one day: `...","end":"..."},`, of which only the two times of day are
/// another stage's.
struct Line {
    day: LocalDay,
    text: [u8; 64],
    length: usize,
    /// The end of the last stage, and its time of day: mostly the start of the next one.
    last: (i64, [u8; 8]),
}

impl Line {
    /// Makes the line of a day; nothing when the last stage did not end at a whole second.
    fn new(day: LocalDay, last_end: i64) -> Option<Self> {
        let last = (last_end, day.clock(last_end)?);
        let mut text = [0; 64];
        let mut length = 0;
        for part in [day.text(), BETWEEN, day.text(), AFTER] {
            text.get_mut(length..length + part.len())?.copy_from_slice(part);
            length += part.len();
        }
        Some(Self { day, text, length, last })
    }

    /// Returns the line of a stage; nothing when it does not fall on the day, or not on whole seconds.
    #[inline]
    fn of(&mut self, start: i64, end: i64) -> Option<(&[u8; 64], usize)> {
        let (last_end, last_clock) = self.last;
        let from = if start == last_end { last_clock } else { self.day.clock(start)? };
        let to = self.day.clock(end)?;
        self.last = (end, to);
        let end_clock = end_clock(self.day.text().len());
        self.text.get_mut(START..START + 8)?.copy_from_slice(&from);
        self.text.get_mut(end_clock..end_clock + 8)?.copy_from_slice(&to);
        Some((&self.text, self.length))
    }
}

/// Appends the member `raw_sleep`; fails as `check_stages` does.
pub(super) fn write_stages(
    night: &Night,
    stages: &[u8],
    timestamps: &mut TimestampWriter,
    out: &mut Vec<u8>,
) -> Result<(), InvalidPacked> {
    out.extend_from_slice(b",\"raw_sleep\":[");
    let walk = StageWalk::new(night.started_at_millis, stages)?;
    let most = (stages.len() / PACKED).saturating_mul(MOST_OF_STAGE).saturating_add(AROUND);
    Room::fill(out, most, |room| put_stages(walk, night, timestamps, room))?;
    close_list(out);
    Ok(())
}

fn put_stages(
    walk: StageWalk<'_>,
    night: &Night,
    timestamps: &mut TimestampWriter,
    room: &mut Room<'_>,
) -> Result<(), InvalidPacked> {
    let Night { started_at_millis, ended_at_millis, offset } = *night;
    let (mut last_end, mut count) = (started_at_millis, 0_usize);
    let beginnings = Beginnings::get();
    let mut line: Option<Line> = None;
    let mut text = Vec::new();
    for entry in walk {
        let (stage, start, end) = entry?;
        (last_end, count) = (end, count.saturating_add(1));
        let (beginning, length) = beginnings.of_stage(stage);
        room.put(beginning, *length);
        if let Some((times, length)) = line.as_mut().and_then(|line| line.of(start, end)) {
            room.put(times, length);
            continue;
        }
        text.clear();
        timestamps.write_millis(&mut text, start, offset);
        text.extend_from_slice(BETWEEN);
        timestamps.write_millis(&mut text, end, offset);
        text.extend_from_slice(AFTER);
        room.put_slice(&text);
        line = timestamps.local_day(end, offset).and_then(|day| Line::new(day, end));
    }
    // Each stage ends after the one before it.
    if last_end > ended_at_millis {
        return Err(InvalidPacked::OutsideTimeInBed);
    }
    if count > Hypnogram::MAX_ENTRIES { Err(InvalidPacked::TooMany) } else { Ok(()) }
}

/// Appends the member `sleep_metric`; fails as `check_metrics` does.
pub(super) fn write_metrics(metrics: &[u8], out: &mut Vec<u8>) -> Result<(), InvalidPacked> {
    out.extend_from_slice(b",\"sleep_metric\":[");
    let walk = MetricWalk::new(metrics)?;
    let most = (metrics.len() / PACKED).saturating_mul(MOST_OF_METRIC).saturating_add(AROUND);
    Room::fill(out, most, |room| put_metrics(walk, room))?;
    close_list(out);
    Ok(())
}

fn put_metrics(walk: MetricWalk<'_>, room: &mut Room<'_>) -> Result<(), InvalidPacked> {
    let beginnings = Beginnings::get();
    for entry in walk {
        let (kind, value) = entry?;
        let (beginning, length) = beginnings.of_metric(kind);
        room.put(beginning, *length);
        if let Some((number, length)) = value.short_json() {
            room.put(&number, length);
        } else {
            let mut number = Vec::new();
            value.write_json(&mut number);
            room.put_slice(&number);
        }
        room.put(b"},", 2);
    }
    Ok(())
}

/// Ends a list after whose last element there is a comma.
fn close_list(out: &mut Vec<u8>) {
    if out.last() == Some(&b',') {
        out.pop();
    }
    out.push(b']');
}
