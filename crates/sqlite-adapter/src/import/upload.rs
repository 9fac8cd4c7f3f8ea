//! Uploads: their parts, and the leases of the servers that process them.

use super::reader;
use crate::error::StorageResult as _;
use crate::row::{blob, micros};
use crate::schema::{import, import_part};
use crate::statement::Statement;
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{Import, RECENT_UPLOADS, StorageError, UploadRepository};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary};
use diesel::sqlite::SqliteConnection;
use domain::id::ImportId;

#[async_trait]
impl UploadRepository for SqliteUnitOfWork {
    async fn add_part(&mut self, id: ImportId, position: u32, bytes: &[u8]) -> Result<(), StorageError> {
        let bytes = bytes.to_vec();
        self.run(move |connection| add_part(connection, id, position, &bytes)).await
    }

    async fn stored_bytes(&mut self) -> Result<u64, StorageError> {
        self.run(stored_bytes).await
    }

    async fn delete_parts(&mut self, id: ImportId) -> Result<(), StorageError> {
        self.run(move |connection| delete_parts(connection, &blob(id.as_uuid()))).await
    }

    async fn delete_stale(
        &mut self,
        before: DateTime<Utc>,
        reason: &str,
        limit: u32,
    ) -> Result<u64, StorageError> {
        let reason = reason.to_owned();
        self.run(move |connection| delete_stale(connection, before, &reason, limit)).await
    }

    async fn lease(
        &mut self,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<Option<Import>, StorageError> {
        self.run(move |connection| lease(connection, now, until)).await
    }

    async fn prolong(&mut self, id: ImportId, until: DateTime<Utc>) -> Result<bool, StorageError> {
        self.run(move |connection| prolong(connection, id, until)).await
    }

    async fn checked(&mut self, id: ImportId, bytes: u64) -> Result<(), StorageError> {
        self.run(move |connection| checked(connection, id, bytes)).await
    }

    async fn uncount_try(&mut self, id: ImportId) -> Result<(), StorageError> {
        self.run(move |connection| uncount_try(connection, id)).await
    }
}

fn add_part(
    connection: &mut SqliteConnection,
    id: ImportId,
    position: u32,
    bytes: &[u8],
) -> Result<(), StorageError> {
    use import_part::dsl;
    diesel::insert_into(dsl::import_part)
        .values((
            dsl::import_id.eq(blob(id.as_uuid())),
            dsl::position.eq(i64::from(position)),
            dsl::bytes.eq(bytes),
        ))
        .on_conflict((dsl::import_id, dsl::position))
        .do_nothing()
        .execute(connection)
        .storage()
        .map(drop)
}

pub(super) fn part(
    connection: &mut SqliteConnection,
    id: ImportId,
    position: u32,
) -> Result<Option<Vec<u8>>, StorageError> {
    import_part::table
        .find((blob(id.as_uuid()), i64::from(position)))
        .select(import_part::bytes)
        .first(connection)
        .optional()
        .storage()
}

/// Sums the sizes recorded with the uploads, so that no part is read.
fn stored_bytes(connection: &mut SqliteConnection) -> Result<u64, StorageError> {
    let statement: Statement<BigInt> = Statement::new(
        "SELECT coalesce(sum(size), 0) FROM import WHERE origin = 'upload' \
         AND state IN ('receiving', 'waiting', 'running')",
    );
    let bytes: i64 = statement.get_result(connection).storage()?;
    Ok(u64::try_from(bytes).unwrap_or_default())
}

fn delete_parts(connection: &mut SqliteConnection, id: &[u8]) -> Result<(), StorageError> {
    diesel::delete(import_part::table.filter(import_part::import_id.eq(id)))
        .execute(connection)
        .storage()
        .map(drop)
}

/// Rejects stale uploads and deletes their parts.
fn delete_stale(
    connection: &mut SqliteConnection,
    before: DateTime<Utc>,
    reason: &str,
    limit: u32,
) -> Result<u64, StorageError> {
    let statement: Statement<Binary> = Statement::new(
        "UPDATE import SET state = 'refused', refusal = ?, lease_until = NULL, \
         ended_at = CAST(unixepoch('subsec') * 1000000 AS INTEGER) \
         WHERE id IN (SELECT id FROM import WHERE origin = 'upload' \
         AND state IN ('receiving', 'waiting', 'running') AND started_at < ? ORDER BY started_at, id LIMIT ?) \
         RETURNING id",
    )
    .text(reason)
    .integer(micros(before))
    .integer(i64::from(limit));
    let ids: Vec<Vec<u8>> = statement.load(connection).storage()?;
    for id in &ids {
        delete_parts(connection, id)?;
    }
    Ok(ids.len().try_into().unwrap_or(u64::MAX))
}

/// Leases the next upload: of the people without one in progress, the one with the fewest recent uploads is
/// first; then the oldest upload is first.
fn lease(
    connection: &mut SqliteConnection,
    now: DateTime<Utc>,
    until: DateTime<Utc>,
) -> Result<Option<Import>, StorageError> {
    let statement: Statement<Binary> = Statement::new(
        "UPDATE import SET state = 'running', lease_until = ?, tries = tries + 1, bytes_checked = 0, bytes_done = 0 \
         WHERE id = \
         (SELECT i.id FROM import i WHERE i.origin = 'upload' AND i.state IN ('receiving', 'waiting', 'running') \
         AND (i.state = 'waiting' OR (i.state = 'running' AND coalesce(i.lease_until, 0) <= ?)) \
         AND NOT EXISTS (SELECT 1 FROM import r WHERE r.user_id = i.user_id AND r.origin = 'upload' \
         AND r.state = 'running' AND r.lease_until > ?) \
         ORDER BY (SELECT count(*) FROM import e WHERE e.user_id = i.user_id AND e.origin = 'upload' \
         AND e.ended_at > ?), i.started_at, i.id LIMIT 1) RETURNING id",
    )
    .integer(micros(until))
    .integer(micros(now))
    .integer(micros(now))
    .integer(micros(now - RECENT_UPLOADS));
    let Some(id) = statement.get_result::<Vec<u8>>(connection).optional().storage()? else { return Ok(None) };
    reader::find(connection, id)
}

fn prolong(
    connection: &mut SqliteConnection,
    id: ImportId,
    until: DateTime<Utc>,
) -> Result<bool, StorageError> {
    use import::dsl;
    let running = dsl::import.find(blob(id.as_uuid())).filter(dsl::state.eq("running"));
    let prolonged =
        diesel::update(running).set(dsl::lease_until.eq(micros(until))).execute(connection).storage()?;
    Ok(prolonged > 0)
}

fn checked(connection: &mut SqliteConnection, id: ImportId, bytes: u64) -> Result<(), StorageError> {
    let statement: Statement<()> =
        Statement::new("UPDATE import SET bytes_checked = ? WHERE id = ? AND state = 'running'")
            .integer(i64::try_from(bytes).unwrap_or(i64::MAX))
            .blob(id.as_uuid().as_bytes());
    statement.execute(connection).storage().map(drop)
}

fn uncount_try(connection: &mut SqliteConnection, id: ImportId) -> Result<(), StorageError> {
    let statement: Statement<()> = Statement::new(
        "UPDATE import SET tries = tries - 1 WHERE id = ? AND state = 'running' AND tries > 0",
    )
    .blob(id.as_uuid().as_bytes());
    statement.execute(connection).storage().map(drop)
}
