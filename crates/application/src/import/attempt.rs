//! One attempt to store a batch.

use super::batch::{RejectedRecord, RejectionCause};
use super::batch_result::{BatchResult, Kind, RecordOutcome};
use super::known_logs::MetLog;
use super::met_labels::{MetId, MetKey};
use super::recent::RecordHash;
use super::repetition::{Repetition, positioned};
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

/// One attempt to store a batch. It leaves the run unchanged, because it may be rolled back.
pub(super) struct Attempt<'a> {
    pub(super) run: &'a Run<'a>,
    result: BatchResult,
    /// Changes of records, in order; `None` for one that was merged into a later one or dropped.
    changes: Vec<Option<ImportChange>>,
    /// Index of each record's change.
    places: HashMap<RecordReference, usize>,
}

impl<'a> Attempt<'a> {
    /// Starts an attempt.
    pub(super) fn new(run: &'a Run<'a>) -> Self {
        Self { run, result: BatchResult::default(), changes: Vec::new(), places: HashMap::new() }
    }

    /// Ends the attempt.
    pub(super) fn into_result(self) -> BatchResult {
        let changes = self.changes.into_iter().flatten().collect();
        let mut notes = self.result.notes;
        notes.sort_by_key(|(position, _)| *position);
        BatchResult { changes, notes, ..self.result }
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
        self.result.profile = Some(changes);
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

    /// Records the outcome of the record at this position of the batch.
    pub(super) fn settle(&mut self, position: usize, record: RecordReference, outcome: ItemStatus) {
        self.result.settled.push((position, (record, outcome)));
    }

    /// Returns whether a record must be deferred to the end of the file: it would replace older sessions that
    /// the file may still contain, loses to one that the file may replace, or overlaps a deferred one.
    pub(super) fn must_defer(&self, record: &SleepRecord, wants: &[SleepSessionId]) -> bool {
        self.run.may_defer
            && (wants.iter().any(|id| !self.has_created(*id))
                || self.run.overlaps_deferred(record)
                || self.result.waiting.overlaps(record))
    }

    /// Returns whether this import has added or changed a session recently.
    pub(super) fn has_created(&self, id: SleepSessionId) -> bool {
        self.result.created.contains(&id) || self.run.has_created(id)
    }

    /// Defers a record to the end of the file.
    pub(super) fn wait(&mut self, session: ImportedSession, wants: Vec<SleepSessionId>) {
        self.result.waiting.add(session, wants);
    }

    /// Records that the store has exactly this record: deferred records that lose to it are dropped.
    pub(super) fn confirm(&mut self, position: usize, id: SleepSessionId, stored: &ImportedSession) {
        if !self.run.may_defer {
            return;
        }
        for number in self.result.waiting.superseded_by(id, stored) {
            if let Some(place) = self.result.waiting.remove(number) {
                self.note(position, Repetition::Superseded.note(&place));
            }
        }
        self.result.superseded.extend(self.run.deferred().superseded_by(id, stored));
    }

    /// Returns the position of the last record of this import that has this session, as far as remembered.
    pub(super) fn position_of(&self, id: SleepSessionId) -> Option<RecordPosition> {
        self.result.met.get(&id).copied().or_else(|| self.run.position_of(id))
    }

    /// Compares a session that the import has met with a record; `None` if it has not, or if both are equal.
    pub(super) fn precedence(
        &self,
        session: &SleepSession,
        imported: &ImportedSession,
    ) -> Option<Precedence> {
        let at = self.position_of(session.id)?;
        let is_equal = session.record == imported.record;
        (!is_equal).then(|| Precedence::of((&session.record, at), positioned(imported)))
    }

    /// Returns whether an id or a key of a record belongs to this session, which the import has met at
    /// another time.
    pub(super) fn is_another(&self, session: &SleepSession, imported: &ImportedSession) -> bool {
        let met = self.position_of(session.id);
        met.is_some_and(|at| is_ambiguous_key((&session.record, at), positioned(imported)))
    }

    /// Records that a record of the file has this session.
    pub(super) fn meet(&mut self, id: SleepSessionId, at: RecordPosition) {
        if self.run.origin == Origin::File {
            self.result.met.insert(id, at);
        }
    }

    /// Returns what the file has under the hash of a label's id, as far as remembered.
    pub(super) fn label_with_id(&self, hash: RecordHash) -> Option<MetId> {
        self.result.met_label_ids.get(&hash).or_else(|| self.run.label_with_id(hash))
    }

    /// Returns what the file has under the hash of a label's key, as far as remembered.
    pub(super) fn label_with_key(&self, hash: RecordHash) -> Option<MetKey> {
        self.result.met_label_keys.get(&hash).or_else(|| self.run.label_with_key(hash))
    }

    /// Records that a record of the file has this label.
    pub(super) fn meet_label(&mut self, by_id: Option<(RecordHash, MetId)>, by_key: (RecordHash, MetKey)) {
        if self.run.origin == Origin::File {
            if let Some((hash, met)) = by_id {
                self.result.met_label_ids.insert(hash, met);
            }
            self.result.met_label_keys.insert(by_key.0, by_key.1);
        }
    }

    pub(super) fn count_session(
        &mut self,
        id: SleepSessionId,
        outcome: ItemStatus,
        session: &ImportedSession,
    ) {
        if self.run.origin == Origin::File && outcome != ItemStatus::Unchanged {
            self.result.created.insert(id);
        }
        let entries = u64::try_from(session.record.hypnogram().len()).unwrap_or(u64::MAX);
        let key = RecordHash::new("session key", &(session.record.source(), session.record.key()));
        let (kind, row) = (Kind::Session { entries }, RecordHash::new("session", &id));
        self.count(RecordOutcome { kind, outcome, row, key: Some(key), place: session.place.clone() });
    }

    pub(super) fn count_supplement(
        &mut self,
        id: SupplementId,
        outcome: ItemStatus,
        supplement: &ImportedSupplement,
    ) {
        self.result.supplements.insert(id, ());
        if self.run.is_dry
            && let Ok(code) = Upc::parse(supplement.label.upc())
        {
            self.result.unstored_codes.push((code, id));
        }
        let key = RecordHash::new("supplement key", &supplement.key);
        let kind = Kind::Supplement { has_id: supplement.id.is_some() };
        let (row, place) = (RecordHash::new("supplement", &id), supplement.place.clone());
        self.count(RecordOutcome { kind, outcome, row, key: Some(key), place });
    }

    pub(super) fn count_log(&mut self, id: IntakeLogId, outcome: ItemStatus, place: String) {
        let row = RecordHash::new("log", &id);
        self.count(RecordOutcome { kind: Kind::Log, outcome, row, key: None, place });
    }

    /// Counts a record. Only a dry run needs keys: otherwise ids stay the same.
    fn count(&mut self, counted: RecordOutcome) {
        let key = counted.key.filter(|_| self.run.is_dry);
        self.result.counted.push(RecordOutcome { key, ..counted });
    }

    /// Records that the store has a supplement of the file under another id.
    pub(super) fn alias(&mut self, in_file: SupplementId, id: SupplementId) {
        self.result.aliases.insert(in_file, id);
    }

    /// Returns the stored id of a supplement of the file.
    pub(super) fn known_id(&self, in_file: SupplementId) -> SupplementId {
        let alias = self.result.aliases.get(&in_file);
        alias.or_else(|| self.run.alias_of(in_file)).unwrap_or(in_file)
    }

    /// Records that the store has a supplement.
    pub(super) fn has_supplement(&mut self, id: SupplementId) {
        self.result.supplements.insert(id, ());
    }

    /// Returns whether the store is known to have a supplement, or would have it after a dry run.
    pub(super) fn knows_supplement(&self, id: SupplementId) -> bool {
        self.result.supplements.get(&id).is_some() || self.run.knows_supplement(id)
    }

    /// Returns what this import knows of a log that it has met, as far as remembered.
    pub(super) fn met_log(&self, id: IntakeLogId) -> Option<MetLog> {
        self.result.met_logs.get(&id).or_else(|| self.run.met_log(id))
    }

    /// Records that a record of a file has a log.
    pub(super) fn meet_log(&mut self, id: IntakeLogId, met: MetLog) {
        self.result.met_logs.insert(id, met);
        if let Some(in_file) = met.last.id.filter(|in_file| self.known_log_id(*in_file) != id) {
            self.result.log_aliases.insert(in_file, id);
        }
    }

    /// Moves a log from one count to another.
    pub(super) fn recount_log(&mut self, from: ItemStatus, to: ItemStatus) {
        self.result.recounted_logs.push((from, to));
    }

    /// Returns the stored id of a log of the file.
    pub(super) fn known_log_id(&self, in_file: IntakeLogId) -> IntakeLogId {
        let alias = self.result.log_aliases.get(&in_file);
        alias.or_else(|| self.run.log_alias_of(in_file)).unwrap_or(in_file)
    }

    /// Records a log as a dry run would leave it.
    pub(super) fn leave_unstored(&mut self, log: &IntakeLog) {
        if self.run.is_dry {
            self.result.unstored_logs.push(log.clone());
        }
    }
}
