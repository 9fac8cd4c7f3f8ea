//! Intake logs.

use crate::change::delete_numbered;
use crate::connection::Pooled;
use crate::error::corrupt;
use crate::savepoint;
use crate::schema::{intake_log, supplement};
use crate::statement::{count, returning, stored};
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{IntakeLogRepository, StorageError, UniqueKey};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{Array, BigInt, Bool, Double, Nullable, Text, Timestamptz};
use domain::data_kind::DataKind;
use domain::id::{IntakeLogId, SupplementId, UserId};
use domain::supplement::{IntakeLog, IntakeLogRecord, Servings};
use uuid::Uuid;

const TABLE: &str = "intake_log";

/// Column types of a [`LogRow`], in its order.
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
    pub(crate) fn into_log(self) -> Result<IntakeLog, StorageError> {
        let Self { supplement_id, created_at, id, servings, external_key } = self;
        let servings = Servings::new(servings).map_err(corrupt(TABLE, "servings", id))?;
        let supplement_id = SupplementId::from_uuid(supplement_id);
        let record = IntakeLogRecord::new(supplement_id, created_at, servings, external_key);
        let record = record.map_err(corrupt(TABLE, "created_at or external_key", id))?;
        Ok(record.with_id(IntakeLogId::from_uuid(id)))
    }
}

/// New logs as one list per column, so that one statement inserts any number.
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
    pub(crate) fn from_logs(user_id: UserId, logs: &[IntakeLog]) -> Self {
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

/// Logs with one of the external keys, or of one of the supplements at its time.
const CANDIDATES: &str = "SELECT l.supplement_id, l.created_at, l.id, l.servings, l.external_key
    FROM intake_log l WHERE l.user_id = $1 AND l.external_key = ANY ($2)
    UNION
    SELECT l.supplement_id, l.created_at, l.id, l.servings, l.external_key
    FROM unnest($3, $4) AS r (supplement_id, created_at)
    JOIN intake_log l ON l.user_id = $1 AND l.supplement_id = r.supplement_id AND l.created_at = r.created_at";

/// Returns the number of stored logs. Removes the deletion of a log that is stored again.
const INSERT: &str = "WITH stored AS (
        INSERT INTO intake_log (user_id, change_number, supplement_id, created_at, id, servings, external_key)
        SELECT $1, $7, * FROM unnest($2, $3, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING id
    ), back AS (
        DELETE FROM deletion
        WHERE user_id = $1 AND kind = 'supplements' AND id = ANY (ARRAY (SELECT id FROM stored))
    ) SELECT count(*) FROM stored";

const DELETE: &str = "DELETE FROM intake_log WHERE user_id = $1 AND id = ANY ($2)";

/// Returns whether the log was updated and whether it exists.
const UPDATE: &str = "WITH taken AS (
        SELECT FROM intake_log WHERE user_id = $1 AND external_key = $6 AND id <> $4
    ), updated AS (
        UPDATE intake_log SET supplement_id = $2, created_at = $3, servings = $5, external_key = $6,
            change_number = $7
        WHERE user_id = $1 AND id = $4 AND NOT EXISTS (SELECT FROM taken)
        RETURNING id
    ) SELECT EXISTS (SELECT FROM updated), EXISTS (SELECT FROM intake_log WHERE user_id = $1 AND id = $4)";

#[async_trait]
impl IntakeLogRepository for PgUnitOfWork {
    async fn find_candidates(
        &mut self,
        user_id: UserId,
        records: &[IntakeLogRecord],
    ) -> Result<Vec<IntakeLog>, StorageError> {
        let keys: Vec<&str> = records.iter().filter_map(IntakeLogRecord::external_key).collect();
        let supplements: Vec<Uuid> = records.iter().map(|record| record.supplement_id().as_uuid()).collect();
        let times: Vec<_> = records.iter().map(IntakeLogRecord::created_at).collect();
        let query = sql_query(CANDIDATES)
            .bind::<SqlUuid, _>(user_id.as_uuid())
            .bind::<Array<Text>, _>(keys)
            .bind::<Array<SqlUuid>, _>(supplements)
            .bind::<Array<Timestamptz>, _>(times);
        let query = returning::<IntakeLogColumns, _>(query);
        self.connection()?.load_rows(query).await?.into_iter().map(LogRow::into_log).collect()
    }

    async fn find_many(
        &mut self,
        user_id: UserId,
        ids: &[IntakeLogId],
    ) -> Result<Vec<IntakeLog>, StorageError> {
        let ids: Vec<Uuid> = ids.iter().map(IntakeLogId::as_uuid).collect();
        let query = intake_log::table
            .filter(intake_log::user_id.eq(user_id.as_uuid()))
            .filter(intake_log::id.eq_any(ids))
            .select(LogRow::as_select());
        self.connection()?.load_rows(query).await?.into_iter().map(LogRow::into_log).collect()
    }

    async fn insert(&mut self, user_id: UserId, logs: &[IntakeLog]) -> Result<(), StorageError> {
        if logs.is_empty() {
            return Ok(());
        }
        let number = self.change_number(user_id).await?;
        let connection = self.connection()?;
        match count(logs.len()) {
            // A single row needs no savepoint.
            1 => stored(insert(connection, (user_id, number), logs).await?, UniqueKey::IntakeLog)?,
            wanted => {
                savepoint::open(connection).await?;
                let inserted = insert(connection, (user_id, number), logs).await?;
                savepoint::close(connection, inserted == wanted, UniqueKey::IntakeLog).await?;
            }
        }
        mark_logged(connection, logs).await
    }

    async fn update(&mut self, user_id: UserId, log: &IntakeLog) -> Result<bool, StorageError> {
        let LogRow { supplement_id, created_at, id, servings, external_key } = LogRow::from(log);
        let number = self.change_number(user_id).await?;
        let connection = self.connection()?;
        let query = sql_query(UPDATE)
            .bind::<SqlUuid, _>(user_id.as_uuid())
            .bind::<SqlUuid, _>(supplement_id)
            .bind::<Timestamptz, _>(created_at)
            .bind::<SqlUuid, _>(id)
            .bind::<Double, _>(servings)
            .bind::<Nullable<Text>, _>(external_key)
            .bind::<BigInt, _>(number);
        let (is_updated, is_there): (bool, bool) =
            connection.load_one(returning::<(Bool, Bool), _>(query)).await?;
        match (is_updated, is_there) {
            (true, _) => mark_logged(connection, std::slice::from_ref(log)).await.map(|()| true),
            (false, true) => Err(StorageError::Conflict(UniqueKey::IntakeLog)),
            (false, false) => Ok(false),
        }
    }

    async fn delete(&mut self, user_id: UserId, ids: &[IntakeLogId]) -> Result<u64, StorageError> {
        let ids = ids.iter().map(IntakeLogId::as_uuid).collect();
        delete_numbered(self, (DELETE, DataKind::Supplements), user_id, ids).await
    }
}

async fn insert(
    connection: &mut Pooled,
    (user_id, number): (UserId, i64),
    logs: &[IntakeLog],
) -> Result<u64, StorageError> {
    let new = NewLogs::from_logs(user_id, logs);
    let query = sql_query(INSERT)
        .bind::<SqlUuid, _>(new.user_id)
        .bind::<Array<SqlUuid>, _>(new.supplement_ids)
        .bind::<Array<Timestamptz>, _>(new.created_at)
        .bind::<Array<SqlUuid>, _>(new.ids)
        .bind::<Array<Double>, _>(new.servings)
        .bind::<Array<Nullable<Text>>, _>(new.external_keys)
        .bind::<BigInt, _>(number);
    let stored: i64 = connection.load_one(returning::<BigInt, _>(query)).await?;
    Ok(u64::try_from(stored).unwrap_or_default())
}

/// Marks these versions as logged; writes each of them at most once. Looks first: an update that finds no row
/// would still lock the catalogue on every node of an engine that distributes tables.
async fn mark_logged(connection: &mut Pooled, logs: &[IntakeLog]) -> Result<(), StorageError> {
    // Sorted, so that concurrent units of work do not deadlock.
    let mut ids: Vec<Uuid> = logs.iter().map(|log| log.record.supplement_id().as_uuid()).collect();
    ids.sort_unstable();
    ids.dedup();
    let unmarked = |ids: Vec<Uuid>| {
        supplement::table.filter(supplement::id.eq_any(ids)).filter(supplement::is_logged.eq(false))
    };
    let ids: Vec<Uuid> = connection.load_rows(unmarked(ids).select(supplement::id)).await?;
    if ids.is_empty() {
        return Ok(());
    }
    let marking = diesel::update(unmarked(ids)).set(supplement::is_logged.eq(true));
    connection.execute(marking).await.map(drop)
}
