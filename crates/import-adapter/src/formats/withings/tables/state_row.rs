//! Rows of a table of states of sleep, `raw_tracker_sleep-state.csv` and its like.

use crate::input::{Fields, TableFormat};
use crate::local_time::LocalTime;
use chrono::{DateTime, TimeDelta, Utc};
use domain::sleep::{Stage, TimeInBed};
use domain::time::{TimeZone, UtcOffset};

/// Columns of every table of raw values.
pub(in super::super) const COLUMNS: [&str; 3] = ["start", "duration", "value"];

/// A table of states.
pub(super) struct StateTable;

impl TableFormat for StateTable {
    const COLUMNS: &'static [&'static str] = &COLUMNS;

    fn is_header(columns: &[String]) -> bool {
        columns.len() == COLUMNS.len()
            && columns.iter().zip(COLUMNS).all(|(column, name)| column.eq_ignore_ascii_case(name))
    }
}

/// What a cell of values contains.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum StateValues {
    /// States of sleep.
    States(Vec<Stage>),
    /// States of which one is unknown.
    Unknown,
    /// Values that are no states: another measure.
    Others,
}

/// Reads a list of values; `None` if it is none.
pub(super) fn state_values(text: &str) -> Option<StateValues> {
    let values: Vec<f64> = serde_json::from_str(text).ok()?;
    // Codes have one digit; counts, rates and percentages soon have more, or decimals.
    if values.iter().any(|value| !(0.0..10.0).contains(value) || value.fract() != 0.0) {
        return Some(StateValues::Others);
    }
    let stages: Option<Vec<Stage>> = values.into_iter().map(stage).collect();
    Some(stages.map_or(StateValues::Unknown, StateValues::States))
}

/// Returns the stage of a code, which is that of the API.
fn stage(code: f64) -> Option<Stage> {
    let stages = [Stage::Awake, Stage::Light, Stage::Deep, Stage::Rem, Stage::Asleep, Stage::Unknown];
    stages
        .into_iter()
        .zip(0_u8..)
        .find(|(_, known)| (f64::from(*known) - code).abs() < 0.5)
        .map(|(stage, _)| stage)
}

/// A time in one state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) stage: Stage,
    pub(super) start: DateTime<Utc>,
    pub(super) end: DateTime<Utc>,
    pub(super) offset: UtcOffset,
}

/// What is wrong with a row.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum InvalidStates {
    /// Rejects the row.
    Row(String),
    /// The table has other values than states.
    OtherMeasure,
}

impl From<&str> for InvalidStates {
    fn from(reason: &str) -> Self {
        Self::Row(reason.to_owned())
    }
}

/// Reads a row: consecutive states of given lengths, of which equal ones are joined.
pub(super) fn read(row: &Fields<'_>, zone: TimeZone) -> Result<Vec<Run>, InvalidStates> {
    let values = row.get("value").and_then(state_values).ok_or("value is not a list of numbers")?;
    let stages = match values {
        StateValues::States(stages) => stages,
        StateValues::Unknown => return Err("unknown state".into()),
        StateValues::Others => return Err(InvalidStates::OtherMeasure),
    };
    let text = row.get("start").ok_or("start is missing")?;
    let time = LocalTime::parse(&text.replacen(' ', "T", 1)).ok_or("start is not a date and time")?;
    let (start, offset) = time.resolve(zone).ok_or("start is out of range")?;
    let durations = row.get("duration").and_then(|text| serde_json::from_str::<Vec<f64>>(text).ok());
    let durations = durations.ok_or("duration is not a list of numbers")?;
    if durations.len() != stages.len() {
        return Err("duration and value have different numbers of elements".into());
    }
    let mut runs: Vec<Run> = Vec::new();
    let mut next = start;
    for (stage, seconds) in stages.into_iter().zip(durations) {
        let begin = next;
        next = after(begin, seconds).ok_or("a duration is negative or too long")?;
        match runs.last_mut() {
            Some(last) if last.stage == stage => last.end = next,
            _ => runs.push(Run { stage, start: begin, end: next, offset }),
        }
    }
    runs.retain(|run| run.start < run.end);
    TimeInBed::new(start, next, Some(offset), Some(offset))
        .map_err(|error| InvalidStates::Row(format!("the row: {error}")))?;
    Ok(runs)
}

fn after(start: DateTime<Utc>, seconds: f64) -> Option<DateTime<Utc>> {
    #[expect(clippy::cast_possible_truncation, reason = "at most seven days in milliseconds")]
    let millis = (0.0..=604_800.0).contains(&seconds).then_some((seconds * 1000.0) as i64)?;
    start.checked_add_signed(TimeDelta::milliseconds(millis))
}
