//! Tables of sessions and stages of the database.

use super::apps::Apps;
use super::chain::{self, Stagings};
use super::{SOURCE, stage};
use crate::collections::Collections;
use crate::database::{Database, Row, Schema};
use crate::formats::Format;
use crate::join::{Join, JoinNames, JoinedSession, JoinedStage};
use crate::segments::{SESSION_LIMIT, too_many};
use crate::session;
use crate::source::{Items, Notes, RecordReader};
use crate::tally::Tally;
use application::ports::import_source::ImportRefusal;
use chrono::{DateTime, Datelike as _, Utc};
use domain::sleep::{SourceTotals, Stage};
use domain::time::{TimeZone, UtcOffset};
use std::collections::HashMap;

pub(super) const SESSIONS: &str = "sleep_session_record_table";
const STAGES: &str = "sleep_stages_table";
const NAMES: JoinNames = JoinNames { unit: "record", source: SOURCE, without_stages: "" };
const ORPHANS_NOTE: &str = "stages whose session is missing or was rejected were omitted";
const UNKNOWN_STAGE_NOTE: &str = "stages with an unknown stage_type were stored as UNKNOWN";
const CHAIN_NOTE: &str = "sessions of one stage each that follow each other were joined";
const OFFSET_NOTE: &str =
    "an offset is missing or longer than 18 hours; the other end's, or that of the given zone, was used";

/// A row of the table of sessions.
#[derive(Debug)]
pub(super) struct SessionRow {
    pub(super) id: i64,
    pub(super) number: u64,
    pub(super) session: JoinedSession,
    /// Whether it stands for several rows.
    pub(super) is_chain: bool,
    notes: Notes,
}

/// Reads both tables with the first record.
pub(super) struct Tables {
    database: Database,
    schema: Schema,
    zone: TimeZone,
    join: Join,
    is_read: bool,
    tally: Tally,
}

impl Tables {
    pub(super) fn new(database: Database, zone: TimeZone) -> Result<Self, ImportRefusal> {
        let schema = database.schema()?;
        schema.require(SESSIONS, &["row_id", "start_time", "end_time", "app_info_id"])?;
        Ok(Self { database, schema, zone, join: Join::new(NAMES), is_read: false, tally: Tally::default() })
    }

    fn read(&mut self, items: &mut Items) -> Result<(), ImportRefusal> {
        let mut rows = self.sessions(items)?;
        if rows.is_empty() {
            self.database.note_no_record(items);
        }
        let mut ids: HashMap<i64, i64> = rows.iter().map(|row| (row.id, row.id)).collect();
        let stagings = self.stagings(&ids)?;
        let first = rows.first().map(|row| format!("record {}", row.number)).unwrap_or_default();
        for _ in 0..chain::join(&mut rows, &stagings, &mut ids) {
            self.tally.add(CHAIN_NOTE, 0, &first);
        }
        for SessionRow { id, number, session, notes, .. } in rows {
            let added = self.join.add_session(&id.to_string(), number, session, notes);
            added.or_else(|invalid| items.reject_invalid(&format!("record {number}"), invalid))?;
        }
        self.add_stages(&ids, items)
    }

    /// Reads the table of sessions and rejects invalid rows.
    fn sessions(&self, items: &mut Items) -> Result<Vec<SessionRow>, ImportRefusal> {
        let apps = Apps::load(&self.database, &self.schema)?;
        let optional = |name| if self.schema.has_column(SESSIONS, name) { name } else { "NULL" };
        let sql = format!(
            "SELECT row_id, start_time, end_time, app_info_id, {}, {} FROM {SESSIONS}",
            optional("start_zone_offset"),
            optional("end_zone_offset")
        );
        let (mut rows, mut number) = (Vec::new(), 0_u64);
        self.database.each_row(&sql, &mut |row| {
            number = number.saturating_add(1);
            if rows.len() >= SESSION_LIMIT {
                return Err(too_many("sessions", SESSION_LIMIT));
            }
            match session(row, number, &apps, self.zone) {
                Ok(row) => rows.push(row),
                Err(reason) => items.reject(&format!("record {number}"), reason),
            }
            Ok(())
        })?;
        Ok(rows)
    }

    /// Reads which sessions have a single stage.
    fn stagings(&self, ids: &HashMap<i64, i64>) -> Result<Stagings, ImportRefusal> {
        let mut stagings = Stagings::default();
        self.each_stage(&mut |row, _| {
            let known = row.integer(0).filter(|id| ids.contains_key(id));
            if let (Some(id), Ok((stage, _))) = (known, joined_stage(row)) {
                stagings.add(id, stage.start, stage.end, stage.stage);
            }
            Ok(())
        })?;
        Ok(stagings)
    }

    /// Adds the stages of the sessions; invalid ones are rejected.
    fn add_stages(&mut self, ids: &HashMap<i64, i64>, items: &mut Items) -> Result<(), ImportRefusal> {
        let (mut join, mut tally) = (std::mem::replace(&mut self.join, Join::new(NAMES)), Tally::default());
        self.each_stage(&mut |row, number| {
            let place = format!("stage {number}");
            let Some(id) = row.integer(0).and_then(|id| ids.get(&id)) else {
                tally.add(ORPHANS_NOTE, 0, &place);
                return Ok(());
            };
            let added = joined_stage(row).map_err(Into::into).and_then(|(stage, is_unknown)| {
                join.add_stage(&id.to_string(), number, stage)?;
                if is_unknown {
                    tally.add(UNKNOWN_STAGE_NOTE, 0, &place);
                }
                Ok(())
            });
            added.or_else(|invalid| items.reject_invalid(&place, invalid))
        })?;
        self.join = join;
        while tally.emit(items).is_some() {}
        Ok(())
    }

    /// Calls `read` with each row of the table of stages, if there is one, and its number.
    fn each_stage(
        &self,
        read: &mut dyn FnMut(&Row<'_>, u64) -> Result<(), ImportRefusal>,
    ) -> Result<(), ImportRefusal> {
        self.schema.require(STAGES, &["parent_key", "stage_start_time", "stage_end_time", "stage_type"])?;
        let sql = format!("SELECT parent_key, stage_start_time, stage_end_time, stage_type FROM {STAGES}");
        let mut number = 0_u64;
        self.database.each_row(&sql, &mut |row| {
            number = number.saturating_add(1);
            read(row, number)
        })
    }
}

/// Converts a row of the table of sessions, or returns why it is invalid.
fn session(row: &Row<'_>, number: u64, apps: &Apps, zone: TimeZone) -> Result<SessionRow, String> {
    let id = row.integer(0).ok_or("row_id is not a whole number")?;
    let (start, end) = (instant(row, 1, "start_time")?, instant(row, 2, "end_time")?);
    let [at_start, at_end] = [4, 5].map(|column| {
        let seconds = row.integer(column).and_then(|seconds| i32::try_from(seconds).ok());
        seconds.and_then(UtcOffset::from_seconds)
    });
    let mut notes = Notes::default();
    if at_start.is_none() || at_end.is_none() {
        notes.add(OFFSET_NOTE);
    }
    let offset_at_start = at_start.or(at_end).unwrap_or_else(|| zone.offset_at(start));
    let offset_at_end = at_end.or(at_start).unwrap_or_else(|| zone.offset_at(end));
    let time_in_bed = session::time_in_bed((start, Some(offset_at_start)), (end, Some(offset_at_end)))?;
    let (source, totals) = (apps.source(row.integer(3))?, SourceTotals::default());
    let session = JoinedSession { time_in_bed, source, is_nap: None, totals };
    Ok(SessionRow { id, number, session, is_chain: false, notes })
}

/// Converts a row of the table of stages; also returns whether the stage is unknown.
fn joined_stage(row: &Row<'_>) -> Result<(JoinedStage, bool), String> {
    let (start, end) = (instant(row, 1, "stage_start_time")?, instant(row, 2, "stage_end_time")?);
    let stage = row.integer(3).and_then(stage::of_number);
    let joined = JoinedStage { stage: stage.unwrap_or(Stage::Unknown), start, end, offset: None };
    Ok((joined, stage.is_none()))
}

fn instant(row: &Row<'_>, column: usize, name: &str) -> Result<DateTime<Utc>, String> {
    let instant = row.integer(column).and_then(DateTime::from_timestamp_millis);
    // Seconds, which some tools write, would be a time in 1970.
    instant
        .filter(|instant| instant.year() > 1970)
        .ok_or_else(|| format!("{name} is not a time in milliseconds"))
}

impl RecordReader for Tables {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        if !self.is_read {
            self.is_read = true;
            return self.read(items).map(|()| true);
        }
        Ok(self.tally.emit(items).is_some())
    }

    fn exchange(&mut self, collections: &mut Collections) {
        collections.exchange(Format::HealthConnect, &mut self.join, || Join::new(NAMES));
    }

    fn bytes_read(&self) -> u64 {
        self.database.size()
    }
}
