//! Imports.

use super::StorageError;
pub use crate::model::stored_import::Import;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::id::{ImportId, SleepSessionId, UserId};
use domain::import::{Canceller, FileDigest, ImportState};
#[cfg(feature = "test-support")]
use mockall::automock;

/// Reads imports outside a transaction.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait ImportReader: Send + Sync {
    /// Returns an import; `None` if there is none.
    async fn find_import(&self, id: ImportId) -> Result<Option<Import>, StorageError>;
    /// Lists at most `limit` imports after `after`, of a person or of everyone, latest start first, ties by
    /// descending id.
    async fn list_imports(
        &self,
        user_id: Option<UserId>,
        after: Option<(DateTime<Utc>, ImportId)>,
        limit: u32,
    ) -> Result<Vec<Import>, StorageError>;
    /// Returns whether the journal has notes of an import.
    async fn has_notes(&self, id: ImportId) -> Result<bool, StorageError>;
    /// Returns the import that last added or changed a session of this user, according to the journal; `None`
    /// if none did or its notes are forgotten.
    async fn find_import_of_session(
        &self,
        user_id: UserId,
        id: SleepSessionId,
    ) -> Result<Option<ImportId>, StorageError>;
    /// Returns a part of an upload; `None` past the last.
    async fn find_upload_part(&self, id: ImportId, position: u32) -> Result<Option<Vec<u8>>, StorageError>;
}

/// Stores imports.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait ImportRepository: Send {
    /// Stores a new import.
    async fn insert(&mut self, import: &Import) -> Result<(), StorageError>;
    /// Takes the `undoing` import that was updated longest ago (or started, if never updated), at least
    /// `idle` ago by the store's clock, and marks it updated; `None` if there is none. Concurrent callers
    /// never get the same one.
    async fn take_undoing(&mut self, idle: TimeDelta) -> Result<Option<ImportId>, StorageError>;
    /// Returns an import; `None` if there is none. MUST lock it against other units of work until this one
    /// ends.
    async fn find(&mut self, id: ImportId) -> Result<Option<Import>, StorageError>;
    /// Returns the latest unfinished import of this person (if `None`, of a catalogue) that came from the
    /// command line, has this digest and was updated (or started, if never updated) at `since` or later.
    async fn find_interrupted(
        &mut self,
        user_id: Option<UserId>,
        digest: &FileDigest,
        since: DateTime<Utc>,
    ) -> Result<Option<Import>, StorageError>;
    /// Overwrites everything except id, person and start; returns whether the import exists. The store
    /// records the time of the update by its own clock.
    async fn update(&mut self, import: &Import) -> Result<bool, StorageError>;
    /// Cancels an unfinished import in one statement: one that arrives or waits becomes `refused`, one that
    /// runs becomes `undoing`. Returns the new state; changes nothing and returns `None` if the import is
    /// finished or unknown. If the import ends concurrently, one of both MUST win and the other MUST notice.
    async fn cancel(
        &mut self,
        id: ImportId,
        by: Canceller,
        at: DateTime<Utc>,
    ) -> Result<Option<ImportState>, StorageError>;
    /// Lists imports as [`ImportReader`] does.
    async fn list(
        &mut self,
        user_id: Option<UserId>,
        after: Option<(DateTime<Utc>, ImportId)>,
        limit: u32,
    ) -> Result<Vec<Import>, StorageError>;
}
