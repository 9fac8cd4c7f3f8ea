//! Imports, what each of them did, and the parts of uploads.

use super::row::{ImportContent, ImportRow};
use super::{history, note, reader, upload};
use crate::error::storage_error;
use crate::schema::import;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{
    Import, ImportChange, ImportRepository, RecordBefore, RecordReference, SessionNote, Standing,
    StorageError,
};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Nullable, Timestamptz};
use diesel_async::RunQueryDsl;
use domain::id::{ImportId, SleepSessionId, UserId};
use domain::import::{FileDigest, ImportOrigin, ImportState};
use domain::sleep::TimeInBed;

/// What the partial index of imports that run is about.
const RUNNING: &str = "state = 'running'";

#[async_trait]
impl ImportRepository for PgUnitOfWork {
    async fn insert(&mut self, import: &Import) -> Result<(), StorageError> {
        let inserting = diesel::insert_into(import::table).values(ImportRow::of(import)?);
        inserting.execute(self.connection()?).await.map_err(storage_error)?;
        upload::store_extra(self.connection()?, import).await
    }

    async fn take_undoing(&mut self, idle: TimeDelta) -> Result<Option<ImportId>, StorageError> {
        note::take_undoing(self.connection()?, idle).await
    }

    async fn find(&mut self, id: ImportId) -> Result<Option<Import>, StorageError> {
        // Whoever finds may update, with all that was found: nobody else may in between.
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
            // Written out: a plan that is made once cannot know that a parameter fits the partial index.
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
        upload::store_extra(self.connection()?, import).await?;
        Ok(updated > 0)
    }

    async fn cancel(
        &mut self,
        id: ImportId,
        reason: &str,
        at: DateTime<Utc>,
    ) -> Result<Option<ImportState>, StorageError> {
        upload::cancel(self.connection()?, id, reason, at).await
    }

    async fn note(
        &mut self,
        id: ImportId,
        user_id: Option<UserId>,
        changes: &[ImportChange],
    ) -> Result<(), StorageError> {
        // Labels have numbers of their own.
        let is_of_person = |change: &ImportChange| !matches!(change.record, RecordReference::Label(_));
        let number = match user_id.filter(|_| changes.iter().any(is_of_person)) {
            Some(user_id) => self.change_number(user_id).await?,
            None => 0,
        };
        note::note(self.connection()?, id, (user_id, number), changes).await
    }

    async fn noted(
        &mut self,
        id: ImportId,
        limit: u32,
    ) -> Result<Vec<(ImportChange, Standing)>, StorageError> {
        note::noted(self.connection()?, id, limit).await
    }

    async fn rebase(
        &mut self,
        later: ImportId,
        record: RecordReference,
        before: Option<RecordBefore>,
    ) -> Result<(), StorageError> {
        note::rebase(self.connection()?, later, record, before.as_ref()).await
    }

    async fn forget(&mut self, id: ImportId, record: RecordReference) -> Result<(), StorageError> {
        note::forget(self.connection()?, id, record).await
    }

    async fn leave(&mut self, id: ImportId, record: RecordReference) -> Result<(), StorageError> {
        note::leave(self.connection()?, id, record).await
    }

    async fn overtake(
        &mut self,
        user_id: Option<UserId>,
        records: &[RecordReference],
    ) -> Result<(), StorageError> {
        note::overtake(self.connection()?, user_id, records).await
    }

    async fn session_notes(
        &mut self,
        user_id: UserId,
        ids: &[SleepSessionId],
    ) -> Result<Vec<SessionNote>, StorageError> {
        history::notes(self.connection()?, user_id, ids).await
    }

    async fn sessions_noted_near(
        &mut self,
        user_id: UserId,
        stretches: &[TimeInBed],
    ) -> Result<Vec<SleepSessionId>, StorageError> {
        history::near(self.connection()?, user_id, stretches).await
    }

    async fn rewrite_session_notes(
        &mut self,
        user_id: UserId,
        ids: &[SleepSessionId],
        notes: &[SessionNote],
    ) -> Result<(), StorageError> {
        history::rewrite(self.connection()?, user_id, ids, notes).await
    }

    async fn forget_noted_before(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        note::forget_profile_changes_before(self.connection()?, before).await?;
        note::forget_before(self.connection()?, before, limit).await
    }

    async fn has_notes(&mut self, id: ImportId) -> Result<bool, StorageError> {
        note::has_notes(self.connection()?, id).await
    }

    async fn add_part(&mut self, id: ImportId, position: u32, bytes: &[u8]) -> Result<(), StorageError> {
        upload::add_part(self.connection()?, id, position, bytes).await
    }

    async fn part(&mut self, id: ImportId, position: u32) -> Result<Option<Vec<u8>>, StorageError> {
        upload::part(self.connection()?, id, position).await
    }

    async fn stored_bytes(&mut self) -> Result<u64, StorageError> {
        upload::stored_bytes(self.connection()?).await
    }

    async fn delete_parts(&mut self, id: ImportId) -> Result<(), StorageError> {
        upload::delete_parts(self.connection()?, id).await
    }

    async fn delete_stale_uploads(
        &mut self,
        before: DateTime<Utc>,
        reason: &str,
        limit: u32,
    ) -> Result<u64, StorageError> {
        upload::delete_stale(self.connection()?, before, reason, limit).await
    }

    async fn lease(
        &mut self,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<Option<Import>, StorageError> {
        match upload::lease(self.connection()?, now, until).await? {
            Some(id) => ImportRepository::find(self, id).await,
            None => Ok(None),
        }
    }

    async fn prolong(&mut self, id: ImportId, until: DateTime<Utc>) -> Result<bool, StorageError> {
        upload::prolong(self.connection()?, id, until).await
    }

    async fn checked(&mut self, id: ImportId, bytes: u64) -> Result<(), StorageError> {
        upload::checked(self.connection()?, id, bytes).await
    }

    async fn uncount_try(&mut self, id: ImportId) -> Result<(), StorageError> {
        upload::uncount_try(self.connection()?, id).await
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
