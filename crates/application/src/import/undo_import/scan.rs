//! Progress of an undo through the notes of its import.

use crate::model::undone::{KeptItem, KeptReason, KeptRecord, Undone};
use crate::ports::storage::{JournalEntry, JournalPosition};
use domain::id::SleepSessionId;
use std::collections::HashMap;

/// One pass over the notes of an import, latest first. Kept records keep their notes, so a resumed undo
/// starts a new pass.
#[derive(Debug, Clone, Default)]
pub(super) struct Scan {
    after: Option<JournalPosition>,
    count: u64,
    /// The first kept records.
    listed: Vec<KeptRecord>,
    /// Kept sessions: those that they replaced cannot be restored.
    sessions: HashMap<SleepSessionId, KeptReason>,
}

impl Scan {
    /// Returns whether no batch is committed yet.
    pub(super) const fn is_new(&self) -> bool {
        self.after.is_none()
    }

    /// Returns the position of the last note read.
    pub(super) const fn after(&self) -> Option<JournalPosition> {
        self.after
    }

    /// Returns why a session was kept, if it was.
    pub(super) fn kept_reason(&self, id: SleepSessionId) -> Option<KeptReason> {
        self.sessions.get(&id).copied()
    }

    /// Moves past these notes after their batch is committed.
    pub(super) fn advance(&mut self, noted: &[JournalEntry], kept: Vec<KeptRecord>) {
        self.after = noted.last().map(|note| note.place).or(self.after);
        for record in kept {
            self.keep(record);
        }
    }

    /// Adds a kept record.
    pub(super) fn keep(&mut self, record: KeptRecord) {
        self.count = self.count.saturating_add(1);
        if let KeptItem::Session(id) = record.what {
            self.sessions.insert(id, record.why);
        }
        if self.listed.len() < Undone::LISTED {
            self.listed.push(record);
        }
    }

    /// Returns the number of kept records, and the first of them.
    pub(super) fn into_kept(self) -> (u64, Vec<KeptRecord>) {
        (self.count, self.listed)
    }
}
