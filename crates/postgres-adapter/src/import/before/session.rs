//! A sleep session.

use super::instant;
use crate::sleep::SleepRow;
use application::ports::storage::StorageError;
use domain::sleep::SleepSession;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Times are in microseconds since 1970; stages and metrics are packed as in the table.
#[derive(Serialize, Deserialize)]
pub(super) struct SessionJson {
    #[serde(with = "super::id")]
    id: Uuid,
    started_at: i64,
    ended_at: i64,
    offset_at_start: Option<i16>,
    offset_at_end: Option<i16>,
    source: String,
    key_kind: String,
    natural_key: String,
    is_nap: Option<bool>,
    updated_at: i64,
    #[serde(with = "crate::row::hex")]
    stages: Vec<u8>,
    #[serde(with = "crate::row::hex")]
    metrics: Vec<u8>,
}

impl From<&SleepSession> for SessionJson {
    fn from(session: &SleepSession) -> Self {
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
        } = SleepRow::from(session);
        Self {
            id,
            started_at: started_at.timestamp_micros(),
            ended_at: ended_at.timestamp_micros(),
            offset_at_start,
            offset_at_end,
            source,
            key_kind,
            natural_key,
            is_nap,
            updated_at: updated_at.timestamp_micros(),
            stages,
            metrics,
        }
    }
}

impl SessionJson {
    pub(super) fn into_session(self, row: Uuid) -> Result<SleepSession, StorageError> {
        let Self {
            id,
            started_at,
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
        } = self;
        let columns = SleepRow {
            started_at: instant(started_at, row)?,
            id,
            ended_at: instant(ended_at, row)?,
            offset_at_start,
            offset_at_end,
            source,
            key_kind,
            natural_key,
            is_nap,
            updated_at: instant(updated_at, row)?,
            stages,
            metrics,
        };
        columns.into_session()
    }
}
