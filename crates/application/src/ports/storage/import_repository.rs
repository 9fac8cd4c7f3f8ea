//! Imports in a unit of work: what was read, and how far it is.

use super::StorageError;
use crate::import::{ImportReport, Undone};
use async_trait::async_trait;
use chrono::{DateTime, FixedOffset, TimeDelta, Utc};
use domain::id::{ImportId, UserId};
use domain::import::{Canceller, FileDigest, FileName, ImportOrigin, ImportState};
use domain::time::TimeZone;
#[cfg(feature = "test-support")]
use mockall::automock;

/// One import as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// The id.
    pub id: ImportId,
    /// Whose records it brings; absent for a catalogue.
    pub user_id: Option<UserId>,
    /// Where the file came from.
    pub origin: ImportOrigin,
    /// Name of the file.
    pub file_name: FileName,
    /// The format, once it is recognised.
    pub format: Option<String>,
    /// Hash of the file, once it is known.
    pub digest: Option<FileDigest>,
    /// Zone of local times that carry no offset.
    pub zone: TimeZone,
    /// How far it is.
    pub state: ImportState,
    /// Bytes of the file; for an upload in progress, the bytes received so far.
    pub size: u64,
    /// Start of a recording that does not state its own, as entered with the upload.
    pub recording_start: Option<DateTime<FixedOffset>>,
    /// Whether the person asked for profile fields to be overwritten with what the upload says.
    pub overwrite_profile: bool,
    /// Bytes that the first reading, which stores nothing, has passed.
    pub bytes_checked: u64,
    /// Bytes read and stored.
    pub bytes_done: u64,
    /// How many servers leased the upload and neither finished it nor gave it back.
    pub tries: u32,
    /// When it started.
    pub started_at: DateTime<Utc>,
    /// When it was done, refused or undone.
    pub ended_at: Option<DateTime<Utc>>,
    /// What it did so far, with at most [`ImportReport::KEPT`] rejections and as many notes.
    pub report: ImportReport,
    /// Why the file was refused.
    pub refusal: Option<String>,
    /// Who cancelled it, if anyone did.
    pub cancelled_by: Option<Canceller>,
    /// What undoing it did so far.
    pub undone: Undone,
}

impl Import {
    /// Returns whether it was cancelled before it was done, and everything it had stored was taken back.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled_by.is_some() && matches!(self.state, ImportState::Refused | ImportState::Undone)
    }
}

/// Reads imports outside a transaction.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait ImportReader: Send + Sync {
    /// Returns an import; `None` if there is none.
    async fn find_import(&self, id: ImportId) -> Result<Option<Import>, StorageError>;
    /// Lists imports of a person, or of everyone, the latest start first, ties by descending id: those after
    /// `after`, at most `limit`.
    async fn list_imports(
        &self,
        user_id: Option<UserId>,
        after: Option<(DateTime<Utc>, ImportId)>,
        limit: u32,
    ) -> Result<Vec<Import>, StorageError>;
}

/// Keeps imports.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait ImportRepository: Send {
    /// Stores a new import.
    async fn insert(&mut self, import: &Import) -> Result<(), StorageError>;
    /// Takes the `undoing` import that was updated longest ago (or started, if never updated), at least
    /// `idle` ago by the store's clock, and marks it updated; `None` if there is none. Of two concurrent
    /// callers, one gets it.
    async fn take_undoing(&mut self, idle: TimeDelta) -> Result<Option<ImportId>, StorageError>;
    /// Returns an import, or `None`. No other unit of work MUST be able to change it before this one ends.
    async fn find(&mut self, id: ImportId) -> Result<Option<Import>, StorageError>;
    /// Returns the latest unfinished import of this person (of a catalogue without one) that came from the
    /// command line, has this digest and was updated (or started, if never updated) at `since` or later.
    async fn find_broken_off(
        &mut self,
        user_id: Option<UserId>,
        digest: &FileDigest,
        since: DateTime<Utc>,
    ) -> Result<Option<Import>, StorageError>;
    /// Overwrites everything but id, person and start; returns whether it exists. The store records the time
    /// of the update by its own clock.
    async fn update(&mut self, import: &Import) -> Result<bool, StorageError>;
    /// Cancels an unfinished import in one statement: one that arrives or waits becomes `refused`, one that
    /// runs becomes `undoing`. Returns the new state; `None`, and nothing changes, if it is finished or
    /// unknown. Of this and a concurrent end of the import, one MUST win and the other see it.
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
