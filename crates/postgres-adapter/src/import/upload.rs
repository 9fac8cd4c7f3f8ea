//! Uploads: their parts, and the leases of the servers that process them.

use crate::error::unexpected;
use crate::schema::import;
use crate::schema::import_part as part_table;
use crate::statement::returning;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{Import, ImportRepository, RECENT_UPLOADS, StorageError, UploadRepository};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{BigInt, Text, Timestamptz};
use domain::id::ImportId;
use domain::import::ImportState;

/// Skips uploads that another server is leasing. The upload is selected in a materialized CTE, because a
/// nested query with a limit may run several times and select another row each time.
const LEASE: &str = "WITH next AS MATERIALIZED (
        SELECT i.id FROM import i
        WHERE i.origin = 'upload' AND i.state IN ('waiting', 'running')
            AND (i.state = 'waiting' OR i.lease_until IS NULL OR i.lease_until <= $1)
            AND NOT EXISTS (
                SELECT 1 FROM import r WHERE r.user_id = i.user_id AND r.origin = 'upload' AND r.state = 'running'
                    AND r.lease_until > $1
            )
        ORDER BY (
            SELECT count(*) FROM import e WHERE e.user_id = i.user_id AND e.origin = 'upload' AND e.ended_at > $3
        ), i.started_at, i.id LIMIT 1 FOR NO KEY UPDATE OF i SKIP LOCKED
    )
    UPDATE import i SET state = 'running', lease_until = $2, tries = i.tries + 1, bytes_checked = 0, bytes_done = 0
    FROM next WHERE i.id = next.id RETURNING i.id";

/// Skips locked uploads; a later run rejects them.
const DELETE_STALE: &str = "WITH stale AS MATERIALIZED (
        SELECT id FROM import
        WHERE origin = 'upload' AND state IN ('receiving', 'waiting', 'running') AND started_at < $1
        ORDER BY started_at, id LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED
    ), deleted AS (
        DELETE FROM import_part WHERE import_id IN (SELECT id FROM stale)
    )
    UPDATE import i SET state = 'refused', refusal = $2, ended_at = now(), lease_until = NULL
    FROM stale WHERE i.id = stale.id";

#[async_trait]
impl UploadRepository for PgUnitOfWork {
    async fn add_part(&mut self, id: ImportId, position: u32, bytes: &[u8]) -> Result<(), StorageError> {
        let row = (
            part_table::import_id.eq(id.as_uuid()),
            part_table::position.eq(column_position(position)?),
            part_table::bytes.eq(bytes),
        );
        let query = diesel::insert_into(part_table::table).values(row).on_conflict_do_nothing();
        self.connection()?.execute(query).await.map(drop)
    }

    async fn stored_bytes(&mut self) -> Result<u64, StorageError> {
        // Sums the sizes recorded with the uploads, so that no part is read.
        let query = sql_query(
            "SELECT coalesce(sum(size), 0)::bigint FROM import
            WHERE origin = 'upload' AND state IN ('receiving', 'waiting', 'running')",
        );
        let bytes: Option<i64> = self.connection()?.load_row(returning::<BigInt, _>(query)).await?;
        Ok(bytes.and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or_default())
    }

    async fn delete_parts(&mut self, id: ImportId) -> Result<(), StorageError> {
        let parts = part_table::table.filter(part_table::import_id.eq(id.as_uuid()));
        self.connection()?.execute(diesel::delete(parts)).await.map(drop)
    }

    async fn delete_stale(
        &mut self,
        before: DateTime<Utc>,
        reason: &str,
        limit: u32,
    ) -> Result<u64, StorageError> {
        let query = sql_query(DELETE_STALE)
            .bind::<Timestamptz, _>(before)
            .bind::<Text, _>(reason)
            .bind::<BigInt, _>(i64::from(limit));
        self.connection()?.execute(returning::<(), _>(query)).await
    }

    async fn lease(
        &mut self,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<Option<Import>, StorageError> {
        let query = sql_query(LEASE)
            .bind::<Timestamptz, _>(now)
            .bind::<Timestamptz, _>(until)
            .bind::<Timestamptz, _>(now - RECENT_UPLOADS);
        match self.connection()?.load_row(returning::<SqlUuid, _>(query)).await? {
            Some(id) => ImportRepository::find(self, ImportId::from_uuid(id)).await,
            None => Ok(None),
        }
    }

    async fn renew(&mut self, id: ImportId, until: DateTime<Utc>) -> Result<bool, StorageError> {
        let running =
            import::table.find(id.as_uuid()).filter(import::state.eq(ImportState::Running.as_str()));
        let query = diesel::update(running).set(import::lease_until.eq(until));
        Ok(self.connection()?.execute(query).await? > 0)
    }

    async fn record_checked(&mut self, id: ImportId, bytes: u64) -> Result<(), StorageError> {
        let query = sql_query("UPDATE import SET bytes_checked = $2 WHERE id = $1 AND state = 'running'")
            .bind::<SqlUuid, _>(id.as_uuid())
            .bind::<BigInt, _>(i64::try_from(bytes).unwrap_or(i64::MAX));
        self.connection()?.execute(returning::<(), _>(query)).await.map(drop)
    }

    async fn uncount_try(&mut self, id: ImportId) -> Result<(), StorageError> {
        const UNCOUNT: &str =
            "UPDATE import SET tries = tries - 1 WHERE id = $1 AND state = 'running' AND tries > 0";

        let query = sql_query(UNCOUNT).bind::<SqlUuid, _>(id.as_uuid());
        self.connection()?.execute(returning::<(), _>(query)).await.map(drop)
    }
}

pub(super) fn column_position(position: u32) -> Result<i32, StorageError> {
    i32::try_from(position).map_err(|_| unexpected("an upload has too many parts"))
}
