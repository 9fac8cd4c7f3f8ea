//! Imports in a unit of work.

use super::reader;
use super::row::ImportRow;
use crate::error::StorageResult as _;
use crate::row::{Cells, blob, micros};
use crate::schema::import;
use crate::statement::load_row;
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{Import, ImportRepository, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary};
use domain::id::{ImportId, UserId};
use domain::import::{Canceller, FileDigest, ImportOrigin, ImportState};
use store_shared::Raw;

#[async_trait]
impl ImportRepository for SqliteUnitOfWork {
    async fn insert(&mut self, import: &Import) -> Result<(), StorageError> {
        let row = ImportRow::from_import(import)?;
        self.run(move |connection| row.insert(connection).storage().map(drop)).await
    }

    async fn take_undoing(&mut self, idle: TimeDelta) -> Result<Option<ImportId>, StorageError> {
        let statement: Raw<Binary> = Raw::same(
            "UPDATE import SET updated_at = CAST(unixepoch('subsec') * 1000000 AS INTEGER) WHERE id = \
             (SELECT id FROM import WHERE state = 'undoing' \
             AND coalesce(updated_at, started_at) < CAST(unixepoch('subsec') * 1000000 AS INTEGER) - ? \
             ORDER BY coalesce(updated_at, started_at), id LIMIT 1) RETURNING id",
        )
        .bind(idle.num_microseconds().unwrap_or(i64::MAX));
        let id: Option<Vec<u8>> = self.run(load_row(statement)).await?;
        id.map(|id| Cells::new("import", &id).uuid("id", &id).map(ImportId::from_uuid)).transpose()
    }

    async fn find(&mut self, id: ImportId) -> Result<Option<Import>, StorageError> {
        self.run(move |connection| reader::find(connection, blob(id.as_uuid()))).await
    }

    async fn find_interrupted(
        &mut self,
        user_id: Option<UserId>,
        digest: &FileDigest,
        since: DateTime<Utc>,
    ) -> Result<Option<Import>, StorageError> {
        let (user_id, digest) = (user_id.map(|id| blob(id.as_uuid())), digest.as_bytes().to_vec());
        let since = micros(since);
        let is_recent =
            import::updated_at.ge(since).or(import::updated_at.is_null().and(import::started_at.ge(since)));
        let query = import::table
            .filter(is_recent)
            .filter(import::user_id.is(user_id))
            .filter(import::state.eq(ImportState::Running.as_str()))
            .filter(import::origin.eq(ImportOrigin::Command.as_str()))
            .filter(import::digest.eq(digest))
            .order((import::started_at.desc(), import::id.desc()))
            .limit(1)
            .select(ImportRow::as_select());
        self.run(load_row(query)).await?.map(ImportRow::into_import).transpose()
    }

    async fn update(&mut self, import: &Import) -> Result<bool, StorageError> {
        let row = ImportRow::from_import(import)?;
        self.run(move |connection| Ok(row.overwrite(connection).storage()? > 0)).await
    }

    async fn cancel(
        &mut self,
        id: ImportId,
        by: Canceller,
        at: DateTime<Utc>,
    ) -> Result<Option<ImportState>, StorageError> {
        let statement: Raw<BigInt> = Raw::same(
            "UPDATE import SET state = CASE state WHEN 'running' THEN 'undoing' ELSE 'refused' END, \
             cancelled_by = ?, ended_at = ?, \
             lease_until = NULL, updated_at = CAST(unixepoch('subsec') * 1000000 AS INTEGER) \
             WHERE id = ? AND state IN ('receiving', 'waiting', 'running') RETURNING state = 'refused'",
        )
        .text(by.as_str())
        .bind(micros(at))
        .blob(id.as_uuid().as_bytes());
        let is_refused: Option<i64> = self.run(load_row(statement)).await?;
        Ok(is_refused
            .map(|is_refused| if is_refused == 1 { ImportState::Rejected } else { ImportState::Undoing }))
    }

    async fn list(
        &mut self,
        user_id: Option<UserId>,
        after: Option<(DateTime<Utc>, ImportId)>,
        limit: u32,
    ) -> Result<Vec<Import>, StorageError> {
        self.run(move |connection| reader::list(connection, user_id, after, limit)).await
    }
}
