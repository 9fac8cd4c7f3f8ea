//! In-memory imports and their notes.

use super::memory_store::MemoryUnit;
use crate::ports::storage::{
    Import, ImportChange, ImportJournal, ImportRepository, JournalEntry, JournalPosition, RecordBefore,
    RecordReference, StorageError,
};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::id::{ImportId, UserId};
use domain::import::{Canceller, FileDigest, ImportState};
use std::collections::{HashMap, HashSet};

/// Stored imports.
#[derive(Clone, Default)]
pub(in crate::import) struct Imports {
    pub(in crate::import) all: Vec<Import>,
    /// Notes with their sequence numbers, latest last.
    pub(in crate::import) noted: Vec<(ImportId, ImportChange, i64)>,
    /// Import and record of every note, because a search for a new one would look through all notes.
    known: HashSet<(ImportId, RecordReference)>,
    sequence: i64,
}

#[async_trait]
impl ImportRepository for MemoryUnit {
    async fn insert(&mut self, import: &Import) -> Result<(), StorageError> {
        self.content.imports.all.push(import.clone());
        Ok(())
    }
    async fn take_undoing(&mut self, _: TimeDelta) -> Result<Option<ImportId>, StorageError> {
        let mut all = self.content.imports.all.iter();
        Ok(all.find(|import| import.state == ImportState::Undoing).map(|import| import.id))
    }
    async fn find(&mut self, id: ImportId) -> Result<Option<Import>, StorageError> {
        Ok(self.content.imports.all.iter().find(|import| import.id == id).cloned())
    }
    async fn find_interrupted(
        &mut self,
        user_id: Option<UserId>,
        digest: &FileDigest,
        since: DateTime<Utc>,
    ) -> Result<Option<Import>, StorageError> {
        let interrupted = |import: &&Import| {
            import.user_id == user_id
                && import.digest == Some(*digest)
                && import.state == ImportState::Running
                && import.started_at >= since
        };
        Ok(self.content.imports.all.iter().rfind(interrupted).cloned())
    }
    async fn update(&mut self, import: &Import) -> Result<bool, StorageError> {
        let stored = self.content.imports.all.iter_mut().find(|stored| stored.id == import.id);
        Ok(stored.map(|stored| *stored = import.clone()).is_some())
    }
    async fn cancel(
        &mut self,
        id: ImportId,
        by: Canceller,
        at: DateTime<Utc>,
    ) -> Result<Option<ImportState>, StorageError> {
        let found = self.content.imports.all.iter_mut().find(|import| import.id == id);
        let Some(import) = found else { return Ok(None) };
        import.state = match import.state {
            ImportState::Running => ImportState::Undoing,
            ImportState::Receiving | ImportState::Waiting => ImportState::Rejected,
            _ => return Ok(None),
        };
        import.cancelled_by = Some(by);
        import.ended_at = Some(at);
        Ok(Some(import.state))
    }
    async fn list(
        &mut self,
        _: Option<UserId>,
        _: Option<(DateTime<Utc>, ImportId)>,
        _: u32,
    ) -> Result<Vec<Import>, StorageError> {
        Ok(self.content.imports.all.clone())
    }
}

#[async_trait]
impl ImportJournal for MemoryUnit {
    async fn note(
        &mut self,
        id: ImportId,
        _: Option<UserId>,
        changes: &[ImportChange],
    ) -> Result<(), StorageError> {
        let imports = &mut self.content.imports;
        for change in changes {
            let is_same =
                |(by, noted, _): &(ImportId, ImportChange, i64)| *by == id && noted.record == change.record;
            let is_new = imports.known.insert((id, change.record));
            let known = if is_new { None } else { imports.noted.iter().position(is_same) };
            let earlier = known.map(|place| imports.noted.remove(place).1);
            let found = change.before.as_ref().map(RecordBefore::version);
            let before = match earlier.filter(|earlier| earlier.left == found) {
                Some(earlier) => earlier.before,
                None => change.before.clone(),
            };
            imports.sequence += 1;
            imports.noted.push((id, ImportChange { before, ..change.clone() }, imports.sequence));
        }
        Ok(())
    }
    async fn list_entries(
        &mut self,
        id: ImportId,
        after: Option<JournalPosition>,
        limit: u32,
    ) -> Result<Vec<JournalEntry>, StorageError> {
        let noted = &self.content.imports.noted;
        let latest: HashMap<_, _> =
            noted.iter().map(|(by, change, sequence)| (change.record, (*by, *sequence))).collect();
        let own = noted.iter().filter(|(by, ..)| *by == id).map(|(_, change, sequence)| {
            let is_label = matches!(change.record, RecordReference::Label(_));
            let place = JournalPosition { is_label, sequence: *sequence };
            let later = latest.get(&change.record).filter(|(_, later)| later > sequence);
            let changed_by = later.map(|(by, _)| *by);
            JournalEntry { change: change.clone(), place, changed_by }
        });
        let rank = |place: JournalPosition| (place.is_label, -place.sequence);
        let mut own: Vec<_> =
            own.filter(|note| after.is_none_or(|after| rank(note.place) > rank(after))).collect();
        own.sort_by_key(|note| rank(note.place));
        own.truncate(usize::try_from(limit).unwrap());
        Ok(own)
    }
    async fn forget(&mut self, id: ImportId, records: &[RecordReference]) -> Result<(), StorageError> {
        let records: HashSet<_> = records.iter().collect();
        let is_one = |change: &ImportChange| records.contains(&change.record);
        self.content.imports.noted.retain(|(by, change, _)| *by != id || !is_one(change));
        self.content.imports.known.retain(|(by, record)| *by != id || !records.contains(record));
        Ok(())
    }
    async fn forget_before(&mut self, _: DateTime<Utc>, _: u32) -> Result<u64, StorageError> {
        let count = self.content.imports.noted.len();
        self.content.imports.noted.clear();
        self.content.imports.known.clear();
        Ok(u64::try_from(count).unwrap())
    }
}
