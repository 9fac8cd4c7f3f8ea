//! Imports in memory, and the numbers of the records that they changed.

use super::memory_store::MemoryUnit;
use crate::ports::storage::{
    Import, ImportChange, ImportRepository, RecordBefore, RecordReference, SessionNote, Standing,
    StorageError,
};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::id::{ImportId, SleepSessionId, UserId};
use domain::import::{FileDigest, ImportState};
use domain::sleep::{SleepSession, TimeInBed};
use std::collections::{BTreeSet, HashMap, HashSet};

/// What is stored of imports.
#[derive(Clone, Default)]
pub(in crate::import) struct Imports {
    pub(in crate::import) all: Vec<Import>,
    noted: Vec<(ImportId, ImportChange, u64)>,
    /// Whose change of which record something else overtook.
    overtaken: HashSet<(ImportId, RecordReference)>,
    /// At which place what was noted, and what waits there.
    places: HashMap<(ImportId, RecordReference), (i64, Option<SleepSession>)>,
    noted_so_far: i64,
    /// How often something was asked to be overtaken.
    pub(in crate::import) overtakings: usize,
    pub(in crate::import) numbers: HashMap<RecordReference, u64>,
    number: u64,
    /// Whether the unit of work has a number already, which everything has that it writes.
    pub(in crate::import) is_numbered: bool,
}

impl Imports {
    /// Numbers a write.
    pub(in crate::import) fn touch(&mut self, record: RecordReference) {
        if !self.is_numbered {
            self.is_numbered = true;
            self.number += 1;
        }
        self.numbers.insert(record, self.number);
    }

    fn standing(&self, id: ImportId, record: RecordReference, number: u64) -> Standing {
        if self.overtaken.contains(&(id, record)) {
            return Standing::Overtaken;
        }
        let same = self.noted.iter().filter(|(other, change, _)| *other != id && change.record == record);
        let later = same.filter(|(_, _, later)| *later > number).min_by_key(|(_, _, later)| *later);
        match later {
            Some((later, ..)) => Standing::ChangedBy(*later),
            None if self.numbers.get(&record) == Some(&number) => Standing::Latest,
            None => Standing::Overtaken,
        }
    }
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
    async fn find_broken_off(
        &mut self,
        user_id: Option<UserId>,
        digest: &FileDigest,
        since: DateTime<Utc>,
    ) -> Result<Option<Import>, StorageError> {
        let broken_off = |import: &&Import| {
            import.user_id == user_id
                && import.digest == Some(*digest)
                && import.state == ImportState::Running
                && import.started_at >= since
        };
        Ok(self.content.imports.all.iter().rfind(broken_off).cloned())
    }
    async fn update(&mut self, import: &Import) -> Result<bool, StorageError> {
        let stored = self.content.imports.all.iter_mut().find(|stored| stored.id == import.id);
        Ok(stored.map(|stored| *stored = import.clone()).is_some())
    }
    async fn cancel(
        &mut self,
        id: ImportId,
        reason: &str,
        at: DateTime<Utc>,
    ) -> Result<Option<ImportState>, StorageError> {
        let found = self.content.imports.all.iter_mut().find(|import| import.id == id);
        let Some(import) = found else { return Ok(None) };
        import.state = match import.state {
            ImportState::Running => {
                import.refusal = Some(reason.to_owned());
                ImportState::Undoing
            }
            ImportState::Receiving | ImportState::Waiting => {
                import.refusal = Some(reason.to_owned());
                ImportState::Refused
            }
            _ => return Ok(None),
        };
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
    async fn note(
        &mut self,
        id: ImportId,
        _: Option<UserId>,
        changes: &[ImportChange],
    ) -> Result<(), StorageError> {
        let imports = &mut self.content.imports;
        let number = imports.number;
        for change in changes {
            let is_new = imports.overtaken.remove(&(id, change.record));
            let mut noted = imports.noted.iter_mut();
            if let Some((_, known, known_number)) =
                noted.find(|(by, noted, _)| *by == id && noted.record == change.record)
            {
                *known_number = number;
                if is_new {
                    *known = change.clone();
                }
            } else {
                imports.noted_so_far += 1;
                let position = imports.noted_so_far;
                imports.places.insert((id, change.record), (position, None));
                imports.noted.push((id, change.clone(), number));
            }
        }
        Ok(())
    }
    async fn noted(
        &mut self,
        id: ImportId,
        limit: u32,
    ) -> Result<Vec<(ImportChange, Standing)>, StorageError> {
        let imports = &self.content.imports;
        let mut noted: Vec<_> = imports.noted.iter().filter(|(by, ..)| *by == id).collect();
        // Of one unit of work what was noted later, too.
        noted.reverse();
        noted.sort_by_key(|(_, _, number)| std::cmp::Reverse(*number));
        let told = noted.into_iter().take(usize::try_from(limit).unwrap());
        Ok(told
            .map(|(_, change, number)| (change.clone(), imports.standing(id, change.record, *number)))
            .collect())
    }
    async fn rebase(
        &mut self,
        later: ImportId,
        record: RecordReference,
        before: Option<RecordBefore>,
    ) -> Result<(), StorageError> {
        let mut noted = self.content.imports.noted.iter_mut();
        let (_, change, _) = noted.find(|(by, change, _)| *by == later && change.record == record).unwrap();
        change.before = before;
        Ok(())
    }
    async fn forget(&mut self, id: ImportId, record: RecordReference) -> Result<(), StorageError> {
        let imports = &mut self.content.imports;
        let is_one = |(by, change, _): &(ImportId, ImportChange, u64)| *by == id && change.record == record;
        let own = imports.noted.iter().find(|noted| is_one(noted)).map_or(0, |(_, _, number)| *number);
        imports.noted.retain(|noted| !is_one(noted));
        let now = imports.numbers.get(&record).copied();
        let overtaken = &imports.overtaken;
        let same = imports
            .noted
            .iter_mut()
            .filter(|(by, change, _)| change.record == record && !overtaken.contains(&(*by, record)));
        if let (Some((_, _, number)), Some(now)) = (same.max_by_key(|(_, _, number)| *number), now)
            && *number < own
        {
            *number = now;
        }
        Ok(())
    }
    async fn leave(&mut self, id: ImportId, record: RecordReference) -> Result<(), StorageError> {
        let imports = &mut self.content.imports;
        let is_one = |(by, change, _): &(ImportId, ImportChange, u64)| *by == id && change.record == record;
        let own = imports.noted.iter().find(|noted| is_one(noted)).map(|(_, _, number)| *number);
        let own = own.filter(|_| !imports.overtaken.contains(&(id, record)));
        imports.noted.retain(|noted| !is_one(noted));
        let earlier = imports
            .noted
            .iter()
            .filter(|(_, change, number)| change.record == record && own.is_some_and(|own| *number < own));
        imports.overtaken.extend(earlier.map(|(by, ..)| (*by, record)));
        Ok(())
    }
    async fn overtake(&mut self, _: Option<UserId>, records: &[RecordReference]) -> Result<(), StorageError> {
        let imports = &mut self.content.imports;
        imports.overtakings += 1;
        let noted = imports.noted.iter_mut().filter(|(_, change, _)| records.contains(&change.record));
        for (by, change, _) in noted {
            change.before = None;
            imports.overtaken.insert((*by, change.record));
        }
        Ok(())
    }
    async fn session_notes(
        &mut self,
        _: UserId,
        ids: &[SleepSessionId],
    ) -> Result<Vec<SessionNote>, StorageError> {
        let imports = &self.content.imports;
        let mut notes = Vec::new();
        for (import, change, number) in &imports.noted {
            let RecordReference::Session(id) = change.record else { continue };
            if !ids.contains(&id) || imports.overtaken.contains(&(*import, change.record)) {
                continue;
            }
            let before = change.before.clone().map(|before| match before {
                RecordBefore::Session(session) => *session,
                other => panic!("{other:?}"),
            });
            let (position, waiting) = imports.places[&(*import, change.record)].clone();
            let is_latest = imports.numbers.get(&change.record) == Some(number);
            notes.push(SessionNote { import: *import, id, position, before, waiting, is_latest });
        }
        notes.sort_by_key(|note| note.position);
        Ok(notes)
    }
    async fn sessions_noted_near(
        &mut self,
        user_id: UserId,
        stretches: &[TimeInBed],
    ) -> Result<Vec<SleepSessionId>, StorageError> {
        let sessions = self.content.imports.noted.iter().filter_map(|(_, change, _)| match change.record {
            RecordReference::Session(id) => Some(id),
            _ => None,
        });
        let ids: Vec<_> = sessions.collect();
        let notes = self.session_notes(user_id, &ids).await?;
        let is_near = |session: &SleepSession| {
            stretches.iter().any(|stretch| session.record.time_in_bed().overlaps(stretch))
        };
        let near = notes.iter().filter(|note| note.before.iter().chain(&note.waiting).any(is_near));
        let near: BTreeSet<_> = near.map(|note| note.id).collect();
        Ok(near.into_iter().collect())
    }
    async fn rewrite_session_notes(
        &mut self,
        _: UserId,
        ids: &[SleepSessionId],
        notes: &[SessionNote],
    ) -> Result<(), StorageError> {
        let imports = &mut self.content.imports;
        let overtaken = imports.overtaken.clone();
        imports.noted.retain(|(by, change, _)| {
            let is_one = ids.iter().any(|id| change.record == RecordReference::Session(*id));
            !is_one || overtaken.contains(&(*by, change.record))
        });
        for (place, note) in notes.iter().enumerate() {
            let SessionNote { import, id, position, before, waiting, is_latest: _ } = note.clone();
            assert!(ids.contains(&id));
            let record = RecordReference::Session(id);
            let earlier = notes[..place].iter().filter(|earlier| earlier.id == id).count();
            let is_last = notes[place + 1..].iter().all(|later| later.id != id);
            let number = if is_last { imports.numbers[&record] } else { earlier as u64 };
            assert!(is_last || number < imports.numbers[&record]);
            let before = before.map(|session| RecordBefore::Session(Box::new(session)));
            imports.places.insert((import, record), (position, waiting));
            imports.noted.push((import, ImportChange { record, before }, number));
        }
        Ok(())
    }
    async fn forget_noted_before(&mut self, _: DateTime<Utc>, _: u32) -> Result<u64, StorageError> {
        let count = self.content.imports.noted.len();
        self.content.imports.noted.clear();
        Ok(u64::try_from(count).unwrap())
    }
    async fn has_notes(&mut self, id: ImportId) -> Result<bool, StorageError> {
        Ok(self.content.imports.noted.iter().any(|(by, ..)| *by == id))
    }
    async fn add_part(&mut self, _: ImportId, _: u32, _: &[u8]) -> Result<(), StorageError> {
        Ok(())
    }
    async fn part(&mut self, _: ImportId, _: u32) -> Result<Option<Vec<u8>>, StorageError> {
        Ok(None)
    }
    async fn stored_bytes(&mut self) -> Result<u64, StorageError> {
        Ok(0)
    }
    async fn delete_parts(&mut self, _: ImportId) -> Result<(), StorageError> {
        Ok(())
    }
    async fn delete_stale_uploads(&mut self, _: DateTime<Utc>, _: &str, _: u32) -> Result<u64, StorageError> {
        Ok(0)
    }
    async fn lease(&mut self, _: DateTime<Utc>, _: DateTime<Utc>) -> Result<Option<Import>, StorageError> {
        Ok(None)
    }
    async fn checked(&mut self, _: ImportId, _: u64) -> Result<(), StorageError> {
        Ok(())
    }
    async fn uncount_try(&mut self, _: ImportId) -> Result<(), StorageError> {
        Ok(())
    }
    async fn prolong(&mut self, _: ImportId, _: DateTime<Utc>) -> Result<bool, StorageError> {
        Ok(true)
    }
}
