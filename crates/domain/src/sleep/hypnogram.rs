//! The hypnogram: the stages of one session in time order.

use super::flatten::flatten;
use super::instant::whole_millis;
use super::{MetricValue, SleepMetrics, Stage, TimeInBed};
use chrono::{DateTime, Utc};

/// Says that a stage's end is not after its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the stage's end is not after its start")]
pub struct InvalidStageEntry;

/// Says why entries are no hypnogram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidHypnogram {
    /// An entry starts before the one listed before it has ended.
    #[error("stages overlap or are out of order")]
    OutOfOrder,
    /// An entry reaches beyond the time in bed.
    #[error("a stage lies outside the time in bed")]
    OutsideTimeInBed,
    /// There are more than [`Hypnogram::MAX_ENTRIES`] entries.
    #[error("more than 20160 stages in one session")]
    TooMany,
}

/// One stretch of one stage: start inclusive, end exclusive, whole milliseconds, end after start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StageEntry {
    stage: Stage,
    start: DateTime<Utc>,
    end: DateTime<Utc>,
}

impl StageEntry {
    /// Makes an entry of two instants, which are cut to milliseconds first.
    pub fn new(stage: Stage, start: DateTime<Utc>, end: DateTime<Utc>) -> Result<Self, InvalidStageEntry> {
        let (start, end) = (whole_millis(start), whole_millis(end));
        if end <= start {
            return Err(InvalidStageEntry);
        }
        Ok(Self { stage, start, end })
    }

    /// Gives the stage.
    pub const fn stage(&self) -> Stage {
        self.stage
    }

    /// Gives the start, inclusive.
    pub const fn start(&self) -> DateTime<Utc> {
        self.start
    }

    /// Gives the end, exclusive.
    pub const fn end(&self) -> DateTime<Utc> {
        self.end
    }

    /// Gives the start in milliseconds since the Unix epoch.
    pub const fn start_millis(&self) -> i64 {
        self.start.timestamp_millis()
    }

    /// Gives the end in milliseconds since the Unix epoch.
    pub const fn end_millis(&self) -> i64 {
        self.end.timestamp_millis()
    }

    /// Gives the length in milliseconds, at least 1.
    pub const fn millis(&self) -> i64 {
        self.end_millis().saturating_sub(self.start_millis())
    }

    /// Keeps the part within the time in bed; absent when nothing is left.
    pub(super) fn clipped(self, time_in_bed: &TimeInBed) -> Option<Self> {
        let start = self.start.max(time_in_bed.start());
        let end = self.end.min(time_in_bed.end());
        (start < end).then_some(Self { start, end, ..self })
    }

    /// Ends the entry elsewhere; the caller knows that the end is a later whole millisecond.
    pub(super) const fn ending_at(self, end: DateTime<Utc>) -> Self {
        Self { end, ..self }
    }

    /// Starts the entry elsewhere; the caller knows that the start is an earlier whole millisecond.
    pub(super) const fn starting_at(self, start: DateTime<Utc>) -> Self {
        Self { start, ..self }
    }
}

/// Holds the stages of one session: in time order, without overlap, within the time in bed.
///
/// Time in bed without an entry counts as unknown and is not listed. Equal stages that touch stay apart:
/// they are what the source recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hypnogram {
    entries: Vec<StageEntry>,
}

impl Hypnogram {
    /// The most entries of one session: seven days, the longest time in bed, have 20,160 half-minute epochs, and
    /// an epoch of 30 seconds is the shortest for which sleep is scored. More would only be a weight for whoever
    /// reads it.
    pub const MAX_ENTRIES: usize = 20_160;

    /// Gives the hypnogram of a session whose stages nobody recorded.
    pub const fn empty() -> Self {
        Self { entries: Vec::new() }
    }

    /// Returns whether entries other than UNKNOWN cover at least nine tenths of the time that a source's own totals
    /// call asleep or awake. Below that, sums over the entries say less about the night than the totals do.
    pub fn covers(&self, totals: &SleepMetrics) -> bool {
        let known = self.entries.iter().filter(|entry| entry.stage != Stage::Unknown);
        let millis = known.map(StageEntry::millis).fold(0, i64::saturating_add);
        let seconds = MetricValue::seconds_from_millis(millis).map_or(0.0, MetricValue::as_f64);
        seconds * 10.0 >= totals.seconds_asleep_and_awake() * 9.0
    }

    /// Takes entries that are in order, disjoint and within the time in bed already.
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

    /// Makes one time line of entries in any order: clips them to the time in bed, drops what is empty then,
    /// and lets the stage of higher [`Stage::priority`] win where entries overlap.
    ///
    /// Entries of equal stage are never joined; of two that overlap, the one that starts first keeps the
    /// shared stretch. An entry that a higher one interrupts becomes two. The result does not depend on the
    /// order of the entries.
    pub fn flatten(entries: Vec<StageEntry>, time_in_bed: &TimeInBed) -> Result<Self, InvalidHypnogram> {
        if entries.len() > Self::MAX_ENTRIES {
            return Err(InvalidHypnogram::TooMany);
        }
        Self::new(flatten(entries, time_in_bed), time_in_bed)
    }

    /// Lays short wakes over a base, as Fitbit's own summary does with `shortData`: what lies under a wake
    /// becomes AWAKE for that stretch, whatever stage the wake's own entry names.
    pub fn overlay(
        base: Vec<StageEntry>,
        wakes: Vec<StageEntry>,
        time_in_bed: &TimeInBed,
    ) -> Result<Self, InvalidHypnogram> {
        let mut entries = base;
        entries.extend(wakes.into_iter().map(|wake| StageEntry { stage: Stage::Awake, ..wake }));
        Self::flatten(entries, time_in_bed)
    }

    /// Gives the entries in time order.
    pub fn entries(&self) -> &[StageEntry] {
        &self.entries
    }

    /// Returns whether nobody recorded any stage.
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Counts the entries.
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
