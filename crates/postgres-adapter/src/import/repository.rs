//! Imports in a unit of work.

use super::reader;
use super::row::{ImportContent, ImportExtra, ImportRow};
use crate::error::storage_error;
use crate::schema::{import, import_extra};
use crate::statement::returning;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{Import, ImportRepository, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{BigInt, Bool, Nullable, Text, Timestamptz};
use domain::id::{ImportId, UserId};
use domain::import::{Canceller, FileDigest, ImportOrigin, ImportState};
use uuid::Uuid;

/// Predicate of the partial index of running imports.
const RUNNING: &str = "state = 'running'";

#[async_trait]
impl ImportRepository for PgUnitOfWork {
    async fn insert(&mut self, import: &Import) -> Result<(), StorageError> {
        let inserting = diesel::insert_into(import::table).values(ImportRow::from_import(import)?);
        self.connection()?.execute(inserting).await?;
        self.store_extra(import).await.map(drop)
    }

    async fn take_undoing(&mut self, idle: TimeDelta) -> Result<Option<ImportId>, StorageError> {
        // Skips locked imports.
        const TAKE: &str = "WITH next AS MATERIALIZED (
                SELECT id FROM import
                WHERE state = 'undoing'
                    AND coalesce(updated_at, started_at) < now() - $1 * interval '1 second'
                ORDER BY coalesce(updated_at, started_at), id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
            )
            UPDATE import i SET updated_at = now() FROM next WHERE i.id = next.id RETURNING i.id";

        let query = sql_query(TAKE).bind::<BigInt, _>(idle.num_seconds());
        let id: Option<Uuid> = self.connection()?.load_row(returning::<SqlUuid, _>(query)).await?;
        Ok(id.map(ImportId::from_uuid))
    }

    async fn find(&mut self, id: ImportId) -> Result<Option<Import>, StorageError> {
        // The caller may update what it finds, so the row is locked.
        let query = import::table.find(id.as_uuid()).select(ImportRow::as_select()).for_no_key_update();
        self.connection()?.load_row(query).await?.map(ImportRow::into_import).transpose()
    }

    async fn find_interrupted(
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
            .limit(1)
            .select(ImportRow::as_select())
            .into_boxed();
        query = match user_id {
            Some(user_id) => query.filter(import::user_id.eq(user_id.as_uuid())),
            None => query.filter(import::user_id.is_null()),
        };
        self.connection()?.load_row(query).await?.map(ImportRow::into_import).transpose()
    }

    async fn update(&mut self, import: &Import) -> Result<bool, StorageError> {
        let query = diesel::update(import::table.find(import.id.as_uuid())).set((
            ImportContent::from_import(import)?,
            import::updated_at.eq(sql::<Nullable<Timestamptz>>("now()")),
        ));
        let updated = self.connection()?.execute(query).await?;
        self.store_extra(import).await?;
        Ok(updated > 0)
    }

    async fn cancel(
        &mut self,
        id: ImportId,
        by: Canceller,
        at: DateTime<Utc>,
    ) -> Result<Option<ImportState>, StorageError> {
        // Waits for a transaction that ends the import, whose state is kept.
        const CANCEL: &str =
            "UPDATE import SET state = CASE WHEN state = 'running' THEN 'undoing' ELSE 'refused' END,
                cancelled_by = $2, ended_at = $3, lease_until = NULL, updated_at = now()
            WHERE id = $1 AND state IN ('receiving', 'waiting', 'running') RETURNING state = 'refused'";

        let query = sql_query(CANCEL)
            .bind::<SqlUuid, _>(id.as_uuid())
            .bind::<Text, _>(by.as_str())
            .bind::<Timestamptz, _>(at);
        let is_refused: Option<bool> = self.connection()?.load_row(returning::<Bool, _>(query)).await?;
        Ok(is_refused.map(|is_refused| if is_refused { ImportState::Rejected } else { ImportState::Undoing }))
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

impl PgUnitOfWork {
    async fn store_extra(&mut self, import: &Import) -> Result<u64, StorageError> {
        let query = diesel::update(import_extra::table.find(import.id.as_uuid()))
            .set(ImportExtra::from_import(import)?);
        self.connection()?.execute(query).await
    }
}
