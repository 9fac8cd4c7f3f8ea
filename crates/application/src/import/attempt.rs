//! One attempt to store a batch.

use super::batch::{Numbered, RejectedRecord, RejectionCause};
use super::batch_result::BatchResult;
use super::known_logs::MetLog;
use super::memory::{Memory, MetSession, Recent, RecordHash};
use super::repetition::Repetition;
use super::run::{Origin, Run};
use crate::model::import_report::{ItemStatus, Rejection};
use crate::ports::import_source::{ImportedSession, ImportedSupplement};
use crate::ports::storage::{ImportChange, RecordBefore, RecordReference, RecordVersion};
use domain::id::{IntakeLogId, SleepSessionId, SupplementId};
use domain::import::RecordPosition;
use domain::sleep::{Precedence, SleepRecord, SleepSession, is_ambiguous_key};
use domain::supplement::{IntakeLog, Upc};
use domain::user::ProfileChanges;
use std::collections::HashMap;
use std::hash::Hash;

/// One attempt to store a batch. It leaves the run unchanged, because it may be rolled back.
pub(super) struct Attempt<'a> {
    pub(super) run: &'a Run<'a>,
    pub(super) result: BatchResult,
    /// Changes of records, in order; `None` for one that was merged into a later one or dropped.
    changes: Vec<Option<ImportChange>>,
    /// Index of each record's change.
    places: HashMap<RecordReference, usize>,
}

impl<'a> Attempt<'a> {
    /// Starts an attempt.
    pub(super) fn new(run: &'a Run<'a>) -> Self {
        let result = BatchResult { report: run.report.clone(), ..BatchResult::default() };
        Self { run, result, changes: Vec::new(), places: HashMap::new() }
    }

    /// Ends the attempt.
    pub(super) fn into_result(self) -> BatchResult {
        let changes = self.changes.into_iter().flatten().collect();
        let BatchResult { mut report, mut notes, .. } = self.result;
        notes.sort_by_key(|(position, _)| *position);
        for (_, note) in &notes {
            report.note(note.clone().into());
        }
        BatchResult { report, changes, notes, ..self.result }
    }

    /// Rejects the record at this position of the batch.
    pub(super) fn reject(&mut self, position: usize, place: &str, why: RejectionCause) {
        self.result.rejected.push((position, RejectedRecord::new(place, why)));
    }

    /// Adds a note on an accepted record.
    pub(super) fn note(&mut self, position: usize, note: Rejection) {
        self.result.notes.push((position, note));
    }

    /// Stores the profile changes and proposals of the import so far.
    pub(super) fn profile_read(&mut self, changes: ProfileChanges, is_changed: bool) {
        self.result.report.profile = changes;
        self.result.report.profile_changed |= is_changed;
        self.result.profile_changed |= is_changed;
    }

    /// Records an added or changed record. If this attempt has changed it before, the first `before` is kept.
    pub(super) fn changed(
        &mut self,
        record: RecordReference,
        before: Option<RecordBefore>,
        left: impl FnOnce() -> RecordVersion,
    ) {
        if !self.run.is_dry {
            self.push(ImportChange { record, before, left: Some(left()), replaced_by: None });
        }
    }

    /// Records that a stored session was replaced by another one.
    pub(super) fn removed(&mut self, session: SleepSession, by: SleepSessionId) {
        if !self.run.is_dry {
            let record = RecordReference::Session(session.id);
            let before = Some(RecordBefore::Session(Box::new(session)));
            self.push(ImportChange { record, before, left: None, replaced_by: Some(by) });
        }
    }

    /// Drops the change of a new session that another one replaces. A previously stored session stays
    /// recorded as removed.
    pub(super) fn discard_added(&mut self, id: SleepSessionId, by: SleepSessionId) {
        let record = RecordReference::Session(id);
        let Some(change) = self.take(record) else { return };
        if change.before.is_some() {
            self.push(ImportChange { left: None, replaced_by: Some(by), ..change });
            return;
        }
        for other in self.changes.iter_mut().flatten().filter(|other| other.replaced_by == Some(id)) {
            other.replaced_by = Some(by);
        }
    }

    fn push(&mut self, change: ImportChange) {
        let change = match self.take(change.record) {
            Some(earlier) => ImportChange { before: earlier.before, ..change },
            None => change,
        };
        self.places.insert(change.record, self.changes.len());
        self.changes.push(Some(change));
    }

    fn take(&mut self, record: RecordReference) -> Option<ImportChange> {
        let place = self.places.remove(&record)?;
        self.changes.get_mut(place)?.take()
    }

    /// Returns what the import remembers under a key, this batch first.
    pub(super) fn recall<K: Eq + Hash, V: Copy>(
        &self,
        of: impl Fn(&Memory) -> &Recent<K, V>,
        key: &K,
    ) -> Option<V> {
        of(&self.result.memory).get(key).or_else(|| of(&self.run.memory).get(key)).copied()
    }

    /// Returns whether a record must be deferred to the end of the file: it would replace older sessions that
    /// the file may still contain, loses to one that the file may replace, or overlaps a deferred one.
    pub(super) fn must_defer(&self, record: &SleepRecord, wants: &[SleepSessionId]) -> bool {
        self.run.may_defer
            && (wants.iter().any(|id| !self.has_created(*id))
                || self.run.waiting.overlaps(record)
                || self.result.waiting.overlaps(record))
    }

    /// Returns whether this import has added or changed a session recently.
    pub(super) fn has_created(&self, id: SleepSessionId) -> bool {
        self.recall(|memory| &memory.sessions, &id).is_some_and(|met| met.is_changed)
    }

    /// Defers a record to the end of the file.
    pub(super) fn wait(&mut self, session: ImportedSession) {
        self.result.waiting.add(session);
    }

    /// Returns the position of the last record of this import that has this session, as far as remembered.
    fn position_of(&self, id: SleepSessionId) -> Option<RecordPosition> {
        self.recall(|memory| &memory.sessions, &id)?.at
    }

    /// Compares a session that the import has met with a record; `None` if it has not, or if both are equal.
    pub(super) fn precedence(
        &self,
        session: &SleepSession,
        imported: &ImportedSession,
    ) -> Option<Precedence> {
        let at = self.position_of(session.id)?;
        let is_equal = session.record == imported.record;
        (!is_equal).then(|| Precedence::of((&session.record, at), (&imported.record, imported.position)))
    }

    /// Returns whether an id or a key of a record belongs to this session, which the import has met at
    /// another time.
    pub(super) fn is_another(&self, session: &SleepSession, imported: &ImportedSession) -> bool {
        let met = self.position_of(session.id);
        met.is_some_and(|at| is_ambiguous_key((&session.record, at), (&imported.record, imported.position)))
    }

    /// Records the outcome of the record at this position of the batch.
    pub(super) fn settle(&mut self, position: usize, record: RecordReference, outcome: ItemStatus) {
        self.result.settled.push((position, (record, outcome)));
    }

    /// Counts a record with this outcome; `is_stored` if the session is now equal to it.
    pub(super) fn settle_session(
        &mut self,
        (position, session): Numbered<&ImportedSession>,
        (id, outcome): (SleepSessionId, ItemStatus),
        is_stored: bool,
    ) {
        if self.run.origin == Origin::File {
            let earlier = self.recall(|memory| &memory.sessions, &id).unwrap_or_default();
            let at = if is_stored { Some(session.position) } else { earlier.at };
            let is_changed = earlier.is_changed || outcome != ItemStatus::Unchanged;
            self.result.memory.sessions.insert(id, MetSession { at, is_changed });
        }
        let entries = u64::try_from(session.record.hypnogram().len()).unwrap_or(u64::MAX);
        let is_new_row = self.is_first(RecordHash::new("session", &id));
        let is_new_key = self.is_first_key("session key", &(session.record.source(), session.record.key()));
        if is_new_row && is_new_key {
            self.result.report.sessions.add(outcome);
            self.result.report.stage_entries += entries;
        } else {
            self.repeats(position, &session.place);
        }
        self.settle(position, RecordReference::Session(id), outcome);
    }

    /// Counts a label with this outcome. One with an id and a known key is another version.
    pub(super) fn settle_supplement(
        &mut self,
        (position, supplement): Numbered<&ImportedSupplement>,
        (id, outcome): (SupplementId, ItemStatus),
    ) {
        self.has_supplement(id);
        if self.run.is_dry
            && let Ok(code) = Upc::parse(supplement.label.upc())
        {
            self.result.memory.unstored_codes.insert(code, id);
        }
        let is_new_row = self.is_first(RecordHash::new("supplement", &id));
        let is_new_key = self.is_first_key("supplement key", &supplement.key);
        match (is_new_row && (is_new_key || supplement.id.is_some()), outcome) {
            (false, _) => self.repeats(position, &supplement.place),
            (true, ItemStatus::Created) if !is_new_key => {
                self.result.report.supplements.add(ItemStatus::Updated);
            }
            (true, outcome) => self.result.report.supplements.add(outcome),
        }
        self.settle(position, RecordReference::Label(id), outcome);
    }

    /// Counts a log with this outcome.
    pub(super) fn settle_log(
        &mut self,
        (position, place): Numbered<&str>,
        (id, outcome): (IntakeLogId, ItemStatus),
    ) {
        if self.is_first(RecordHash::new("log", &id)) {
            self.result.report.logs.add(outcome);
        } else {
            self.repeats(position, place);
        }
        self.settle(position, RecordReference::Log(id), outcome);
    }

    /// Returns whether a row or a key has not been counted before.
    fn is_first(&mut self, hash: RecordHash) -> bool {
        let is_known = self.recall(|memory| &memory.counted, &hash).is_some();
        self.result.memory.counted.insert(hash, ());
        !is_known
    }

    /// Returns whether a dry run has not counted a key before, as it draws new ids each time.
    fn is_first_key(&mut self, name: &str, key: &impl Hash) -> bool {
        !self.run.is_dry || self.is_first(RecordHash::new(name, key))
    }

    /// Notes a record that its file repeats.
    fn repeats(&mut self, position: usize, place: &str) {
        if self.run.origin == Origin::File {
            self.note(position, Repetition::Repeated.note(place));
        }
    }

    /// Records that the store has a supplement of the file under another id.
    pub(super) fn alias(&mut self, in_file: SupplementId, id: SupplementId) {
        self.result.memory.supplement_aliases.insert(in_file, id);
    }

    /// Returns the stored id of a supplement of the file.
    pub(super) fn known_id(&self, in_file: SupplementId) -> SupplementId {
        self.recall(|memory| &memory.supplement_aliases, &in_file).unwrap_or(in_file)
    }

    /// Records that the store has a supplement, or would have it after a dry run.
    pub(super) fn has_supplement(&mut self, id: SupplementId) {
        self.result.memory.supplements.insert(id, ());
    }

    /// Returns what this import knows of a log that it has met, as far as remembered.
    pub(super) fn met_log(&self, id: IntakeLogId) -> Option<MetLog> {
        self.recall(|memory| &memory.logs, &id)
    }

    /// Records that a record of a file has a log.
    pub(super) fn meet_log(&mut self, id: IntakeLogId, met: MetLog) {
        self.result.memory.logs.insert(id, met);
        if let Some(in_file) = met.last.id.filter(|in_file| self.known_log_id(*in_file) != id) {
            self.result.memory.log_aliases.insert(in_file, id);
        }
    }

    /// Moves a log from one count to another.
    pub(super) fn recount_log(&mut self, from: ItemStatus, to: ItemStatus) {
        self.result.report.logs.correct(from, to);
    }

    /// Returns the stored id of a log of the file.
    pub(super) fn known_log_id(&self, in_file: IntakeLogId) -> IntakeLogId {
        self.recall(|memory| &memory.log_aliases, &in_file).unwrap_or(in_file)
    }

    /// Records a log as a dry run would leave it.
    pub(super) fn leave_unstored(&mut self, log: &IntakeLog) {
        if self.run.is_dry {
            self.result.unstored_logs.push(log.clone());
        }
    }
}
