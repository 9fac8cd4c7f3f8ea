//! Rows of a table of stages.

use super::family::{Family, StageTimes};
use crate::segments::{Comparisons, DUPLICATES_NOTE, SEGMENT_LIMIT, too_many};
use crate::source::{Items, Notes};
use application::ports::import_source::ImportRefusal;
use chrono::DateTime;
use domain::sleep::{Hypnogram, InvalidHypnogram, Stage, StageEntry};

const MINUTE_MILLIS: u32 = 60_000;

/// A row; sorts by device, then in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct StageRow {
    device: u32,
    at: i64,
    /// Length in milliseconds; 0 if the table has no lengths.
    length: u32,
    /// Code of the stage; 0 if the maker's code is unknown.
    stage: u8,
    /// Whether a session contains it.
    is_used: bool,
}

/// The stages of one kind of watch.
#[derive(Debug)]
pub(super) struct Stages {
    table: &'static str,
    times: StageTimes,
    rows: Vec<StageRow>,
    unreadable: usize,
    repeated: usize,
    comparisons: Comparisons,
}

/// A part of a session in one stage; `None` is an unknown code.
pub(super) type Part = (Option<Stage>, i64, i64);

impl Stages {
    pub(super) fn new(family: Family) -> Self {
        let (table, times) = (family.stages().unwrap_or_default(), family.stage_times());
        Self {
            table,
            times,
            rows: Vec::new(),
            unreadable: 0,
            repeated: 0,
            comparisons: Comparisons::default(),
        }
    }

    /// Adds a row; too many reject the file. A row with an unreadable number is counted.
    pub(super) fn add(
        &mut self,
        (device, at): (Option<i64>, Option<i64>),
        length: Option<i64>,
        stage: Option<Stage>,
    ) -> Result<(), ImportRefusal> {
        let length = match self.times {
            StageTimes::Lengths(unit) => length
                .and_then(|length| u32::try_from(length.checked_mul(unit)?).ok())
                .filter(|length| *length > 0),
            StageTimes::Minutes => Some(MINUTE_MILLIS),
            StageTimes::Starts | StageTimes::Ends => Some(0),
        };
        let device = device.and_then(|device| u32::try_from(device).ok());
        let (Some(device), Some(at), Some(length)) = (device, at.filter(|at| *at > 0), length) else {
            self.unreadable = self.unreadable.saturating_add(1);
            return Ok(());
        };
        if self.rows.len() >= SEGMENT_LIMIT {
            return Err(too_many("stages", SEGMENT_LIMIT));
        }
        let stage = stage.map_or(0, Stage::code);
        self.rows.push(StageRow { device, at, length, stage, is_used: false });
        Ok(())
    }

    /// Sorts the rows and removes repeated ones.
    pub(super) fn sort(&mut self) {
        self.rows.sort_unstable();
        let all = self.rows.len();
        self.rows.dedup();
        self.repeated = all.saturating_sub(self.rows.len());
        self.comparisons = Comparisons::with(self.rows.len());
    }

    /// Returns the last time of a row of this device after `start` and until `end`.
    pub(super) fn last_until(&self, device: u32, start: i64, end: i64) -> Option<i64> {
        let count = self.rows.partition_point(|row| (row.device, row.at) <= (device, end));
        let last = self.rows.get(count.checked_sub(1)?)?;
        (last.device == device && last.at > start).then_some(last.at)
    }

    /// Returns the parts of a session, which are then used. A session with too many is invalid.
    pub(super) fn within(&mut self, device: u32, start: i64, end: i64) -> Result<Vec<Part>, String> {
        let times = self.times;
        let begins = |row: &StageRow| match times {
            StageTimes::Starts | StageTimes::Lengths(_) => row.at >= start,
            StageTimes::Ends => row.at > start,
            StageTimes::Minutes => row.at.saturating_add(row.length.into()) > start,
        };
        let ends = |row: &StageRow| if times == StageTimes::Ends { row.at > end } else { row.at >= end };
        let from =
            self.rows.partition_point(|row| row.device < device || row.device == device && !begins(row));
        let to = self.rows.partition_point(|row| row.device < device || row.device == device && !ends(row));
        let rows = self.rows.get_mut(from..to).unwrap_or_default();
        self.comparisons.count(rows.len())?;
        if rows.len() > Hypnogram::MAX_ENTRIES {
            return Err(InvalidHypnogram::TooMany.to_string());
        }
        let mut parts: Vec<Part> = Vec::with_capacity(rows.len());
        let mut last = start;
        for row in rows.iter_mut() {
            row.is_used = true;
            let stage = Stage::from_code(row.stage);
            let stop = row.at.saturating_add(row.length.into());
            match (times, parts.last_mut()) {
                (StageTimes::Ends, _) => {
                    parts.push((stage, last, row.at));
                    last = row.at;
                }
                (StageTimes::Minutes, Some((of_last, _, last_stop)))
                    if *of_last == stage && *last_stop == row.at =>
                {
                    *last_stop = stop;
                }
                (StageTimes::Starts, before) => {
                    if let Some((_, _, before_stop)) = before {
                        *before_stop = row.at;
                    }
                    parts.push((stage, row.at, end));
                }
                (StageTimes::Minutes | StageTimes::Lengths(_), _) => parts.push((stage, row.at, stop)),
            }
        }
        Ok(parts)
    }

    /// Adds notes on rows that became part of no session.
    pub(super) fn report(&self, items: &mut Items) {
        let place = format!("the table {}", self.table);
        let unused = self.rows.iter().filter(|row| !row.is_used).count();
        for (count, note) in [
            (self.unreadable, "stages with an unreadable time or length were omitted"),
            (self.repeated, DUPLICATES_NOTE),
            (unused, "stages outside every session were omitted"),
        ] {
            if count > 0 {
                items.note_count(&place, note, count);
            }
        }
    }
}

/// Converts the parts of a session to stages; parts without a length are noted.
pub(super) fn entries(parts: &[Part], (start, end): (i64, i64), notes: &mut Notes) -> Vec<StageEntry> {
    let (mut unknown, mut empty, mut beyond) = (0_usize, 0_usize, 0_usize);
    let mut entries = Vec::with_capacity(parts.len());
    for &(stage, from, to) in parts {
        let times = DateTime::from_timestamp_millis(from).zip(DateTime::from_timestamp_millis(to));
        let entry =
            times.and_then(|(from, to)| StageEntry::new(stage.unwrap_or(Stage::Unknown), from, to).ok());
        let Some(entry) = entry else {
            empty = empty.saturating_add(1);
            continue;
        };
        unknown = unknown.saturating_add(usize::from(stage.is_none()));
        beyond = beyond.saturating_add(usize::from(from < start || to > end));
        entries.push(entry);
    }
    notes.count(unknown, "stages with an unknown code were stored as UNKNOWN");
    notes.count(empty, "stages that do not end after their start were omitted");
    notes.count(beyond, "stages that extend beyond the time in bed were trimmed");
    entries
}
