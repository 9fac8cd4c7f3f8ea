//! Changes made by each import, kept until they are undone or expire.

use crate::column::{Held, Id, IdCell};
use crate::names::{parse_record, record_parts};
use crate::record_before::{read_before, write_before};
use crate::row::{Cells, Stored};
use crate::statement::Raw;
use crate::unit_of_work::{Transaction, Unit};
use application::ports::storage::{
    ImportChange, ImportJournal, JournalEntry, JournalPosition, RecordReference, RecordVersion, StorageError,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::Queryable;
use diesel::sql_types::{BigInt, Binary, Nullable, Text};
use domain::id::{ImportId, UserId};
use uuid::Uuid;

/// A note to store.
pub struct Note {
    /// Kind of the record.
    pub kind: &'static str,
    /// Id of the record.
    pub record: IdCell,
    /// Previous state as JSON; `None` if the import added the record.
    pub before: Option<String>,
    /// Version before.
    pub found: Option<Vec<u8>>,
    /// Version after; `None` if the import removed the record.
    pub left: Option<Vec<u8>>,
    /// Session that replaced the record.
    pub replaced_by: Option<IdCell>,
}

impl Note {
    fn from_change(change: &ImportChange) -> Result<Self, StorageError> {
        let ImportChange { record, before, left, replaced_by } = change;
        let (kind, record) = record_parts(*record);
        Ok(Self {
            kind,
            record: record.cell(),
            before: before.as_ref().map(write_before).transpose()?,
            found: before.as_ref().map(|before| before.version().as_bytes().to_vec()),
            left: left.map(|left| left.as_bytes().to_vec()),
            replaced_by: replaced_by.cell(),
        })
    }
}

/// Columns of an [`EntryRow`].
type EntryColumns = (Text, Id, Nullable<Text>, Nullable<Binary>, Nullable<Id>, BigInt, Nullable<Id>);

#[derive(Queryable)]
struct EntryRow {
    kind: String,
    record_id: IdCell,
    before: Option<String>,
    left: Option<Vec<u8>>,
    replaced_by: Option<IdCell>,
    sequence: i64,
    /// Import with the latest note of the record, if later.
    later: Option<IdCell>,
}

impl Stored for EntryRow {
    type Value = JournalEntry;

    fn into_value(self) -> Result<JournalEntry, StorageError> {
        let Self { kind, record_id, before, left, replaced_by, sequence, later } = self;
        let cells = Cells("import_change", &record_id);
        let record = cells.present("kind", parse_record(&kind, cells.parse("record_id", record_id)?))?;
        let before = before.map(|json| cells.present("before", read_before(record, &json))).transpose()?;
        let left = left.map(|left| cells.present("version_left", left.try_into().ok())).transpose()?;
        let replaced_by = cells.parse("replaced_by", replaced_by)?;
        Ok(JournalEntry {
            change: ImportChange { record, before, left: left.map(RecordVersion::from_bytes), replaced_by },
            place: JournalPosition { is_label: matches!(record, RecordReference::Label(_)), sequence },
            changed_by: cells.parse("import_id", later)?,
        })
    }
}

/// Returns the statement that lists the notes of an import, latest first, labels last.
pub fn entries_statement(id: ImportId, after: Option<JournalPosition>, limit: u32) -> Raw<EntryColumns> {
    let after = after.unwrap_or(JournalPosition { is_label: false, sequence: i64::MAX });
    Raw::same(
        "SELECT c.kind, c.record_id, CAST(c.before AS text), c.version_left, c.replaced_by, c.sequence, (
            SELECT o.import_id FROM import_change o
            WHERE o.record_id = c.record_id AND o.kind = c.kind AND o.sequence > c.sequence
                AND (c.kind = 'label' OR o.user_id = c.user_id)
            ORDER BY o.sequence DESC LIMIT 1
        )
        FROM import_change c WHERE c.import_id = ? AND ((c.kind <> 'label'), c.sequence) < (?, ?)
        ORDER BY (c.kind <> 'label') DESC, c.sequence DESC LIMIT ?",
    )
    .bind(id.cell())
    .bind(!after.is_label)
    .bind(after.sequence)
    .bind(i64::from(limit))
}

/// Statements about notes that each store runs in its way.
#[async_trait]
pub trait StoreNotes: Send {
    /// Stores notes as [`ImportJournal::note`] describes.
    async fn store_notes(
        &mut self,
        id: ImportId,
        user_id: Option<UserId>,
        notes: Vec<Note>,
    ) -> Result<(), StorageError>;

    /// Deletes the notes of records, given by kind and id.
    async fn delete_notes(
        &mut self,
        id: ImportId,
        records: Vec<(&'static str, Uuid)>,
    ) -> Result<(), StorageError>;

    /// Deletes notes as [`ImportJournal::forget_before`] describes.
    async fn delete_notes_before(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
}

#[async_trait]
impl<R: Transaction + StoreNotes> ImportJournal for Unit<R> {
    async fn note(
        &mut self,
        id: ImportId,
        user_id: Option<UserId>,
        changes: &[ImportChange],
    ) -> Result<(), StorageError> {
        let notes: Result<Vec<_>, StorageError> = changes.iter().map(Note::from_change).collect();
        self.0.store_notes(id, user_id, notes?).await
    }

    async fn list_entries(
        &mut self,
        id: ImportId,
        after: Option<JournalPosition>,
        limit: u32,
    ) -> Result<Vec<JournalEntry>, StorageError> {
        self.read_all::<EntryRow>(entries_statement(id, after, limit)).await
    }

    async fn forget(&mut self, id: ImportId, records: &[RecordReference]) -> Result<(), StorageError> {
        self.0.delete_notes(id, records.iter().map(|record| record_parts(*record)).collect()).await
    }

    async fn forget_before(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        // The profile changes of imports whose notes are deleted.
        let query: Raw = Raw::same("UPDATE import SET profile_changes = NULL WHERE id ")
            .sql_of(["= ANY (ARRAY (", "IN ("])
            .sql(
                "SELECT id FROM import WHERE profile_changes IS NOT NULL AND started_at < ?
                AND ((ended_at < ? AND state <> 'undoing')
                    OR (state = 'running' AND coalesce(updated_at, started_at) < ?))",
            )
            .sql_of([" FOR UPDATE SKIP LOCKED))", ")"])
            .bind(before.cell())
            .bind(before.cell())
            .bind(before.cell());
        self.0.execute(query).await?;
        self.0.delete_notes_before(before, limit).await
    }
}
