//! Sessions of Huami's watches (Amazfit, Zepp OS), which are one value of bytes each.

use super::family::Family;
use super::load::{Night, NightStages, collect};
use super::stage::Part;
use crate::database::{Database, Row, Schema};
use application::ports::import_source::ImportRefusal;
use domain::sleep::SourceTotals;
use std::time::Duration;

/// Positions in the value: numbers are unsigned, little-endian.
const MIDNIGHT: usize = 0x04;
const START: usize = 0x0a;
const END: usize = 0x0c;
const STAGE_COUNT: usize = 0x54;
const STAGES: usize = 0x56;
const STAGE_LENGTH: usize = 5;
const REM: usize = 0x24a;
const LIGHT: usize = 0x24c;
const DEEP: usize = 0x24e;
const AWAKE: usize = 0x250;

const DAY_SECONDS: i64 = 86_400;

/// Loads the sessions.
pub(super) fn load(database: &Database, schema: &Schema) -> Result<Vec<Night>, ImportRefusal> {
    let table = Family::Huami.table();
    if !schema.has(table) {
        return Ok(Vec::new());
    }
    schema.require(table, &["DEVICE_ID", "DATA"])?;
    collect(database, &format!("SELECT DEVICE_ID, DATA FROM {table}"), read_night)
}

fn read_night(device: u32, row: &Row<'_>) -> Night {
    let data = Data(row.blob(1).unwrap_or_default());
    data.night(device).unwrap_or_else(|reason| Night::new(device, Err(reason)))
}

/// The value.
struct Data<'a>(&'a [u8]);

impl Data<'_> {
    fn night(&self, device: u32) -> Result<Night, &'static str> {
        const DAMAGED: &str = "DATA is not a session of sleep";
        let at = |position| self.instant(position).ok_or(DAMAGED);
        let (start, end) = (at(START)?, at(END)?);
        let count = self.0.get(STAGE_COUNT).copied().ok_or(DAMAGED)?;
        let stages = self.stages(count, end).ok_or(DAMAGED)?;
        let totals = self.totals();
        if stages.is_empty() && totals.are_silent() {
            return Err("DATA has neither stages nor totals: the sleep was not finished");
        }
        let stages = NightStages::Given(stages);
        Ok(Night { totals, stages, ..Night::new(device, Ok((start, end))) })
    }

    /// Returns the instant of a minute, which counts from the midnight before the day of waking.
    fn instant(&self, position: usize) -> Option<i64> {
        let midnight = u32::from_le_bytes(*self.0.get(MIDNIGHT..)?.first_chunk()?);
        let seconds = i64::from(midnight)
            .saturating_sub(DAY_SECONDS)
            .saturating_add(i64::from(self.number(position)?).saturating_mul(60));
        (midnight > 0).then_some(seconds.saturating_mul(1000))
    }

    fn number(&self, position: usize) -> Option<u16> {
        self.0.get(position..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))
    }

    /// Reads the stages. Each lasts until the next one: readers differ on whether its end is included.
    fn stages(&self, count: u8, end: i64) -> Option<Vec<Part>> {
        let mut parts: Vec<Part> = Vec::with_capacity(count.into());
        for index in 0..usize::from(count) {
            let position = STAGES.saturating_add(index.saturating_mul(STAGE_LENGTH));
            if position.saturating_add(STAGE_LENGTH) > REM {
                return None;
            }
            let start = self.instant(position)?;
            let kind = *self.0.get(position.saturating_add(4))?;
            if let Some((_, _, before)) = parts.last_mut() {
                *before = start;
            }
            parts.push((Family::Huami.stage(kind.into()), start, end));
        }
        Some(parts)
    }

    /// Returns the totals, which are in minutes.
    fn totals(&self) -> SourceTotals {
        let minutes = |position| self.number(position).map(|minutes| Duration::from_mins(minutes.into()));
        SourceTotals {
            awake: minutes(AWAKE),
            light: minutes(LIGHT),
            deep: minutes(DEEP),
            rem: minutes(REM),
            ..SourceTotals::default()
        }
    }
}
