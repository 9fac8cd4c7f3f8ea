//! Intake logs.

use crate::column::{Held, Id, IdCell, Instant, TimeCell};
use crate::row::{Cells, Stored};
use crate::statement::Raw;
use crate::store::Store;
use crate::time_range::lower_bound;
use application::ports::storage::StorageError;
use chrono::{DateTime, Utc};
use diesel::Queryable;
use diesel::sql_types::{Double, Nullable, Text};
use domain::id::{IntakeLogId, UserId};
use domain::supplement::{IntakeLog, IntakeLogRecord, Servings};
use uuid::Uuid;

/// SQL types of a [`LogRow`].
pub type LogColumns = (Id, Instant, Id, Double, Nullable<Text>);

/// A row of `intake_log` without its person.
#[derive(Clone, Queryable)]
#[expect(missing_docs, reason = "fields have the names of columns")]
pub struct LogRow {
    pub supplement_id: IdCell,
    pub created_at: TimeCell,
    pub id: IdCell,
    pub servings: f64,
    pub external_key: Option<String>,
}

impl From<&IntakeLog> for LogRow {
    fn from(log: &IntakeLog) -> Self {
        let IntakeLog { id, record } = log;
        Self {
            supplement_id: record.supplement_id().cell(),
            created_at: record.created_at().cell(),
            id: id.cell(),
            servings: record.servings().get(),
            external_key: record.external_key().map(str::to_owned),
        }
    }
}

impl Stored for LogRow {
    type Value = IntakeLog;

    fn into_value(self) -> Result<IntakeLog, StorageError> {
        let Self { supplement_id, created_at, id, servings, external_key } = self;
        let cells = Cells("intake_log", &id);
        let record = IntakeLogRecord::new(
            cells.parse("supplement_id", supplement_id)?,
            cells.parse("created_at", created_at)?,
            cells.present("servings", Servings::new(servings).ok())?,
            external_key,
        );
        let record = cells.present("created_at or external_key", record.ok())?;
        Ok(record.with_id(cells.parse("id", id)?))
    }
}

/// Returns the statement that selects logs of a person, to which conditions are appended.
pub fn logs_statement(user_id: UserId) -> Raw<LogColumns> {
    let text = "SELECT l.supplement_id, l.created_at, l.id, l.servings, l.external_key
        FROM intake_log l WHERE l.user_id = ?";
    Raw::same(text).bind(user_id.cell())
}

/// Lists a person's logs after a position, by time.
pub async fn walk_logs(
    store: &impl Store,
    user_id: UserId,
    after: Option<(DateTime<Utc>, IntakeLogId)>,
    limit: u32,
) -> Result<Vec<IntakeLog>, StorageError> {
    let (start, id) = after.map_or((None, Uuid::nil()), |(at, id)| (Some(at), id.as_uuid()));
    let query = logs_statement(user_id)
        .sql(" AND (l.created_at, l.id) > (?, ?) ORDER BY l.created_at, l.id LIMIT ?")
        .bind(lower_bound(start).cell())
        .bind(id.cell())
        .bind(i64::from(limit));
    store.read_all::<LogRow, _>(query).await
}

/// Finds a log of a person.
pub async fn find_log(
    store: &impl Store,
    user_id: UserId,
    id: IntakeLogId,
) -> Result<Option<IntakeLog>, StorageError> {
    let query = logs_statement(user_id).sql(" AND l.id = ?").bind(id.cell());
    Ok(store.read_all::<LogRow, _>(query).await?.pop())
}
