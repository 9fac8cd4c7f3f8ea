//! Stages of a log: `levels.data` with the short wakes on top.

use super::clock::Anchor;
use super::log::{Levels, RawStage};
use crate::local_time::LocalTime;
use crate::source::Notes;
use chrono::{DateTime, TimeDelta, Utc};
use domain::sleep::{Hypnogram, Stage, StageEntry, TimeInBed};

/// Length, in seconds, of the entry with which Fitbit fills a night with a clock change.
const PADDING_SECONDS: i64 = 3600;

/// Stages of one log before its time in bed is known.
#[derive(Debug, Default)]
pub(super) struct Stages {
    pub(super) base: Vec<StageEntry>,
    wakes: Vec<StageEntry>,
}

impl Stages {
    /// Reads `data` and `shortData`; unreadable entries are left out and noted.
    pub(super) fn read(levels: &Levels, anchor: &Anchor, notes: &mut Notes) -> Self {
        let mut reading = Reading::default();
        let base = levels.data.0.iter().filter_map(|raw| reading.entry(raw, anchor)).collect();
        let wakes = levels
            .short_data
            .0
            .iter()
            .filter(|raw| matches!(raw.level.word().as_deref(), Some("wake" | "awake")))
            .filter_map(|raw| reading.entry(raw, anchor))
            .collect();
        reading.report(notes);
        Self { base, wakes }
    }

    pub(super) const fn of_minutes(base: Vec<StageEntry>) -> Self {
        Self { base, wakes: Vec::new() }
    }

    /// Returns the end of the last stage.
    pub(super) fn end(&self) -> Option<DateTime<Utc>> {
        self.base.iter().map(StageEntry::end).max()
    }

    /// Drops the hour of UNKNOWN that fills a night with a clock change.
    pub(super) fn drop_padding(&mut self, notes: &mut Notes) {
        let is_padding = |last: &StageEntry| {
            last.stage() == Stage::Unknown && last.millis() == PADDING_SECONDS.saturating_mul(1000)
        };
        if self.base.last().is_some_and(is_padding) {
            self.base.pop();
            notes.add("an hour without data that only fills the clock change was left out");
        }
    }

    /// Arranges all entries within the time in bed.
    pub(super) fn hypnogram(self, time_in_bed: &TimeInBed, notes: &mut Notes) -> Result<Hypnogram, String> {
        let beyond =
            |entry: &&StageEntry| entry.start() < time_in_bed.start() || entry.end() > time_in_bed.end();
        let cut = self.base.iter().chain(&self.wakes).filter(beyond).count();
        notes.count(cut, "stages that extend beyond the time in bed were trimmed");
        Hypnogram::overlay(self.base, self.wakes, time_in_bed).map_err(|error| error.to_string())
    }
}

/// Counts entries that are left out.
#[derive(Debug, Default)]
struct Reading {
    unreadable: usize,
    empty: usize,
    unknown_levels: usize,
}

impl Reading {
    fn entry(&mut self, raw: &RawStage, anchor: &Anchor) -> Option<StageEntry> {
        let seconds = raw.seconds.number().filter(|seconds| (0.0..=1e9).contains(seconds));
        let start = raw.start().and_then(LocalTime::parse).and_then(|start| anchor.at(start));
        let (Some(seconds), Some(start)) = (seconds, start) else {
            self.unreadable = self.unreadable.saturating_add(1);
            return None;
        };
        #[expect(clippy::cast_possible_truncation, reason = "at most 10^12, checked above")]
        let length = TimeDelta::milliseconds((seconds * 1000.0) as i64);
        let stage = self.stage(raw.level.word().as_deref());
        let entry = start.checked_add_signed(length).and_then(|end| StageEntry::new(stage, start, end).ok());
        if entry.is_none() {
            self.empty = self.empty.saturating_add(1);
        }
        entry
    }

    fn stage(&mut self, level: Option<&str>) -> Stage {
        match level {
            Some("deep") => Stage::Deep,
            Some("light") => Stage::Light,
            Some("rem") => Stage::Rem,
            Some("asleep") => Stage::Asleep,
            Some("wake" | "awake" | "restless") => Stage::Awake,
            Some("unknown") => Stage::Unknown,
            _ => {
                self.unknown_levels = self.unknown_levels.saturating_add(1);
                Stage::Unknown
            }
        }
    }

    fn report(self, notes: &mut Notes) {
        notes.count(self.unreadable, "stages without a readable start or length were left out");
        notes.count(self.empty, "stages without a duration were left out");
        notes.count(self.unknown_levels, "stages with an unknown level were stored as UNKNOWN");
    }
}
