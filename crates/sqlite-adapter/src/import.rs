//! Imports, what each of them did, and the parts of uploads.

use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{
    Import, ImportChange, ImportRepository, RecordBefore, RecordReference, Standing, StorageError,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::id::{ImportId, UserId};
use domain::import::FileDigest;

fn super_stub() -> StorageError {
    StorageError::Internal("not built yet".into())
}

#[async_trait]
impl ImportRepository for SqliteUnitOfWork {
    async fn insert(&mut self, _import: &Import) -> Result<(), StorageError> {
        Err(super_stub())
    }
    async fn find(&mut self, _id: ImportId) -> Result<Option<Import>, StorageError> {
        Err(super_stub())
    }
    async fn find_broken_off(
        &mut self,
        _user_id: Option<UserId>,
        _digest: &FileDigest,
    ) -> Result<Option<Import>, StorageError> {
        Err(super_stub())
    }
    async fn update(&mut self, _import: &Import) -> Result<bool, StorageError> {
        Err(super_stub())
    }
    async fn list(
        &mut self,
        _user_id: Option<UserId>,
        _after: Option<(DateTime<Utc>, ImportId)>,
        _limit: u32,
    ) -> Result<Vec<Import>, StorageError> {
        Err(super_stub())
    }
    async fn note(
        &mut self,
        _id: ImportId,
        _user_id: Option<UserId>,
        _changes: &[ImportChange],
    ) -> Result<(), StorageError> {
        Err(super_stub())
    }
    async fn noted(
        &mut self,
        _id: ImportId,
        _limit: u32,
    ) -> Result<Vec<(ImportChange, Standing)>, StorageError> {
        Err(super_stub())
    }
    async fn rebase(
        &mut self,
        _later: ImportId,
        _record: RecordReference,
        _before: Option<RecordBefore>,
    ) -> Result<(), StorageError> {
        Err(super_stub())
    }
    async fn forget(&mut self, _id: ImportId, _record: RecordReference) -> Result<(), StorageError> {
        Err(super_stub())
    }
    async fn leave(&mut self, _id: ImportId, _record: RecordReference) -> Result<(), StorageError> {
        Err(super_stub())
    }
    async fn forget_noted_before(
        &mut self,
        _before: DateTime<Utc>,
        _limit: u32,
    ) -> Result<u64, StorageError> {
        Err(super_stub())
    }
    async fn has_notes(&mut self, _id: ImportId) -> Result<bool, StorageError> {
        Err(super_stub())
    }
    async fn add_part(&mut self, _id: ImportId, _position: u32, _bytes: &[u8]) -> Result<(), StorageError> {
        Err(super_stub())
    }
    async fn part(&mut self, _id: ImportId, _position: u32) -> Result<Option<Vec<u8>>, StorageError> {
        Err(super_stub())
    }
    async fn delete_parts(&mut self, _id: ImportId) -> Result<(), StorageError> {
        Err(super_stub())
    }
    async fn delete_stale_uploads(
        &mut self,
        _before: DateTime<Utc>,
        _reason: &str,
        _limit: u32,
    ) -> Result<u64, StorageError> {
        Err(super_stub())
    }
    async fn lease(
        &mut self,
        _now: DateTime<Utc>,
        _until: DateTime<Utc>,
    ) -> Result<Option<Import>, StorageError> {
        Err(super_stub())
    }
    async fn prolong(&mut self, _id: ImportId, _until: DateTime<Utc>) -> Result<bool, StorageError> {
        Err(super_stub())
    }
}
