//! Uploads: their parts, and the leases of the servers that process them.

use super::reader;
use crate::error::StorageResult as _;
use crate::row::{blob, micros};
use crate::schema::{import, import_part};
use crate::statement::{execute, load_row};
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{Import, RECENT_UPLOADS, StorageError, UploadRepository};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary};
use domain::id::ImportId;
use store_shared::Raw;

#[async_trait]
impl UploadRepository for SqliteUnitOfWork {
    async fn add_part(&mut self, id: ImportId, position: u32, bytes: &[u8]) -> Result<(), StorageError> {
        let row = (
            import_part::import_id.eq(blob(id.as_uuid())),
            import_part::position.eq(i64::from(position)),
            import_part::bytes.eq(bytes.to_vec()),
        );
        let query = diesel::insert_into(import_part::table)
            .values(row)
            .on_conflict((import_part::import_id, import_part::position))
            .do_nothing();
        self.run(execute(query)).await.map(drop)
    }

    async fn stored_bytes(&mut self) -> Result<u64, StorageError> {
        // Sums the sizes recorded with the uploads, so that no part is read.
        let statement: Raw<BigInt> = Raw::same(
            "SELECT coalesce(sum(size), 0) FROM import WHERE origin = 'upload' \
             AND state IN ('receiving', 'waiting', 'running')",
        );
        let bytes: Option<i64> = self.run(load_row(statement)).await?;
        Ok(bytes.and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or_default())
    }

    async fn delete_parts(&mut self, id: ImportId) -> Result<(), StorageError> {
        let parts = import_part::table.filter(import_part::import_id.eq(blob(id.as_uuid())));
        self.run(execute(diesel::delete(parts))).await.map(drop)
    }

    async fn delete_stale(
        &mut self,
        before: DateTime<Utc>,
        reason: &str,
        limit: u32,
    ) -> Result<u64, StorageError> {
        let statement: Raw<Binary> = Raw::same(
            "UPDATE import SET state = 'refused', refusal = ?, lease_until = NULL, \
             ended_at = CAST(unixepoch('subsec') * 1000000 AS INTEGER) \
             WHERE id IN (SELECT id FROM import WHERE origin = 'upload' \
             AND state IN ('receiving', 'waiting', 'running') AND started_at < ? ORDER BY started_at, id LIMIT ?) \
             RETURNING id",
        )
        .text(reason)
        .bind(micros(before))
        .bind(i64::from(limit));
        self.run(move |connection| {
            let ids: Vec<Vec<u8>> = statement.load(connection).storage()?;
            execute(diesel::delete(import_part::table.filter(import_part::import_id.eq_any(&ids))))(
                connection,
            )?;
            Ok(ids.len().try_into().unwrap_or(u64::MAX))
        })
        .await
    }

    async fn lease(
        &mut self,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<Option<Import>, StorageError> {
        // Of the people without an upload in progress, the one with the fewest recent uploads is first; then
        // the oldest upload is first.
        let statement: Raw<Binary> = Raw::same(
            "UPDATE import SET state = 'running', lease_until = ?, tries = tries + 1, bytes_checked = 0, bytes_done = 0 \
             WHERE id = \
             (SELECT i.id FROM import i WHERE i.origin = 'upload' AND i.state IN ('receiving', 'waiting', 'running') \
             AND (i.state = 'waiting' OR (i.state = 'running' AND coalesce(i.lease_until, 0) <= ?)) \
             AND NOT EXISTS (SELECT 1 FROM import r WHERE r.user_id = i.user_id AND r.origin = 'upload' \
             AND r.state = 'running' AND r.lease_until > ?) \
             ORDER BY (SELECT count(*) FROM import e WHERE e.user_id = i.user_id AND e.origin = 'upload' \
             AND e.ended_at > ?), i.started_at, i.id LIMIT 1) RETURNING id",
        )
        .bind(micros(until))
        .bind(micros(now))
        .bind(micros(now))
        .bind(micros(now - RECENT_UPLOADS));
        self.run(move |connection| match load_row(statement)(connection)? {
            Some(id) => reader::find(connection, id),
            None => Ok(None),
        })
        .await
    }

    async fn renew(&mut self, id: ImportId, until: DateTime<Utc>) -> Result<bool, StorageError> {
        let running = import::table.find(blob(id.as_uuid())).filter(import::state.eq("running"));
        let query = diesel::update(running).set(import::lease_until.eq(micros(until)));
        Ok(self.run(execute(query)).await? > 0)
    }

    async fn record_checked(&mut self, id: ImportId, bytes: u64) -> Result<(), StorageError> {
        let statement: Raw<()> =
            Raw::same("UPDATE import SET bytes_checked = ? WHERE id = ? AND state = 'running'")
                .bind(i64::try_from(bytes).unwrap_or(i64::MAX))
                .blob(id.as_uuid().as_bytes());
        self.run(execute(statement)).await.map(drop)
    }

    async fn uncount_try(&mut self, id: ImportId) -> Result<(), StorageError> {
        let statement: Raw<()> =
            Raw::same("UPDATE import SET tries = tries - 1 WHERE id = ? AND state = 'running' AND tries > 0")
                .blob(id.as_uuid().as_bytes());
        self.run(execute(statement)).await.map(drop)
    }
}
