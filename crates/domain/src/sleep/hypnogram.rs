//! The hypnogram: the stages of one session in time order.

use super::flatten::flatten;
use super::{MetricValue, SleepMetrics, Stage, TimeInBed};
use crate::time::whole_millis;
use chrono::{DateTime, Utc};

/// The end of a stage is not after its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the stage's end is not after its start")]
pub struct InvalidStageEntry;

/// Why entries are not a valid hypnogram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidHypnogram {
    /// An entry starts before the previous one has ended.
    #[error("stages overlap or are out of order")]
    OutOfOrder,
    /// An entry reaches beyond the time in bed.
    #[error("a stage lies outside the time in bed")]
    OutsideTimeInBed,
    /// There are more than [`Hypnogram::MAX_ENTRIES`] entries.
    #[error("more than 20160 stages in one session")]
    TooMany,
}

/// An interval in one stage: start inclusive, end exclusive, whole milliseconds, end after start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StageEntry {
    stage: Stage,
    start: DateTime<Utc>,
    end: DateTime<Utc>,
}

impl StageEntry {
    /// Creates an entry from two instants, truncated to milliseconds.
    pub fn new(stage: Stage, start: DateTime<Utc>, end: DateTime<Utc>) -> Result<Self, InvalidStageEntry> {
        let (start, end) = (whole_millis(start), whole_millis(end));
        if end <= start {
            return Err(InvalidStageEntry);
        }
        Ok(Self { stage, start, end })
    }

    /// Returns the stage.
    pub const fn stage(&self) -> Stage {
        self.stage
    }

    /// Returns the start, inclusive.
    pub const fn start(&self) -> DateTime<Utc> {
        self.start
    }

    /// Returns the end, exclusive.
    pub const fn end(&self) -> DateTime<Utc> {
        self.end
    }

    /// Returns the start in milliseconds since the Unix epoch.
    pub const fn start_millis(&self) -> i64 {
        self.start.timestamp_millis()
    }

    /// Returns the end in milliseconds since the Unix epoch.
    pub const fn end_millis(&self) -> i64 {
        self.end.timestamp_millis()
    }

    /// Returns the length in milliseconds, at least 1.
    pub const fn millis(&self) -> i64 {
        self.end_millis().saturating_sub(self.start_millis())
    }

    /// Returns the part within the time in bed; `None` if nothing is left.
    pub(super) fn clipped(self, time_in_bed: &TimeInBed) -> Option<Self> {
        let start = self.start.max(time_in_bed.start());
        let end = self.end.min(time_in_bed.end());
        (start < end).then_some(Self { start, end, ..self })
    }

    /// Changes the end; the caller ensures that it is a later whole millisecond.
    pub(super) const fn ending_at(self, end: DateTime<Utc>) -> Self {
        Self { end, ..self }
    }

    /// Changes the start; the caller ensures that it is an earlier whole millisecond.
    pub(super) const fn starting_at(self, start: DateTime<Utc>) -> Self {
        Self { start, ..self }
    }
}

/// Stages of one session: in time order, without overlap, within the time in bed.
///
/// Time in bed without an entry is unknown and not listed. Adjacent equal stages are not merged, because the
/// source recorded them separately.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hypnogram {
    entries: Vec<StageEntry>,
}

impl Hypnogram {
    /// Maximum number of entries per session: seven days, the longest time in bed, have 20,160 epochs of 30
    /// seconds, the shortest that sleep is scored in.
    pub const MAX_ENTRIES: usize = 20_160;

    /// Returns the hypnogram of a session without recorded stages.
    pub const fn empty() -> Self {
        Self { entries: Vec::new() }
    }

    /// Returns whether entries other than UNKNOWN cover at least nine tenths of the time that the source's
    /// totals report as asleep or awake. Below that, the totals describe the night better than sums over the
    /// entries.
    pub fn covers(&self, totals: &SleepMetrics) -> bool {
        let known = self.entries.iter().filter(|entry| entry.stage != Stage::Unknown);
        let millis = known.map(StageEntry::millis).fold(0, i64::saturating_add);
        let seconds = MetricValue::seconds_from_millis(millis).map_or(0.0, MetricValue::as_f64);
        seconds * 10.0 >= totals.seconds_asleep_and_awake() * 9.0
    }

    /// Creates a hypnogram from entries that are already sorted, disjoint and within the time in bed.
    pub fn new(entries: Vec<StageEntry>, time_in_bed: &TimeInBed) -> Result<Self, InvalidHypnogram> {
        if entries.len() > Self::MAX_ENTRIES {
            return Err(InvalidHypnogram::TooMany);
        }
        let overlap = entries.iter().zip(entries.iter().skip(1)).any(|(one, next)| next.start < one.end);
        if overlap {
            return Err(InvalidHypnogram::OutOfOrder);
        }
        let hypnogram = Self { entries };
        if !hypnogram.lies_within(time_in_bed) {
            return Err(InvalidHypnogram::OutsideTimeInBed);
        }
        Ok(hypnogram)
    }

    /// Creates a hypnogram from entries in any order: clips them to the time in bed, drops empty ones, and
    /// resolves overlaps in favour of the stage with the higher [`Stage::priority`].
    ///
    /// Equal stages are never merged; if they overlap, the entry that starts first keeps the shared part. An
    /// entry interrupted by a higher one is split in two. The result does not depend on the order of the
    /// entries.
    pub fn flatten(entries: Vec<StageEntry>, time_in_bed: &TimeInBed) -> Result<Self, InvalidHypnogram> {
        if entries.len() > Self::MAX_ENTRIES {
            return Err(InvalidHypnogram::TooMany);
        }
        Self::new(flatten(entries, time_in_bed), time_in_bed)
    }

    /// Overlays short wakes on a base, as Fitbit's summary does with `shortData`: the part under a wake
    /// becomes AWAKE, whatever stage the wake entry names.
    pub fn overlay(
        base: Vec<StageEntry>,
        wakes: Vec<StageEntry>,
        time_in_bed: &TimeInBed,
    ) -> Result<Self, InvalidHypnogram> {
        let mut entries = base;
        entries.extend(wakes.into_iter().map(|wake| StageEntry { stage: Stage::Awake, ..wake }));
        Self::flatten(entries, time_in_bed)
    }

    /// Returns the entries in time order.
    pub fn entries(&self) -> &[StageEntry] {
        &self.entries
    }

    /// Returns whether there are no entries.
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the number of entries.
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether every entry lies within the time in bed.
    pub(super) fn lies_within(&self, time_in_bed: &TimeInBed) -> bool {
        self.entries.first().is_none_or(|first| first.start >= time_in_bed.start())
            && self.entries.last().is_none_or(|last| last.end <= time_in_bed.end())
    }
}

#[cfg(test)]
mod tests;
