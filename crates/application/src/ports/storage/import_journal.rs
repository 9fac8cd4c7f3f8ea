//! What each import changed, in a unit of work, so that it can be undone.

use super::{RecordVersion, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::id::{ImportId, IntakeLogId, SleepSessionId, SupplementId, UserId};
use domain::sleep::SleepSession;
use domain::supplement::{CatalogueKey, IntakeLog, Supplement};
#[cfg(feature = "test-support")]
use mockall::automock;

/// A record that an import added, changed or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecordReference {
    /// A sleep session.
    Session(SleepSessionId),
    /// An intake log.
    Log(IntakeLogId),
    /// A version of a label.
    Label(SupplementId),
}

/// A record as it was before an import changed it.
#[derive(Debug, Clone, PartialEq)]
pub enum RecordBefore {
    /// A sleep session.
    Session(Box<SleepSession>),
    /// An intake log.
    Log(Box<IntakeLog>),
    /// A label: the same version with other text, or the version that the new one replaced.
    Label(Box<(CatalogueKey, Supplement)>),
}

impl RecordBefore {
    /// Returns the version.
    pub fn version(&self) -> RecordVersion {
        match self {
            Self::Session(session) => RecordVersion::of_session(&session.record),
            Self::Log(log) => RecordVersion::of_log(&log.record),
            Self::Label(label) => RecordVersion::of_label(&label.1.label),
        }
    }
}

/// What an import did to one record.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportChange {
    /// The record.
    pub record: RecordReference,
    /// The record before; `None` if the import added it.
    pub before: Option<RecordBefore>,
    /// The version that the import left; `None` if it removed the record.
    pub left: Option<RecordVersion>,
    /// The session that took the place of this one, which the import removed.
    pub replaced_by: Option<SleepSessionId>,
}

/// Where a note stands in the order in which an import is undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotePlace {
    /// Whether it is about a label. Labels come after the logs that refer to them.
    pub is_label: bool,
    /// Place in the order of all notes; the latest note has the greatest.
    pub sequence: i64,
}

/// A note, as undoing reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct NotedChange {
    /// What the import did.
    pub change: ImportChange,
    /// Where the note stands.
    pub place: NotePlace,
    /// The import with the latest note of the same record, if that is a later one.
    pub changed_by: Option<ImportId>,
}

/// Keeps one note per import and record that it changed.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait ImportJournal: Send {
    /// Notes what an import did, in this order. If the import has a note of a record already, the note moves to the end
    /// and keeps what was before, provided the import found the version that it had left itself; else something else
    /// changed the record in between, and the new note replaces the old one.
    async fn note(
        &mut self,
        id: ImportId,
        user_id: Option<UserId>,
        changes: &[ImportChange],
    ) -> Result<(), StorageError>;
    /// Returns at most `limit` notes of an import after a place: the latest first, labels last.
    async fn noted(
        &mut self,
        id: ImportId,
        after: Option<NotePlace>,
        limit: u32,
    ) -> Result<Vec<NotedChange>, StorageError>;
    /// Deletes the notes of these records.
    async fn forget(&mut self, id: ImportId, records: &[RecordReference]) -> Result<(), StorageError>;
    /// Returns whether the import has any notes.
    async fn has_notes(&mut self, id: ImportId) -> Result<bool, StorageError>;
    /// Deletes at most `limit` notes of imports that ended before this moment, or that run and were last updated (or
    /// started, if never updated) before it; returns how many. Imports that are `undoing` keep theirs. The profile
    /// changes in the reports of these imports are deleted, too, and not counted.
    async fn forget_before(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
}
