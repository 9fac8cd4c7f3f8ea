//! An intake log.

use super::instant;
use crate::intake_log::LogRow;
use application::ports::storage::StorageError;
use domain::supplement::IntakeLog;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Times are in microseconds since 1970.
#[derive(Serialize, Deserialize)]
pub(super) struct LogJson {
    #[serde(with = "super::id")]
    id: Uuid,
    #[serde(with = "super::id")]
    supplement_id: Uuid,
    created_at: i64,
    servings: f64,
    external_key: Option<String>,
}

impl From<&IntakeLog> for LogJson {
    fn from(log: &IntakeLog) -> Self {
        let LogRow { supplement_id, created_at, id, servings, external_key } = LogRow::from(log);
        Self { id, supplement_id, created_at: created_at.timestamp_micros(), servings, external_key }
    }
}

impl LogJson {
    pub(super) fn into_log(self, row: Uuid) -> Result<IntakeLog, StorageError> {
        let Self { id, supplement_id, created_at, servings, external_key } = self;
        let created_at = instant(created_at, row)?;
        LogRow { supplement_id, created_at, id, servings, external_key }.into_log()
    }
}
