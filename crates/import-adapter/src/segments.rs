//! Sessions assembled from single stage intervals, for formats without nights.
//!
//! Per source, sorted by start, an interval joins the current session if it starts at most 60 minutes after
//! the latest end so far. Exact duplicates are dropped, and sources are never merged (formats.md).

use crate::session;
use crate::source::{Invalid, Items, Notes};
use application::ports::import_source::ImportRefusal;
use chrono::{DateTime, Utc};
use domain::sleep::{
    Hypnogram, SessionKey, SleepRecord, SleepRecordHead, SleepSource, Stage, StageEntry, TimeInBed,
};
use domain::time::UtcOffset;
use std::collections::HashMap;

/// Longest gap within a session, in milliseconds.
pub(crate) const GAP_MILLIS: i64 = 60 * 60_000;
/// Maximum number of intervals per import, at 32 bytes each: 48 MB.
pub(crate) const SEGMENT_LIMIT: usize = 1_500_000;
/// Maximum number of sessions that wait for the last file; more than 500 years of nights.
pub(crate) const SESSION_LIMIT: usize = 200_000;

/// Comparisons of sessions with stages that are left: one for each stage suffices unless sessions overlap.
#[derive(Debug, Default)]
pub(crate) struct Comparisons(usize);

impl Comparisons {
    /// Allows for some overlap among the sessions with this many stages.
    pub(crate) const fn with(stages: usize) -> Self {
        Self(stages.saturating_mul(16).saturating_add(10_000))
    }

    /// Counts the comparisons of a session with this many stages, or returns why it is rejected.
    pub(crate) fn count(&mut self, stages: usize) -> Result<(), String> {
        self.0 = self.0.checked_sub(stages).ok_or("too many sessions have the same stages")?;
        Ok(())
    }
}

/// Maximum number of sources per import.
const SOURCE_LIMIT: usize = 1000;

/// Note on records that an import repeats.
pub(crate) const DUPLICATES_NOTE: &str = "records that the import contains more than once were read once";

/// One interval of one source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) start: DateTime<Utc>,
    pub(crate) end: DateTime<Utc>,
    /// Offsets at start and end, if the file has them.
    pub(crate) offset_at_start: Option<UtcOffset>,
    pub(crate) offset_at_end: Option<UtcOffset>,
    /// Stage; `None` for time in bed.
    pub(crate) stage: Option<Stage>,
    /// Line or record number.
    pub(crate) at: u64,
}

/// A stored interval; sorts in the order in which sessions are assembled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct StoredSegment {
    source: u16,
    start: i64,
    /// Length in milliseconds, at most seven days.
    length: u32,
    state: State,
    /// Of equal intervals, the one of the first record is kept.
    at: Place,
    offset_at_start: Option<i16>,
    offset_at_end: Option<i16>,
}

/// State during an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    /// Unknown: the period of totals.
    Unstated,
    InBed,
    /// In the stage with this code.
    In(u8),
}

/// File and line or record number in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    file: u32,
    number: u32,
}

impl StoredSegment {
    fn end(&self) -> i64 {
        self.start.saturating_add(self.length.into())
    }

    fn is_the_same(&self, other: &Self) -> bool {
        (self.source, self.start, self.length, self.state)
            == (other.source, other.start, other.length, other.state)
    }
}

/// Collects intervals, also of several files, then assembles sessions.
#[derive(Debug)]
pub(crate) struct Segments {
    /// Unit of `at` in reports: `line` or `record`.
    unit: &'static str,
    /// Number of the file that is being read.
    file: u32,
    sources: Vec<SleepSource>,
    numbers: HashMap<String, u16>,
    stored: Vec<StoredSegment>,
    next: usize,
    is_sorted: bool,
}

impl Segments {
    /// Creates an empty collection; `unit` is the unit of `at`.
    pub(crate) fn new(unit: &'static str) -> Self {
        let (sources, numbers, stored) = (Vec::new(), HashMap::new(), Vec::new());
        Self { unit, file: 0, sources, numbers, stored, next: 0, is_sorted: false }
    }

    /// Sets the number of the file that contains the intervals that are added next.
    pub(crate) const fn begin_file(&mut self, file: u32) {
        self.file = file;
    }

    /// Adds an interval; too many reject the file.
    pub(crate) fn add(&mut self, source: &SleepSource, segment: &Segment) -> Result<(), Invalid> {
        self.store(source, segment, State::InBed)
    }

    /// Adds the period of totals, which other totals of the night may have as well.
    pub(crate) fn add_period(&mut self, source: &SleepSource, segment: &Segment) -> Result<(), Invalid> {
        self.store(source, segment, State::Unstated)
    }

    /// Stores an interval, whose state without a stage is given.
    fn store(&mut self, source: &SleepSource, segment: &Segment, unstaged: State) -> Result<(), Invalid> {
        // Validated like a session, so that one invalid interval does not reject its night.
        let Segment { start, end, offset_at_start, offset_at_end, stage, at } = *segment;
        let interval =
            TimeInBed::new(start, end, offset_at_start, offset_at_end).map_err(|error| error.to_string())?;
        if self.stored.len() >= SEGMENT_LIMIT {
            return Err(too_many("stretches of sleep", SEGMENT_LIMIT).into());
        }
        let source = self.number(source)?;
        self.stored.push(StoredSegment {
            source,
            start: interval.start_millis(),
            length: u32::try_from(interval.millis()).unwrap_or(u32::MAX),
            state: stage.map_or(unstaged, |stage| State::In(stage.code())),
            at: Place { file: self.file, number: u32::try_from(at).unwrap_or(u32::MAX) },
            offset_at_start: offset_at_start.map(UtcOffset::minutes),
            offset_at_end: offset_at_end.map(UtcOffset::minutes),
        });
        Ok(())
    }

    fn number(&mut self, source: &SleepSource) -> Result<u16, ImportRefusal> {
        if let Some(number) = self.numbers.get(source.as_str()) {
            return Ok(*number);
        }
        let number =
            u16::try_from(self.sources.len()).ok().filter(|number| usize::from(*number) < SOURCE_LIMIT);
        let number = number.ok_or_else(|| too_many("sources", SOURCE_LIMIT))?;
        self.sources.push(source.clone());
        self.numbers.insert(source.as_str().to_owned(), number);
        Ok(number)
    }

    /// Emits the next session, or why its intervals form none, or the note on duplicates; returns the file of
    /// the first record, `None` at the end.
    pub(crate) fn next_session(&mut self, items: &mut Items) -> Option<u32> {
        if !self.is_sorted {
            self.is_sorted = true;
            if let Some(file) = self.sort(items) {
                return Some(file);
            }
        }
        let rest = self.stored.get(self.next..).unwrap_or_default();
        let group = rest.get(..length_of_first(rest)).unwrap_or_default();
        let at = group.iter().map(|stored| stored.at).min()?;
        let outcome = self.session(group).map_err(|reason| match group.len() {
            1 => reason,
            count => format!("{reason}; {count} records that follow each other were dropped"),
        });
        items.finish_session(&self.place(at), Notes::default(), outcome);
        self.next = self.next.saturating_add(group.len());
        Some(at.file)
    }

    /// Returns a position in reports: `record 3`.
    fn place(&self, at: Place) -> String {
        format!("{} {}", self.unit, at.number)
    }

    /// Sorts the intervals and removes duplicates, which are noted; returns the file of the first.
    fn sort(&mut self, items: &mut Items) -> Option<u32> {
        self.stored.sort_unstable();
        let (mut count, mut first) = (0_usize, None);
        self.stored.dedup_by(|next, kept| {
            let is_the_same = next.is_the_same(kept);
            if is_the_same && next.state != State::Unstated {
                count = count.saturating_add(1);
                first = Some(first.unwrap_or(next.at).min(next.at));
            }
            is_the_same
        });
        let first = first?;
        items.note_count(&self.place(first), DUPLICATES_NOTE, count);
        Some(first.file)
    }

    fn session(&self, group: &[StoredSegment]) -> Result<SleepRecord, String> {
        let none = || "no stretches".to_owned();
        let first = group.first().ok_or_else(none)?;
        let last = group.iter().max_by_key(|stored| stored.end()).ok_or_else(none)?;
        let time_in_bed = session::time_in_bed(
            (instant(first.start)?, first.offset_at_start.and_then(UtcOffset::from_minutes)),
            (instant(last.end())?, last.offset_at_end.and_then(UtcOffset::from_minutes)),
        )?;
        let mut entries = Vec::with_capacity(group.len());
        for stored in group {
            if let State::In(code) = stored.state
                && let Some(stage) = Stage::from_code(code)
            {
                let entry = StageEntry::new(stage, instant(stored.start)?, instant(stored.end())?);
                entries.push(entry.map_err(|error| error.to_string())?);
            }
        }
        let hypnogram = Hypnogram::flatten(entries, &time_in_bed).map_err(|error| error.to_string())?;
        let head = SleepRecordHead {
            key: SessionKey::derived_from(time_in_bed.start()),
            source: self.sources.get(usize::from(first.source)).cloned(),
            time_in_bed,
            is_nap: None,
        };
        SleepRecord::from_stages(head, hypnogram).map_err(|error| error.to_string())
    }
}

/// Returns the number of leading intervals that form the first session.
fn length_of_first(stored: &[StoredSegment]) -> usize {
    let Some(first) = stored.first() else { return 0 };
    let mut latest_end = first.end();
    let joins = |next: &&StoredSegment| {
        let joins = next.source == first.source && next.start <= latest_end.saturating_add(GAP_MILLIS);
        latest_end = latest_end.max(next.end());
        joins
    };
    stored.iter().take_while(joins).count()
}

fn instant(millis: i64) -> Result<DateTime<Utc>, String> {
    DateTime::from_timestamp_millis(millis).ok_or_else(|| "a time is out of range".to_owned())
}

/// Rejects an import with too many of something.
pub(crate) fn too_many(what: &str, limit: usize) -> ImportRefusal {
    ImportRefusal::Unreadable(format!("the import contains more than {limit} {what}: split it by time"))
}

#[cfg(test)]
mod tests;
