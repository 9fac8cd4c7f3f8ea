//! The row of a session.

use crate::error::corrupt;
use application::ports::storage::StorageError;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{Binary, Bool, Nullable, SmallInt, Text, Timestamptz};
use domain::id::{SleepSessionId, UserId};
use domain::sleep::{SessionKey, SleepRecord, SleepRecordHead, SleepSession, SleepSource, TimeInBed};
use domain::time::UtcOffset;
use store_shared::{key_kind_name, parse_key_kind};
use uuid::Uuid;

const TABLE: &str = "sleep_session";

/// Columns of a [`SleepRow`], in its order.
pub(crate) const SLEEP_COLUMNS: &str = "s.started_at, s.id, s.ended_at, s.offset_at_start, s.offset_at_end, \
    s.source, s.key_kind, s.natural_key, s.is_nap, s.updated_at, s.stages, s.metrics";

/// SQL types of these columns.
pub(crate) type SleepColumns = (
    Timestamptz,
    SqlUuid,
    Timestamptz,
    Nullable<SmallInt>,
    Nullable<SmallInt>,
    Text,
    Text,
    Text,
    Nullable<Bool>,
    Timestamptz,
    Binary,
    Binary,
);

/// A row of `sleep_session` without its person.
#[derive(Queryable)]
pub(crate) struct SleepRow {
    pub(crate) started_at: DateTime<Utc>,
    pub(crate) id: Uuid,
    pub(crate) ended_at: DateTime<Utc>,
    pub(crate) offset_at_start: Option<i16>,
    pub(crate) offset_at_end: Option<i16>,
    pub(crate) source: String,
    pub(crate) key_kind: String,
    pub(crate) natural_key: String,
    pub(crate) is_nap: Option<bool>,
    pub(crate) updated_at: DateTime<Utc>,
    pub(crate) stages: Vec<u8>,
    pub(crate) metrics: Vec<u8>,
}

impl From<&SleepSession> for SleepRow {
    fn from(session: &SleepSession) -> Self {
        let SleepSession { id, record, updated_at } = session;
        let SleepRecordHead { key, source, time_in_bed, is_nap } = record.head();
        Self {
            started_at: time_in_bed.start(),
            id: id.as_uuid(),
            ended_at: time_in_bed.end(),
            offset_at_start: time_in_bed.offset_at_start().map(UtcOffset::minutes),
            offset_at_end: time_in_bed.offset_at_end().map(UtcOffset::minutes),
            source: source.as_ref().map_or("", SleepSource::as_str).to_owned(),
            key_kind: key_kind_name(key.kind()).to_owned(),
            natural_key: key.as_str().to_owned(),
            is_nap: *is_nap,
            updated_at: *updated_at,
            stages: record.packed_stages(),
            metrics: record.packed_metrics(),
        }
    }
}

impl SleepRow {
    pub(crate) fn into_session(self) -> Result<SleepSession, StorageError> {
        let id = self.id;
        let head = self.head()?;
        let record = SleepRecord::from_packed(head, &self.stages, &self.metrics).map_err(corrupt(
            TABLE,
            "stages or metrics",
            id,
        ))?;
        Ok(SleepSession { id: SleepSessionId::from_uuid(id), record, updated_at: self.updated_at })
    }

    fn head(&self) -> Result<SleepRecordHead, StorageError> {
        let id = self.id;
        let offset_at_start = sleep_offset(self.offset_at_start, "offset_at_start", id)?;
        let offset_at_end = sleep_offset(self.offset_at_end, "offset_at_end", id)?;
        let kind = parse_key_kind(&self.key_kind).ok_or(()).map_err(corrupt(TABLE, "key_kind", id))?;
        let source = Some(self.source.as_str()).filter(|source| !source.is_empty());
        let source = source.map(SleepSource::parse).transpose();
        let time_in_bed = TimeInBed::new(self.started_at, self.ended_at, offset_at_start, offset_at_end);
        Ok(SleepRecordHead {
            key: SessionKey::from_parts(kind, &self.natural_key).map_err(corrupt(
                TABLE,
                "natural_key",
                id,
            ))?,
            source: source.map_err(corrupt(TABLE, "source", id))?,
            time_in_bed: time_in_bed.map_err(corrupt(TABLE, "ended_at", id))?,
            is_nap: self.is_nap,
        })
    }
}

pub(crate) fn sleep_offset(
    minutes: Option<i16>,
    column: &'static str,
    row: Uuid,
) -> Result<Option<UtcOffset>, StorageError> {
    let Some(minutes) = minutes else { return Ok(None) };
    UtcOffset::from_minutes(minutes).ok_or(()).map(Some).map_err(corrupt(TABLE, column, row))
}

/// New sessions as one list per column, so that one statement inserts any number.
#[derive(Default)]
pub(crate) struct NewSessions {
    pub(crate) user_id: Uuid,
    pub(crate) started_at: Vec<DateTime<Utc>>,
    pub(crate) ids: Vec<Uuid>,
    pub(crate) ended_at: Vec<DateTime<Utc>>,
    pub(crate) offsets_at_start: Vec<Option<i16>>,
    pub(crate) offsets_at_end: Vec<Option<i16>>,
    pub(crate) sources: Vec<String>,
    pub(crate) key_kinds: Vec<String>,
    pub(crate) natural_keys: Vec<String>,
    pub(crate) naps: Vec<Option<bool>>,
    pub(crate) updated_at: Vec<DateTime<Utc>>,
    pub(crate) stages: Vec<Vec<u8>>,
    pub(crate) metrics: Vec<Vec<u8>>,
}

impl NewSessions {
    pub(crate) fn from_sessions(user_id: UserId, sessions: &[SleepSession]) -> Self {
        let mut columns = Self { user_id: user_id.as_uuid(), ..Self::default() };
        for row in sessions.iter().map(SleepRow::from) {
            columns.push(row);
        }
        columns
    }

    fn push(&mut self, row: SleepRow) {
        let SleepRow {
            started_at,
            id,
            ended_at,
            offset_at_start,
            offset_at_end,
            source,
            key_kind,
            natural_key,
            is_nap,
            updated_at,
            stages,
            metrics,
        } = row;
        self.started_at.push(started_at);
        self.ids.push(id);
        self.ended_at.push(ended_at);
        self.offsets_at_start.push(offset_at_start);
        self.offsets_at_end.push(offset_at_end);
        self.sources.push(source);
        self.key_kinds.push(key_kind);
        self.natural_keys.push(natural_key);
        self.naps.push(is_nap);
        self.updated_at.push(updated_at);
        self.stages.push(stages);
        self.metrics.push(metrics);
    }
}
