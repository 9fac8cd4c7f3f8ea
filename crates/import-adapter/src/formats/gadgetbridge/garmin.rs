//! Sessions of Garmin's watches: events of falling asleep and waking, and naps.

use super::family::Family;
use super::load::{Night, NightStages, collect, time};
use super::stage::Stages;
use crate::database::{Database, Row, Schema};
use crate::segments::{SEGMENT_LIMIT, too_many};
use application::ports::import_source::ImportRefusal;

const NAPS: &str = "GARMIN_NAP_SAMPLE";
/// Code of the events of sleep.
const SLEEP: i64 = 74;
/// Longest sleep without an event of its end.
const DAY_MILLIS: i64 = 24 * 60 * 60_000;

/// Start or end of sleep; sorts by device, then in time, an end before a start at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    device: u32,
    at: i64,
    is_start: bool,
    /// Whether the watch measured no stages.
    is_raw: bool,
}

/// Loads the sessions and naps.
pub(super) fn load(
    database: &Database,
    schema: &Schema,
    stages: &Stages,
) -> Result<Vec<Night>, ImportRefusal> {
    let mut nights = pair(&load_events(database, schema)?, stages);
    if schema.has(NAPS) {
        schema.require(NAPS, &["DEVICE_ID", "TIMESTAMP", "END_TIMESTAMP"])?;
        let sql = format!("SELECT DEVICE_ID, TIMESTAMP, END_TIMESTAMP FROM {NAPS}");
        nights.append(&mut collect(database, &sql, read_nap)?);
    }
    Ok(nights)
}

fn read_nap(device: u32, row: &Row<'_>) -> Night {
    let start = time(row, 1).ok_or("TIMESTAMP is not a time");
    let bounds = start.and_then(|start| Ok((start, time(row, 2).ok_or("END_TIMESTAMP is not a time")?)));
    Night { is_nap: Some(true), ..Night::new(device, bounds) }
}

fn load_events(database: &Database, schema: &Schema) -> Result<Vec<Event>, ImportRefusal> {
    let table = Family::Garmin.table();
    let mut events = Vec::new();
    if !schema.has(table) {
        return Ok(events);
    }
    schema.require(table, &["DEVICE_ID", "TIMESTAMP", "EVENT", "EVENT_TYPE", "DATA"])?;
    let sql = format!("SELECT DEVICE_ID, TIMESTAMP, EVENT_TYPE, DATA FROM {table} WHERE EVENT = {SLEEP}");
    database.each_row(&sql, &mut |row| {
        if events.len() >= SEGMENT_LIMIT {
            return Err(too_many("events", SEGMENT_LIMIT));
        }
        let device = row.integer(0).and_then(|device| u32::try_from(device).ok()).unwrap_or(u32::MAX);
        // An event without a time is rejected like a session.
        let at = time(row, 1).unwrap_or(0);
        let is_raw = row.integer(3) == Some(-1);
        if let Some(kind @ (0 | 1)) = row.integer(2) {
            events.push(Event { device, at, is_start: kind == 0, is_raw });
        }
        Ok(())
    })?;
    events.sort_unstable();
    events.dedup();
    Ok(events)
}

/// Forms sessions from a start and the next end.
fn pair(events: &[Event], stages: &Stages) -> Vec<Night> {
    let mut nights = Vec::new();
    let mut open: Option<Event> = None;
    for event in events {
        let before = open.take_if(|start| event.is_start || start.device != event.device);
        nights.extend(before.map(|start| unfinished(start, event, stages)));
        if event.at == 0 {
            nights.push(Night::new(event.device, Err("TIMESTAMP is not a time")));
        } else if event.is_start {
            open = Some(*event);
        } else {
            nights.push(match open.take() {
                Some(start) => finished(start, event),
                None => Night::new(event.device, Err("an end of sleep has no start")),
            });
        }
    }
    let last = Event { device: u32::MAX, at: i64::MAX, is_start: true, is_raw: false };
    nights.extend(open.map(|start| unfinished(start, &last, stages)));
    nights
}

fn finished(start: Event, end: &Event) -> Night {
    let night = Night::new(start.device, Ok((start.at, end.at)));
    if start.is_raw && end.is_raw {
        return Night {
            stages: NightStages::Meaningless,
            note: Some("the watch measured no stages in this session"),
            ..night
        };
    }
    night
}

/// Ends a session with its last stage, because the event of its end is missing.
fn unfinished(start: Event, next: &Event, stages: &Stages) -> Night {
    let latest = start.at.saturating_add(DAY_MILLIS);
    let latest = if next.device == start.device { latest.min(next.at) } else { latest };
    let end = stages.last_until(start.device, start.at, latest);
    let bounds = end.map(|end| (start.at, end)).ok_or("a start of sleep has neither an end nor stages");
    let note = Some("the end of the sleep is missing; the end of its last stage was used");
    Night { note, ..Night::new(start.device, bounds) }
}
