//! States of sleep of all tables, sorted, and those of a night.

use super::state_row::Run;
use crate::segments::{Comparisons, GAP_MILLIS, SEGMENT_LIMIT, too_many};
use application::ports::import_source::ImportRefusal;
use chrono::{DateTime, Utc};
use domain::sleep::{Stage, StageEntry, TimeInBed};
use domain::time::UtcOffset;

/// Maximum number of tables of states per import.
const TABLE_LIMIT: usize = 100;

/// File and line of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) file: u32,
    pub(super) line: u32,
}

impl Place {
    pub(super) fn new(file: u32, line: u64) -> Self {
        Self { file, line: u32::try_from(line).unwrap_or(u32::MAX) }
    }

    pub(super) fn described(self) -> String {
        format!("line {}", self.line)
    }
}

/// A stored run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct State {
    start: i64,
    end: i64,
    stage: u8,
    pub(super) place: Place,
    offset: i16,
    /// Whether a night of `sleep.csv` has this time.
    pub(super) is_of_night: bool,
}

impl State {
    pub(super) fn new(run: &Run, place: Place) -> Self {
        Self {
            start: run.start.timestamp_millis(),
            end: run.end.timestamp_millis(),
            stage: run.stage.code(),
            place,
            offset: run.offset.minutes(),
            is_of_night: false,
        }
    }

    pub(super) fn stage(&self) -> Stage {
        Stage::from_code(self.stage).unwrap_or(Stage::Unknown)
    }

    pub(super) fn start(&self) -> Option<(DateTime<Utc>, Option<UtcOffset>)> {
        Some((DateTime::from_timestamp_millis(self.start)?, UtcOffset::from_minutes(self.offset)))
    }

    pub(super) fn end(&self) -> Option<(DateTime<Utc>, Option<UtcOffset>)> {
        Some((DateTime::from_timestamp_millis(self.end)?, UtcOffset::from_minutes(self.offset)))
    }

    /// Returns the entry, in another stage if given.
    pub(super) fn entry(&self, stage: Option<Stage>) -> Option<StageEntry> {
        StageEntry::new(stage.unwrap_or_else(|| self.stage()), self.start()?.0, self.end()?.0).ok()
    }

    /// Returns whether a part of it is outside the time in bed.
    pub(super) fn is_beyond(&self, bed: &TimeInBed) -> bool {
        self.start < bed.start_millis() || bed.end_millis() < self.end
    }

    fn shared_with(&self, bed: &TimeInBed) -> i64 {
        self.end.min(bed.end_millis()).saturating_sub(self.start.max(bed.start_millis())).max(0)
    }
}

/// The states of one table, which is that of one device.
#[derive(Debug)]
pub(super) struct DeviceStates {
    states: Vec<State>,
    /// Longest state in milliseconds.
    longest: i64,
    /// Position of the next group.
    next: usize,
    /// Whether it distinguishes light sleep from other stages.
    pub(super) has_depth: bool,
}

impl DeviceStates {
    /// Marks the states of a night and returns them, with how well they match it.
    fn of_night(
        &mut self,
        bed: &TimeInBed,
        comparisons: &mut Comparisons,
    ) -> Result<(Vec<State>, Match), String> {
        let earliest = bed.start_millis().saturating_sub(self.longest);
        let first = self.states.partition_point(|state| state.start < earliest);
        let last = self.states.partition_point(|state| state.start < bed.end_millis());
        let compared = self.states.get_mut(first..last).unwrap_or_default();
        comparisons.count(compared.len())?;
        let (mut found, mut matched) = (Vec::new(), Match::default());
        for state in compared {
            if state.end > bed.start_millis() {
                state.is_of_night = true;
                matched.starts_equally |= state.start == bed.start_millis();
                matched.shared = matched.shared.saturating_add(state.shared_with(bed));
                found.push(*state);
            }
        }
        Ok((found, matched))
    }

    /// Returns the next states that are at most 60 minutes apart.
    fn next_group(&mut self) -> Option<Vec<State>> {
        let rest = self.states.get(self.next..)?;
        let mut latest = rest.first()?.end;
        let joins = |state: &&State| {
            let joins = state.start <= latest.saturating_add(GAP_MILLIS);
            latest = latest.max(state.end);
            joins
        };
        let group: Vec<_> = rest.iter().take_while(joins).copied().collect();
        self.next = self.next.saturating_add(group.len());
        Some(group)
    }
}

/// How well the states of a device match a night.
#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Match {
    starts_equally: bool,
    /// Milliseconds.
    shared: i64,
}

/// States of all tables.
#[derive(Debug, Default)]
pub(super) struct AllStates {
    devices: Vec<DeviceStates>,
    count: usize,
    comparisons: Option<Comparisons>,
}

/// States of a night, of the device that matches it best.
#[derive(Debug, Default)]
pub(super) struct NightStates {
    pub(super) states: Vec<State>,
    pub(super) has_depth: bool,
    /// Number of states of other devices.
    pub(super) of_others: usize,
}

impl AllStates {
    pub(super) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the place of the first row.
    pub(super) fn first_place(&self) -> Option<Place> {
        self.devices.iter().flat_map(|device| &device.states).map(|state| state.place).min()
    }

    /// Adds the states of a table; too many reject the file.
    pub(super) fn add(&mut self, mut states: Vec<State>) -> Result<(), ImportRefusal> {
        self.count = self.count.saturating_add(states.len());
        if self.count > SEGMENT_LIMIT {
            return Err(too_many("stretches of sleep", SEGMENT_LIMIT));
        }
        let lengths = states.iter().map(|state| state.end.saturating_sub(state.start));
        let Some(longest) = lengths.max() else { return Ok(()) };
        if self.devices.len() >= TABLE_LIMIT {
            return Err(too_many("tables of states", TABLE_LIMIT));
        }
        let has_depth = states.iter().any(|state| matches!(state.stage(), Stage::Deep | Stage::Rem));
        states.sort_unstable();
        self.devices.push(DeviceStates { states, longest, next: 0, has_depth });
        Ok(())
    }

    /// Marks the states of a night and returns those of the device that matches it best.
    pub(super) fn of_night(&mut self, bed: &TimeInBed) -> Result<NightStates, String> {
        let comparisons = self.comparisons.get_or_insert_with(|| Comparisons::with(self.count));
        let mut best = (NightStates::default(), Match::default());
        let mut count = 0_usize;
        for device in &mut self.devices {
            let (states, matched) = device.of_night(bed, comparisons)?;
            count = count.saturating_add(states.len());
            if matched > best.1 {
                best = (NightStates { states, has_depth: device.has_depth, of_others: 0 }, matched);
            }
        }
        let of_others = count.saturating_sub(best.0.states.len());
        Ok(NightStates { of_others, ..best.0 })
    }

    /// Returns the next states that are at most 60 minutes apart, of any device.
    pub(super) fn next_group(&mut self) -> Option<Vec<State>> {
        self.devices.iter_mut().find_map(DeviceStates::next_group)
    }
}
