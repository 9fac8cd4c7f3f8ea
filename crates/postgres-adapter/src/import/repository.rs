//! Imports in a unit of work.

use super::reader;
use super::row::{ImportContent, ImportExtra, ImportRow};
use crate::connection::Pooled;
use crate::error::storage_error;
use crate::schema::import;
use crate::statement::returning;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{Import, ImportRepository, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{BigInt, Bool, Integer, Nullable, Text, Timestamptz};
use diesel_async::RunQueryDsl;
use domain::id::{ImportId, UserId};
use domain::import::{Canceller, FileDigest, ImportOrigin, ImportState};
use uuid::Uuid;

/// Predicate of the partial index of running imports.
const RUNNING: &str = "state = 'running'";

#[async_trait]
impl ImportRepository for PgUnitOfWork {
    async fn insert(&mut self, import: &Import) -> Result<(), StorageError> {
        let inserting = diesel::insert_into(import::table).values(ImportRow::of(import)?);
        inserting.execute(self.connection()?).await.map_err(storage_error)?;
        store_extra(self.connection()?, import).await
    }

    async fn take_undoing(&mut self, idle: TimeDelta) -> Result<Option<ImportId>, StorageError> {
        take_undoing(self.connection()?, idle).await
    }

    async fn find(&mut self, id: ImportId) -> Result<Option<Import>, StorageError> {
        // The caller may update what it finds, so the row is locked.
        let row: Option<ImportRow> = import::table
            .find(id.as_uuid())
            .select(ImportRow::as_select())
            .for_no_key_update()
            .first(self.connection()?)
            .await
            .optional()
            .map_err(storage_error)?;
        row.map(ImportRow::into_import).transpose()
    }

    async fn find_broken_off(
        &mut self,
        user_id: Option<UserId>,
        digest: &FileDigest,
        since: DateTime<Utc>,
    ) -> Result<Option<Import>, StorageError> {
        let mut query = import::table
            // A literal: a generic plan cannot prove that a parameter matches the partial index.
            .filter(sql::<Bool>(RUNNING))
            .filter(import::origin.eq(ImportOrigin::Command.as_str()))
            .filter(import::digest.eq(digest.as_bytes().as_slice()))
            .filter(
                import::updated_at
                    .ge(since)
                    .or(import::updated_at.is_null().and(import::started_at.ge(since))),
            )
            .order((import::started_at.desc(), import::id.desc()))
            .select(ImportRow::as_select())
            .into_boxed();
        query = match user_id {
            Some(user_id) => query.filter(import::user_id.eq(user_id.as_uuid())),
            None => query.filter(import::user_id.is_null()),
        };
        let row: Option<ImportRow> =
            query.first(self.connection()?).await.optional().map_err(storage_error)?;
        row.map(ImportRow::into_import).transpose()
    }

    async fn update(&mut self, import: &Import) -> Result<bool, StorageError> {
        let updated = diesel::update(import::table.find(import.id.as_uuid()))
            .set((ImportContent::of(import)?, import::updated_at.eq(sql::<Nullable<Timestamptz>>("now()"))))
            .execute(self.connection()?)
            .await
            .map_err(storage_error)?;
        store_extra(self.connection()?, import).await?;
        Ok(updated > 0)
    }

    async fn cancel(
        &mut self,
        id: ImportId,
        by: Canceller,
        at: DateTime<Utc>,
    ) -> Result<Option<ImportState>, StorageError> {
        cancel(self.connection()?, id, by, at).await
    }

    async fn list(
        &mut self,
        user_id: Option<UserId>,
        after: Option<(DateTime<Utc>, ImportId)>,
        limit: u32,
    ) -> Result<Vec<Import>, StorageError> {
        let rows = reader::list(self.connection()?, user_id, after, limit).await.map_err(storage_error)?;
        rows.into_iter().map(ImportRow::into_import).collect()
    }
}

/// Returns the least recently updated import that is being undone; skips locked ones.
async fn take_undoing(connection: &mut Pooled, idle: TimeDelta) -> Result<Option<ImportId>, StorageError> {
    const TAKE: &str = "WITH next AS MATERIALIZED (
            SELECT id FROM import
            WHERE state = 'undone' AND taken_back_at IS NULL
                AND coalesce(updated_at, started_at) < now() - $1 * interval '1 second'
            ORDER BY coalesce(updated_at, started_at), id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
        )
        UPDATE import i SET updated_at = now() FROM next WHERE i.id = next.id RETURNING i.id";

    let query = sql_query(TAKE).bind::<BigInt, _>(idle.num_seconds());
    let id: Option<Uuid> =
        returning::<SqlUuid, _>(query).get_result(connection).await.optional().map_err(storage_error)?;
    Ok(id.map(ImportId::from_uuid))
}

/// Cancels an unfinished import; returns its new state. Waits for a transaction that ends it, whose state is
/// kept.
async fn cancel(
    connection: &mut Pooled,
    id: ImportId,
    by: Canceller,
    at: DateTime<Utc>,
) -> Result<Option<ImportState>, StorageError> {
    const CANCEL: &str =
        "UPDATE import SET state = CASE state WHEN 'running' THEN 'undone' ELSE 'refused' END,
            cancelled_by = $2, ended_at = $3, taken_back_at = NULL, lease_until = NULL, updated_at = now()
        WHERE id = $1 AND state IN ('receiving', 'waiting', 'running') RETURNING state = 'refused'";

    let query = sql_query(CANCEL)
        .bind::<SqlUuid, _>(id.as_uuid())
        .bind::<Text, _>(by.as_str())
        .bind::<Timestamptz, _>(at);
    let is_refused: Option<bool> =
        returning::<Bool, _>(query).get_result(connection).await.optional().map_err(storage_error)?;
    Ok(is_refused.map(|is_refused| if is_refused { ImportState::Refused } else { ImportState::Undoing }))
}

/// Stores the columns outside diesel's table.
async fn store_extra(connection: &mut Pooled, import: &Import) -> Result<(), StorageError> {
    const STORE: &str =
        "UPDATE import SET taken_back_at = $2, bytes_checked = $3, tries = $4, recording_start = $5,
        overwrite_profile = $6, profile_changes = $7::jsonb, cancelled_by = $8, left_out_labels = $9,
        undone = $10::jsonb WHERE id = $1";

    let extra = ImportExtra::of(import)?;
    let ImportExtra {
        taken_back_at,
        bytes_checked,
        tries,
        recording_start,
        overwrite_profile,
        profile_changes,
        cancelled_by,
        left_out_labels,
        undone,
    } = extra;
    let query = sql_query(STORE)
        .bind::<SqlUuid, _>(import.id.as_uuid())
        .bind::<Nullable<Timestamptz>, _>(taken_back_at)
        .bind::<BigInt, _>(bytes_checked)
        .bind::<Integer, _>(tries)
        .bind::<Nullable<Text>, _>(recording_start)
        .bind::<Bool, _>(overwrite_profile)
        .bind::<Nullable<Text>, _>(profile_changes)
        .bind::<Nullable<Text>, _>(cancelled_by)
        .bind::<Bool, _>(left_out_labels)
        .bind::<Nullable<Text>, _>(undone);
    returning::<(), _>(query).execute(connection).await.map(|_| ()).map_err(storage_error)
}
