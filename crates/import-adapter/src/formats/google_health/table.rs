//! Rows of the tables of sessions and of stages.

use super::account::SessionRow;
use super::{SOURCE, stage};
use crate::input::{Fields, TableFormat, has_columns};
use crate::join::{self, JoinedSession, JoinedStage};
use crate::local_time::LocalTime;
use crate::session;
use crate::source::Notes;
use chrono::{DateTime, Utc};
use domain::sleep::{SourceTotals, Stage};
use domain::time::{TimeZone, UtcOffset};
use std::time::Duration;

/// Columns by which the table of sessions is recognised.
pub(super) const SESSION_COLUMNS: [&str; 4] = [ID, "sleep_type", SESSION_START, SESSION_END];
/// Columns by which the table of stages is recognised.
pub(super) const STAGE_COLUMNS: [&str; 4] = [ID, STAGE, STAGE_START, STAGE_END];

const ID: &str = "sleep_id";
const SESSION_START: &str = "sleep_start";
const SESSION_END: &str = "sleep_end";
const STAGE: &str = "sleep_stage_type";
const STAGE_START: &str = "sleep_stage_start";
const STAGE_END: &str = "sleep_stage_end";
const OFFSET_AT_START: &str = "start_utc_offset";
const OFFSET_AT_END: &str = "end_utc_offset";
const UPDATED: &str = "sleep_last_updated";

/// The table of sessions.
pub(super) struct SessionTable;

impl TableFormat for SessionTable {
    const COLUMNS: &'static [&'static str] = &[
        ID,
        SESSION_START,
        SESSION_END,
        OFFSET_AT_START,
        OFFSET_AT_END,
        "minutes_asleep",
        "minutes_awake",
        "minutes_to_fall_asleep",
        UPDATED,
    ];

    fn is_header(columns: &[String]) -> bool {
        has_columns(columns, &SESSION_COLUMNS)
    }
}

/// The table of stages.
pub(super) struct StageTable;

impl TableFormat for StageTable {
    const COLUMNS: &'static [&'static str] =
        &[ID, STAGE, STAGE_START, STAGE_END, OFFSET_AT_START, OFFSET_AT_END];

    fn is_header(columns: &[String]) -> bool {
        has_columns(columns, &STAGE_COLUMNS)
    }
}

/// Reads a row of the table of sessions; `zone` applies to rows without an offset.
pub(super) fn read_session(row: &Fields<'_>, line: u64, zone: TimeZone) -> Result<SessionRow, String> {
    let end_of = |time, offset| -> Result<_, String> {
        let instant = instant(row, time)?;
        Ok((instant, Some(self::offset(row, offset)?.unwrap_or_else(|| zone.offset_at(instant)))))
    };
    let id = join::id(row, ID)?;
    let start = end_of(SESSION_START, OFFSET_AT_START)?;
    let end = end_of(SESSION_END, OFFSET_AT_END)?;
    let time_in_bed = session::time_in_bed(start, end)?;
    let mut notes = Notes::default();
    let totals = totals(row, &mut notes);
    let session = JoinedSession { time_in_bed, source: session::source(SOURCE)?, is_nap: None, totals };
    // A row without a readable time of change counts as the oldest.
    let updated = instant(row, UPDATED).ok();
    Ok(SessionRow { id: id.into(), line, session, notes, updated })
}

/// Reads the id and the stage of a row of the table of stages; the flag reports that its word is unknown.
pub(super) fn read_stage<'a>(
    row: &'a Fields<'_>,
    zone: TimeZone,
) -> Result<(&'a str, JoinedStage, bool), String> {
    let id = join::id(row, ID)?;
    let word = row.get(STAGE).ok_or("sleep_stage_type is missing")?;
    let (start, end) = (instant(row, STAGE_START)?, instant(row, STAGE_END)?);
    let known = stage(word);
    let offset = offset(row, OFFSET_AT_START)?.unwrap_or_else(|| zone.offset_at(start));
    let stage = JoinedStage { stage: known.unwrap_or(Stage::Unknown), start, end, offset: Some(offset) };
    Ok((id, stage, known.is_none()))
}

/// Parses `2026-10-04T21:12:30Z`, also with a space instead of `T` and with an offset.
fn instant(row: &Fields<'_>, name: &str) -> Result<DateTime<Utc>, String> {
    let text = row.get(name).ok_or_else(|| format!("{name} is missing"))?;
    let time = LocalTime::parse(&text.replacen(' ', "T", 1)).filter(|time| time.offset.is_some());
    // With an offset, the zone does not matter.
    let found = time.and_then(|time| time.resolve(TimeZone::UTC));
    found.map(|(instant, _)| instant).ok_or_else(|| format!("{name} is not a time in UTC"))
}

fn offset(row: &Fields<'_>, name: &str) -> Result<Option<UtcOffset>, String> {
    let Some(text) = row.get(name) else { return Ok(None) };
    UtcOffset::parse(text).map(Some).map_err(|_| format!("{name} is not an offset such as +02:00"))
}

fn totals(row: &Fields<'_>, notes: &mut Notes) -> SourceTotals {
    let mut unreadable = 0_usize;
    let mut minutes = |name: &str| {
        let minutes = row.get(name)?.parse().ok().map(|minutes: f64| minutes * 60.0);
        let length = minutes.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        unreadable = unreadable.saturating_add(usize::from(length.is_none()));
        length
    };
    let totals = SourceTotals {
        asleep: minutes("minutes_asleep"),
        awake: minutes("minutes_awake"),
        // The export writes 0 where the latency was not measured.
        latency: minutes("minutes_to_fall_asleep").filter(|latency| !latency.is_zero()),
        ..SourceTotals::default()
    };
    notes.count(unreadable, "totals that are negative or not numbers were left out");
    totals
}
