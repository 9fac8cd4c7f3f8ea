//! Imports in a unit of work.

use super::note::NewNote;
use super::row::ImportRow;
use super::{history, note, profile, reader, upload};
use crate::error::StorageResult as _;
use crate::row::{blob, micros};
use crate::schema::import;
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{
    Import, ImportChange, ImportRepository, RecordBefore, RecordReference, SessionNote, Standing,
    StorageError,
};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use domain::id::{ImportId, SleepSessionId, UserId};
use domain::import::{FileDigest, ImportOrigin, ImportState};
use domain::sleep::TimeInBed;

#[async_trait]
impl ImportRepository for SqliteUnitOfWork {
    async fn insert(&mut self, import: &Import) -> Result<(), StorageError> {
        let row = ImportRow::of(import)?;
        self.run(move |connection| row.insert(connection).storage().map(drop)).await
    }

    async fn take_undoing(&mut self, idle: TimeDelta) -> Result<Option<ImportId>, StorageError> {
        self.run(move |connection| note::take_undoing(connection, idle)).await
    }

    async fn find(&mut self, id: ImportId) -> Result<Option<Import>, StorageError> {
        self.run(move |connection| reader::find(connection, blob(id.as_uuid()))).await
    }

    async fn find_broken_off(
        &mut self,
        user_id: Option<UserId>,
        digest: &FileDigest,
        since: DateTime<Utc>,
    ) -> Result<Option<Import>, StorageError> {
        let (user_id, digest) = (user_id.map(|id| blob(id.as_uuid())), digest.as_bytes().to_vec());
        self.run(move |connection| {
            let since = micros(since);
            let is_recent = import::updated_at
                .ge(since)
                .or(import::updated_at.is_null().and(import::started_at.ge(since)));
            let row: Option<ImportRow> = import::table
                .filter(is_recent)
                .filter(import::user_id.is(user_id))
                .filter(import::state.eq(ImportState::Running.as_str()))
                .filter(import::origin.eq(ImportOrigin::Command.as_str()))
                .filter(import::digest.eq(digest))
                .order((import::started_at.desc(), import::id.desc()))
                .select(ImportRow::as_select())
                .first(connection)
                .optional()
                .storage()?;
            row.map(ImportRow::into_import).transpose()
        })
        .await
    }

    async fn update(&mut self, import: &Import) -> Result<bool, StorageError> {
        let row = ImportRow::of(import)?;
        self.run(move |connection| Ok(row.overwrite(connection).storage()? > 0)).await
    }

    async fn cancel(
        &mut self,
        id: ImportId,
        reason: &str,
        at: DateTime<Utc>,
    ) -> Result<Option<ImportState>, StorageError> {
        let reason = reason.to_owned();
        self.run(move |connection| upload::cancel(connection, id, &reason, at)).await
    }

    async fn list(
        &mut self,
        user_id: Option<UserId>,
        after: Option<(DateTime<Utc>, ImportId)>,
        limit: u32,
    ) -> Result<Vec<Import>, StorageError> {
        self.run(move |connection| reader::list(connection, user_id, after, limit)).await
    }

    async fn note(
        &mut self,
        id: ImportId,
        user_id: Option<UserId>,
        changes: &[ImportChange],
    ) -> Result<(), StorageError> {
        let notes: Result<Vec<NewNote>, StorageError> =
            changes.iter().map(|change| NewNote::of(user_id, change)).collect();
        let notes = notes?;
        // Labels have numbers of their own.
        let is_of_person = |change: &ImportChange| !matches!(change.record, RecordReference::Label(_));
        let number = match user_id.filter(|_| changes.iter().any(is_of_person)) {
            Some(user_id) => self.change_number(user_id).await?.unwrap_or_default(),
            None => 0,
        };
        self.run(move |connection| note::note(connection, id, (user_id, number), &notes)).await
    }

    async fn noted(
        &mut self,
        id: ImportId,
        limit: u32,
    ) -> Result<Vec<(ImportChange, Standing)>, StorageError> {
        self.run(move |connection| note::noted(connection, id, limit)).await
    }

    async fn rebase(
        &mut self,
        later: ImportId,
        record: RecordReference,
        before: Option<RecordBefore>,
    ) -> Result<(), StorageError> {
        self.run(move |connection| note::rebase(connection, later, &ImportChange { record, before })).await
    }

    async fn forget(&mut self, id: ImportId, record: RecordReference) -> Result<(), StorageError> {
        self.run(move |connection| note::forget(connection, id, record)).await
    }

    async fn leave(&mut self, id: ImportId, record: RecordReference) -> Result<(), StorageError> {
        self.run(move |connection| note::leave(connection, id, record)).await
    }

    async fn overtake(
        &mut self,
        user_id: Option<UserId>,
        records: &[RecordReference],
    ) -> Result<(), StorageError> {
        let records = records.to_vec();
        self.run(move |connection| note::overtake(connection, user_id, &records)).await
    }

    async fn session_notes(
        &mut self,
        user_id: UserId,
        ids: &[SleepSessionId],
    ) -> Result<Vec<SessionNote>, StorageError> {
        let ids = ids.to_vec();
        self.run(move |connection| history::notes(connection, user_id, &ids)).await
    }

    async fn sessions_noted_near(
        &mut self,
        user_id: UserId,
        stretches: &[TimeInBed],
    ) -> Result<Vec<SleepSessionId>, StorageError> {
        let stretches = stretches.to_vec();
        self.run(move |connection| history::near(connection, user_id, &stretches)).await
    }

    async fn rewrite_session_notes(
        &mut self,
        user_id: UserId,
        ids: &[SleepSessionId],
        notes: &[SessionNote],
    ) -> Result<(), StorageError> {
        let (ids, notes) = (ids.to_vec(), notes.to_vec());
        self.run(move |connection| history::rewrite(connection, user_id, &ids, &notes)).await
    }

    async fn forget_noted_before(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.run(move |connection| {
            profile::forget_before(connection, before)?;
            note::forget_before(connection, before, limit)
        })
        .await
    }

    async fn has_notes(&mut self, id: ImportId) -> Result<bool, StorageError> {
        self.run(move |connection| note::has_any(connection, id)).await
    }

    async fn add_part(&mut self, id: ImportId, position: u32, bytes: &[u8]) -> Result<(), StorageError> {
        let bytes = bytes.to_vec();
        self.run(move |connection| upload::add_part(connection, id, position, &bytes)).await
    }

    async fn part(&mut self, id: ImportId, position: u32) -> Result<Option<Vec<u8>>, StorageError> {
        self.run(move |connection| upload::part(connection, id, position)).await
    }

    async fn stored_bytes(&mut self) -> Result<u64, StorageError> {
        self.run(upload::stored_bytes).await
    }

    async fn delete_parts(&mut self, id: ImportId) -> Result<(), StorageError> {
        self.run(move |connection| upload::delete_parts(connection, &blob(id.as_uuid()))).await
    }

    async fn delete_stale_uploads(
        &mut self,
        before: DateTime<Utc>,
        reason: &str,
        limit: u32,
    ) -> Result<u64, StorageError> {
        let reason = reason.to_owned();
        self.run(move |connection| upload::delete_stale(connection, before, &reason, limit)).await
    }

    async fn lease(
        &mut self,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<Option<Import>, StorageError> {
        self.run(move |connection| upload::lease(connection, now, until)).await
    }

    async fn prolong(&mut self, id: ImportId, until: DateTime<Utc>) -> Result<bool, StorageError> {
        self.run(move |connection| upload::prolong(connection, id, until)).await
    }

    async fn checked(&mut self, id: ImportId, bytes: u64) -> Result<(), StorageError> {
        self.run(move |connection| upload::checked(connection, id, bytes)).await
    }

    async fn uncount_try(&mut self, id: ImportId) -> Result<(), StorageError> {
        self.run(move |connection| upload::uncount_try(connection, id)).await
    }
}
