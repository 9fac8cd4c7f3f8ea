//! Intake logs.

use crate::change::delete_numbered;
use crate::connection::Pooled;
use crate::savepoint;
use crate::statement::{count, returning, stored};
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{IntakeLogRepository, StorageError, UniqueKey};
use async_trait::async_trait;
use diesel::sql_query;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{Array, BigInt, Bool, Double, Nullable, Text, Timestamptz};
use domain::data_kind::DataKind;
use domain::id::{IntakeLogId, UserId};
use domain::supplement::{IntakeLog, IntakeLogRecord};
use store_shared::column::{Id, IdCell, Instant, TimeCell};
use store_shared::{LogColumns, LogRow, Stored as _};
use uuid::Uuid;

/// New logs as one list per column, so that one statement inserts any number.
#[derive(Default)]
pub(crate) struct NewLogs {
    pub(crate) user_id: Uuid,
    pub(crate) supplement_ids: Vec<IdCell>,
    pub(crate) created_at: Vec<TimeCell>,
    pub(crate) ids: Vec<IdCell>,
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

const MANY: &str = "SELECT l.supplement_id, l.created_at, l.id, l.servings, l.external_key
    FROM intake_log l WHERE l.user_id = $1 AND l.id = ANY ($2)";

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
        let query = returning::<LogColumns, _>(query);
        self.connection()?.load_rows(query).await?.into_iter().map(LogRow::into_value).collect()
    }

    async fn find_many(
        &mut self,
        user_id: UserId,
        ids: &[IntakeLogId],
    ) -> Result<Vec<IntakeLog>, StorageError> {
        let ids: Vec<Uuid> = ids.iter().map(IntakeLogId::as_uuid).collect();
        let query = sql_query(MANY).bind::<SqlUuid, _>(user_id.as_uuid()).bind::<Array<SqlUuid>, _>(ids);
        let query = returning::<LogColumns, _>(query);
        self.connection()?.load_rows(query).await?.into_iter().map(LogRow::into_value).collect()
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
            .bind::<Id, _>(supplement_id)
            .bind::<Instant, _>(created_at)
            .bind::<Id, _>(id)
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
        .bind::<Array<Id>, _>(new.supplement_ids)
        .bind::<Array<Instant>, _>(new.created_at)
        .bind::<Array<Id>, _>(new.ids)
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
    let query = sql_query("SELECT id FROM supplement WHERE id = ANY ($1) AND NOT is_logged");
    let query = returning::<SqlUuid, _>(query.bind::<Array<SqlUuid>, _>(ids));
    let ids: Vec<Uuid> = connection.load_rows(query).await?;
    if ids.is_empty() {
        return Ok(());
    }
    let query = sql_query("UPDATE supplement SET is_logged = true WHERE id = ANY ($1) AND NOT is_logged");
    connection.execute(returning::<(), _>(query.bind::<Array<SqlUuid>, _>(ids))).await.map(drop)
}
