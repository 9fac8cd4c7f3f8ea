//! Uploads: their parts, and the leases of the servers that process them.

use crate::column::{Held, Id, IdCell};
use crate::import::NOW;
use crate::row::Cells;
use crate::statement::Raw;
use crate::unit_of_work::{Transaction, Unit};
use application::ports::storage::{Import, ImportRepository, RECENT_UPLOADS, StorageError, UploadRepository};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::sql_types::BigInt;
use domain::id::ImportId;

#[async_trait]
impl<R: Transaction> UploadRepository for Unit<R> {
    async fn add_part(&mut self, id: ImportId, position: u32, bytes: &[u8]) -> Result<(), StorageError> {
        let query: Raw = Raw::same(
            "INSERT INTO import_part (import_id, position, bytes) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        );
        self.0.execute(query.bind(id.cell()).bind(i64::from(position)).blob(bytes)).await.map(drop)
    }

    async fn stored_bytes(&mut self) -> Result<u64, StorageError> {
        // Sums the sizes recorded with the uploads, so that no part is read.
        let query: Raw<BigInt> = Raw::same(
            "SELECT CAST(coalesce(sum(size), 0) AS bigint) FROM import
            WHERE origin = 'upload' AND state IN ('receiving', 'waiting', 'running')",
        );
        let bytes: Option<i64> = self.0.load_row(query).await?;
        Ok(bytes.and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or_default())
    }

    async fn delete_parts(&mut self, id: ImportId) -> Result<(), StorageError> {
        let query: Raw = Raw::same("DELETE FROM import_part WHERE import_id = ?").bind(id.cell());
        self.0.execute(query).await.map(drop)
    }

    async fn delete_stale(
        &mut self,
        before: DateTime<Utc>,
        reason: &str,
        limit: u32,
    ) -> Result<u64, StorageError> {
        // On PostgreSQL, skips locked uploads; a later run rejects them.
        let query: Raw<Id> = Raw::same(
            "WITH stale AS MATERIALIZED (
                SELECT id FROM import
                WHERE origin = 'upload' AND state IN ('receiving', 'waiting', 'running') AND started_at < ?
                ORDER BY started_at, id LIMIT ?",
        )
        .bind(before.cell())
        .bind(i64::from(limit))
        .sql_of([" FOR NO KEY UPDATE SKIP LOCKED", ""])
        .sql(") UPDATE import SET state = 'refused', refusal = ?, lease_until = NULL, ended_at = ")
        .text(reason)
        .sql_of(NOW)
        .sql(" WHERE id IN (SELECT id FROM stale) RETURNING id");
        let stale: Vec<IdCell> = self.0.load_rows(query).await?;
        for id in &stale {
            let query: Raw = Raw::same("DELETE FROM import_part WHERE import_id = ?").bind(*id);
            self.0.execute(query).await?;
        }
        Ok(u64::try_from(stale.len()).unwrap_or(u64::MAX))
    }

    async fn lease(
        &mut self,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<Option<Import>, StorageError> {
        // Of the people without an upload in progress, the one with the fewest recent uploads is first; then
        // the oldest upload is first. On PostgreSQL, skips uploads that another server is leasing. The upload
        // is selected in a materialized CTE, because a nested query with a limit may run several times and
        // select another row each time.
        let query: Raw<Id> = Raw::same(
            "WITH next AS MATERIALIZED (
                SELECT i.id FROM import i
                WHERE i.origin = 'upload' AND i.state IN ('receiving', 'waiting', 'running')
                    AND (i.state = 'waiting'
                        OR (i.state = 'running' AND (i.lease_until IS NULL OR i.lease_until <= ?)))
                    AND NOT EXISTS (SELECT 1 FROM import r WHERE r.user_id = i.user_id
                        AND r.origin = 'upload' AND r.state = 'running' AND r.lease_until > ?)
                ORDER BY (SELECT count(*) FROM import e
                    WHERE e.user_id = i.user_id AND e.origin = 'upload' AND e.ended_at > ?),
                    i.started_at, i.id LIMIT 1",
        )
        .bind(now.cell())
        .bind(now.cell())
        .bind((now - RECENT_UPLOADS).cell())
        .sql_of([" FOR NO KEY UPDATE OF i SKIP LOCKED", ""])
        .sql(
            ") UPDATE import SET state = 'running', lease_until = ?, tries = tries + 1, bytes_checked = 0,
                bytes_done = 0
            WHERE id = (SELECT id FROM next) RETURNING id",
        )
        .bind(until.cell());
        match self.0.load_row::<IdCell, _>(query).await? {
            Some(id) => ImportRepository::find(self, Cells("import", &id).parse("id", id)?).await,
            None => Ok(None),
        }
    }

    async fn renew(&mut self, id: ImportId, until: DateTime<Utc>) -> Result<bool, StorageError> {
        let query: Raw = Raw::same("UPDATE import SET lease_until = ? WHERE id = ? AND state = 'running'");
        self.changes(query.bind(until.cell()).bind(id.cell())).await
    }

    async fn record_checked(&mut self, id: ImportId, bytes: u64) -> Result<(), StorageError> {
        let query: Raw = Raw::same("UPDATE import SET bytes_checked = ? WHERE id = ? AND state = 'running'");
        self.0.execute(query.bind(bytes.cell()).bind(id.cell())).await.map(drop)
    }

    async fn uncount_try(&mut self, id: ImportId) -> Result<(), StorageError> {
        let query: Raw =
            Raw::same("UPDATE import SET tries = tries - 1 WHERE id = ? AND state = 'running' AND tries > 0");
        self.0.execute(query.bind(id.cell())).await.map(drop)
    }
}
