//! Intake logs.

use crate::error::corrupt;
use crate::schema::intake_log;
use application::ports::storage::StorageError;
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::{Double, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::id::{IntakeLogId, SupplementId, UserId};
use domain::supplement::{IntakeLog, IntakeLogRecord, Servings};
use uuid::Uuid;

const TABLE: &str = "intake_log";

/// The columns of a [`LogRow`], in its order.
pub(crate) type IntakeLogColumns = (SqlUuid, Timestamptz, SqlUuid, Double, Nullable<Text>);

/// A row of `intake_log` without its person.
#[derive(Queryable, Selectable)]
#[diesel(table_name = intake_log, check_for_backend(Pg))]
pub(crate) struct LogRow {
    pub(crate) supplement_id: Uuid,
    pub(crate) created_at: DateTime<Utc>,
    pub(crate) id: Uuid,
    pub(crate) servings: f64,
    pub(crate) external_key: Option<String>,
}

impl From<&IntakeLog> for LogRow {
    fn from(log: &IntakeLog) -> Self {
        let IntakeLog { id, record } = log;
        Self {
            supplement_id: record.supplement_id().as_uuid(),
            created_at: record.created_at(),
            id: id.as_uuid(),
            servings: record.servings().get(),
            external_key: record.external_key().map(str::to_owned),
        }
    }
}

impl LogRow {
    /// Reads the row as an intake log.
    pub(crate) fn into_log(self) -> Result<IntakeLog, StorageError> {
        let Self { supplement_id, created_at, id, servings, external_key } = self;
        let servings = Servings::new(servings).map_err(corrupt(TABLE, "servings", id))?;
        let supplement_id = SupplementId::from_uuid(supplement_id);
        let record = IntakeLogRecord::new(supplement_id, created_at, servings, external_key);
        let record = record.map_err(corrupt(TABLE, "created_at or external_key", id))?;
        Ok(record.with_id(IntakeLogId::from_uuid(id)))
    }
}

/// New logs, a list a column: one statement inserts any number.
#[derive(Default)]
pub(crate) struct NewLogs {
    pub(crate) user_id: Uuid,
    pub(crate) supplement_ids: Vec<Uuid>,
    pub(crate) created_at: Vec<DateTime<Utc>>,
    pub(crate) ids: Vec<Uuid>,
    pub(crate) servings: Vec<f64>,
    pub(crate) external_keys: Vec<Option<String>>,
}

impl NewLogs {
    /// Lists the columns of a person's new logs.
    pub(crate) fn of(user_id: UserId, logs: &[IntakeLog]) -> Self {
        let mut columns = Self { user_id: user_id.as_uuid(), ..Self::default() };
        for row in logs.iter().map(LogRow::from) {
            let LogRow { supplement_id, created_at, id, servings, external_key } = row;
            columns.supplement_ids.push(supplement_id);
            columns.created_at.push(created_at);
            columns.ids.push(id);
            columns.servings.push(servings);
            columns.external_keys.push(external_key);
        }
        columns
    }
}
