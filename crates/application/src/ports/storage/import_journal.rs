//! Journal of the changes of each import, in a unit of work, so that it can be undone.

use super::{RecordVersion, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::id::{ImportId, IntakeLogId, SleepSessionId, SupplementId, UserId};
use domain::sleep::SleepSession;
use domain::supplement::{CatalogueKey, IntakeLog, Supplement};

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

/// A record before an import changed it.
#[derive(Debug, Clone, PartialEq)]
pub enum RecordBefore {
    /// A sleep session.
    Session(Box<SleepSession>),
    /// An intake log.
    Log(Box<IntakeLog>),
    /// A label: the same version with other text, or the version that was replaced.
    Label(Box<(CatalogueKey, Supplement)>),
}

impl RecordBefore {
    /// Returns the version of the record.
    pub fn version(&self) -> RecordVersion {
        match self {
            Self::Session(session) => RecordVersion::of_session(&session.record),
            Self::Log(log) => RecordVersion::of_log(&log.record),
            Self::Label(label) => RecordVersion::of_label(&label.1.label),
        }
    }
}

/// Change of one record by an import.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportChange {
    /// The record.
    pub record: RecordReference,
    /// The record before; `None` if the import added it.
    pub before: Option<RecordBefore>,
    /// Version after the import; `None` if it removed the record.
    pub left: Option<RecordVersion>,
    /// Session that replaced this one, which the import removed.
    pub replaced_by: Option<SleepSessionId>,
}

/// Position of a note in the undo order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JournalPosition {
    /// Whether it belongs to a label. Labels follow the logs that refer to them.
    pub is_label: bool,
    /// Sequence number of the note; the latest has the highest.
    pub sequence: i64,
}

/// A note, as read by undo.
#[derive(Debug, Clone, PartialEq)]
pub struct JournalEntry {
    /// The change.
    pub change: ImportChange,
    /// Position of the note.
    pub place: JournalPosition,
    /// Import with the latest note of the same record, if later than this one.
    pub changed_by: Option<ImportId>,
}

/// Stores one note per import and changed record.
#[async_trait]
pub trait ImportJournal: Send {
    /// Stores notes of an import's changes, in this order. If the import already has a note of a record, the
    /// note moves to the end and keeps its `before`, provided that the import found the version it had left.
    /// Otherwise something else changed the record in between, and the new note replaces the old one.
    async fn note(
        &mut self,
        id: ImportId,
        user_id: Option<UserId>,
        changes: &[ImportChange],
    ) -> Result<(), StorageError>;
    /// Returns at most `limit` notes of an import after a position: latest first, labels last.
    async fn list_entries(
        &mut self,
        id: ImportId,
        after: Option<JournalPosition>,
        limit: u32,
    ) -> Result<Vec<JournalEntry>, StorageError>;
    /// Deletes the notes of these records.
    async fn forget(&mut self, id: ImportId, records: &[RecordReference]) -> Result<(), StorageError>;
    /// Deletes at most `limit` notes of imports that ended before this time, or that are running and were
    /// last updated (or started, if never updated) before it; returns their number. Notes of `undoing`
    /// imports are kept. Also deletes the profile changes in the reports of these imports, which are not
    /// counted.
    async fn forget_before(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
}
