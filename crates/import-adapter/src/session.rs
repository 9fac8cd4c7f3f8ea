//! Steps from a record to a session that the formats share.

use crate::json::LooseScalar;
use crate::source::Notes;
use chrono::{DateTime, Utc};
use domain::sleep::{
    Hypnogram, SessionKey, SleepMetrics, SleepRecord, SleepRecordHead, SleepSource, SourceTotals, StageEntry,
    TimeInBed,
};
use domain::time::UtcOffset;
use std::time::Duration;

/// Creates the time in bed from its start and end, each with its offset, or returns why it is invalid.
pub(crate) fn time_in_bed(
    (start, offset_at_start): (DateTime<Utc>, Option<UtcOffset>),
    (end, offset_at_end): (DateTime<Utc>, Option<UtcOffset>),
) -> Result<TimeInBed, String> {
    TimeInBed::new(start, end, offset_at_start, offset_at_end)
        .map_err(|error| format!("time in bed: {error}"))
}

/// Returns the source of sessions of a format.
pub(crate) fn source(name: &str) -> Result<Option<SleepSource>, String> {
    SleepSource::parse(name).map(Some).map_err(|error| error.to_string())
}

/// Parses the id of a record; without one, the key is derived from the start. `name` is the member's name.
pub(crate) fn key(name: &str, id: &LooseScalar, start: DateTime<Utc>) -> Result<SessionKey, String> {
    if id.is_blank() {
        return Ok(SessionKey::derived_from(start));
    }
    let id = id.identifier().ok_or_else(|| format!("{name} is neither a whole number nor a string"))?;
    SessionKey::from_source(&id).map_err(|error| format!("{name}: {error}"))
}

/// Arranges stages within the time in bed; notes those that extend beyond it.
pub(crate) fn hypnogram(
    entries: Vec<StageEntry>,
    time_in_bed: &TimeInBed,
    notes: &mut Notes,
) -> Result<Hypnogram, String> {
    let beyond = |entry: &&StageEntry| entry.start() < time_in_bed.start() || entry.end() > time_in_bed.end();
    let trimmed = entries.iter().filter(beyond).count();
    notes.count(trimmed, "stages that extend beyond the time in bed were trimmed");
    Hypnogram::flatten(entries, time_in_bed).map_err(|error| error.to_string())
}

/// Builds metrics from stated totals; notes totals that contradict the time in bed.
pub(crate) fn metrics(totals: &SourceTotals, time_in_bed: &TimeInBed, notes: &mut Notes) -> SleepMetrics {
    let (metrics, dropped) = SleepMetrics::from_totals(time_in_bed, totals);
    if dropped {
        notes.add("the totals contradict the time in bed and were dropped");
    } else if !totals.are_silent() && metrics.are_of_time_in_bed_alone() {
        notes.add("the time asleep is 0, which says nothing about the night; the totals were left out");
    } else if *totals != SourceTotals::default() {
        note_silence(&metrics, notes);
    }
    metrics
}

/// Notes totals of which nothing is left, because all are 0.
pub(crate) fn note_silence(metrics: &SleepMetrics, notes: &mut Notes) {
    if metrics.are_of_time_in_bed_alone() {
        notes.add("all totals are 0, which says nothing about the night; they were left out");
    }
}

/// Creates a session from totals alone.
pub(crate) fn without_stages(head: SleepRecordHead, metrics: SleepMetrics) -> Result<SleepRecord, String> {
    SleepRecord::from_metrics(head, metrics).map_err(|error| error.to_string())
}

/// Creates a session from the stages and totals of a log, and adds a note if the stages cover little of it.
pub(crate) fn with_stages(
    head: SleepRecordHead,
    hypnogram: Hypnogram,
    metrics: SleepMetrics,
    notes: &mut Notes,
) -> Result<SleepRecord, String> {
    if !hypnogram.is_empty() && !hypnogram.covers(&metrics) {
        notes.add("the stages cover less than 90 percent of the log; its own totals were kept");
    }
    SleepRecord::from_stages_or_metrics(head, hypnogram, metrics).map_err(|error| error.to_string())
}

/// Parses totals and counts invalid ones: not a number, or negative.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    unreadable: usize,
}

impl Sums {
    /// Returns a length in seconds; `None` if the record does not state it.
    pub(crate) fn seconds(&mut self, value: &LooseScalar) -> Option<Duration> {
        let seconds = value.number().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        self.checked(value, seconds)
    }

    /// Returns a length in milliseconds; `None` if the record does not state it.
    pub(crate) fn millis(&mut self, value: &LooseScalar) -> Option<Duration> {
        let millis = value.number().and_then(|millis| Duration::try_from_secs_f64(millis / 1000.0).ok());
        self.checked(value, millis)
    }

    /// Returns a length in minutes; `None` if the record does not state it.
    pub(crate) fn minutes(&mut self, value: &LooseScalar) -> Option<Duration> {
        let minutes = value.number().and_then(|minutes| Duration::try_from_secs_f64(minutes * 60.0).ok());
        self.checked(value, minutes)
    }

    /// Returns a count; `None` if the record does not state it.
    pub(crate) fn count(&mut self, value: &LooseScalar) -> Option<u32> {
        let count = value.identifier().and_then(|count| count.parse().ok());
        self.checked(value, count)
    }

    /// Returns a value that was parsed elsewhere, and counts it if that failed.
    pub(crate) fn checked<T>(&mut self, value: &LooseScalar, sum: Option<T>) -> Option<T> {
        let unreadable = sum.is_none() && !value.is_absent();
        self.unreadable = self.unreadable.saturating_add(usize::from(unreadable));
        sum
    }

    /// Builds metrics from the totals and notes what was left out.
    pub(crate) fn metrics(
        self,
        totals: &SourceTotals,
        time_in_bed: &TimeInBed,
        notes: &mut Notes,
    ) -> SleepMetrics {
        self.note(notes);
        metrics(totals, time_in_bed, notes)
    }

    /// Notes what was left out.
    pub(crate) fn note(&self, notes: &mut Notes) {
        notes.count(self.unreadable, "totals that are negative or not numbers were left out");
    }
}
