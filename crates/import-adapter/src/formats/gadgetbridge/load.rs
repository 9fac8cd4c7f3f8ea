//! Rows of the tables of one kind of watch.

use super::family::Family;
use super::stage::{Part, Stages};
use super::{garmin, huami};
use crate::database::{Database, Row, Schema};
use crate::segments::{SEGMENT_LIMIT, SESSION_LIMIT, too_many};
use application::ports::import_source::ImportRefusal;
use domain::sleep::{SleepSource, SourceTotals};
use std::collections::HashMap;
use std::time::Duration;

/// Maximum number of devices.
const DEVICE_LIMIT: usize = 1000;

/// A session, before its stages are known.
#[derive(Debug)]
pub(super) struct Night {
    pub(super) device: u32,
    /// Start and end in milliseconds since 1970, or why they are unknown.
    pub(super) bounds: Result<(i64, i64), &'static str>,
    pub(super) is_nap: Option<bool>,
    pub(super) totals: SourceTotals,
    pub(super) stages: NightStages,
    pub(super) note: Option<&'static str>,
}

/// Where the stages of a session are.
#[derive(Debug)]
pub(super) enum NightStages {
    /// In the table of stages.
    InTable,
    /// In the session.
    Given(Vec<Part>),
    /// Nowhere: rows of the table of stages during the session mean nothing.
    Meaningless,
}

impl Night {
    /// Returns a session that has these times and nothing else.
    pub(super) fn new(device: u32, bounds: Result<(i64, i64), &'static str>) -> Self {
        let (stages, totals) = (NightStages::InTable, SourceTotals::default());
        Self { device, bounds, is_nap: None, totals, stages, note: None }
    }
}

/// Names of the devices, which are the sources.
#[derive(Debug)]
pub(super) struct Devices(HashMap<i64, SleepSource>);

impl Devices {
    pub(super) fn load(database: &Database, schema: &Schema) -> Result<Self, ImportRefusal> {
        schema.require("DEVICE", &["_id", "NAME"])?;
        let mut names = HashMap::new();
        database.each_row("SELECT _id, NAME FROM DEVICE", &mut |row| {
            if names.len() >= DEVICE_LIMIT {
                return Err(too_many("devices", DEVICE_LIMIT));
            }
            let name = row.text(1).and_then(|name| SleepSource::parse(name.trim()).ok());
            if let (Some(id), Some(name)) = (row.integer(0), name) {
                names.insert(id, name);
            }
            Ok(())
        })?;
        Ok(Self(names))
    }

    pub(super) fn name(&self, device: u32) -> Option<&SleepSource> {
        self.0.get(&i64::from(device))
    }
}

/// What was loaded of one kind of watch.
#[derive(Debug)]
pub(super) struct Loaded {
    nights: std::vec::IntoIter<Night>,
    pub(super) stages: Stages,
}

impl Default for Loaded {
    fn default() -> Self {
        Self { nights: Vec::new().into_iter(), stages: Stages::new(Family::Huami) }
    }
}

impl Loaded {
    pub(super) fn load(family: Family, database: &Database, schema: &Schema) -> Result<Self, ImportRefusal> {
        let stages = load_stages(family, database, schema)?;
        let mut nights = match family {
            Family::Huami => huami::load(database, schema)?,
            Family::Garmin => garmin::load(database, schema, &stages)?,
            Family::Xiaomi | Family::Huawei | Family::Colmi | Family::Cmf => {
                load_nights(family, database, schema)?
            }
        };
        nights.sort_by_key(|night| (night.device, night.bounds));
        Ok(Self { nights: nights.into_iter(), stages })
    }

    pub(super) fn next_night(&mut self) -> Option<Night> {
        self.nights.next()
    }
}

/// Collects the sessions of a query. A row whose device is no number is a session of no known device.
pub(super) fn collect(
    database: &Database,
    sql: &str,
    read: fn(u32, &Row<'_>) -> Night,
) -> Result<Vec<Night>, ImportRefusal> {
    let (mut nights, mut parts) = (Vec::new(), 0_usize);
    database.each_row(sql, &mut |row| {
        let device = row.integer(0).and_then(|device| u32::try_from(device).ok());
        let night = read(device.unwrap_or(u32::MAX), row);
        if let NightStages::Given(stages) = &night.stages {
            parts = parts.saturating_add(stages.len());
        }
        nights.push(night);
        if nights.len() > SESSION_LIMIT {
            return Err(too_many("sessions", SESSION_LIMIT));
        }
        if parts > SEGMENT_LIMIT {
            return Err(too_many("stages", SEGMENT_LIMIT));
        }
        Ok(())
    })?;
    Ok(nights)
}

fn load_stages(family: Family, database: &Database, schema: &Schema) -> Result<Stages, ImportRefusal> {
    let mut stages = Stages::new(family);
    let Some(table) = family.stages().filter(|table| schema.has(table)) else { return Ok(stages) };
    schema.require(table, &["DEVICE_ID", "TIMESTAMP", "STAGE"])?;
    let length = or_null(schema, table, "DURATION");
    let sql = format!("SELECT DEVICE_ID, TIMESTAMP, {length}, STAGE FROM {table}");
    database.each_row(&sql, &mut |row| {
        let stage = row.integer(3).and_then(|code| family.stage(code));
        stages.add((row.integer(0), row.integer(1)), row.integer(2), stage)
    })?;
    stages.sort();
    Ok(stages)
}

/// Columns of lengths and further times, which not every kind of watch and version has.
const OPTIONAL: [&str; 7] = [
    "BED_TIME",
    "RISING_TIME",
    "TOTAL_DURATION",
    "DEEP_SLEEP_DURATION",
    "LIGHT_SLEEP_DURATION",
    "REM_SLEEP_DURATION",
    "AWAKE_DURATION",
];

fn load_nights(family: Family, database: &Database, schema: &Schema) -> Result<Vec<Night>, ImportRefusal> {
    let table = family.table();
    if !schema.has(table) {
        return Ok(Vec::new());
    }
    schema.require(table, &["DEVICE_ID", "TIMESTAMP", "WAKEUP_TIME"])?;
    let optional = OPTIONAL.map(|column| or_null(schema, table, column)).join(", ");
    let sql = format!("SELECT DEVICE_ID, TIMESTAMP, WAKEUP_TIME, {optional} FROM {table}");
    collect(database, &sql, read_night)
}

fn or_null<'a>(schema: &Schema, table: &str, column: &'a str) -> &'a str {
    if schema.has_column(table, column) { column } else { "NULL" }
}

fn read_night(device: u32, row: &Row<'_>) -> Night {
    let asleep = time(row, 1).ok_or("TIMESTAMP is not a time");
    let bounds = asleep.and_then(|asleep| {
        let awake = time(row, 2).ok_or("WAKEUP_TIME is not a time: the sleep was not finished")?;
        // Huawei writes 0 or -1000 for unknown times.
        let start = time(row, 3).map_or(asleep, |bed| bed.min(asleep));
        let end = time(row, 4).map_or(awake, |rising| rising.max(awake));
        Ok((start, end))
    });
    let totals = SourceTotals {
        asleep: minutes(row, 5),
        deep: minutes(row, 6),
        light: minutes(row, 7),
        rem: minutes(row, 8),
        awake: minutes(row, 9),
        ..SourceTotals::default()
    };
    Night { totals, ..Night::new(device, bounds) }
}

/// Returns the time in milliseconds in this column.
pub(super) fn time(row: &Row<'_>, column: usize) -> Option<i64> {
    row.integer(column).filter(|millis| *millis > 0)
}

fn minutes(row: &Row<'_>, column: usize) -> Option<Duration> {
    let minutes = row.integer(column).and_then(|minutes| u16::try_from(minutes).ok())?;
    Some(Duration::from_mins(minutes.into()))
}
