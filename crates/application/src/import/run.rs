//! An import in progress.

use super::batch::{Numbered, RejectedRecord};
use super::batch_result::{BatchResult, RecordOutcome};
use super::deferred::DeferredRecords;
use super::known_logs::{MetLog, UnstoredLogs};
use super::met_labels::{MetId, MetKey};
use super::recent::{GenerationalCache, RecordHash};
use super::repetition::Repetition;
use crate::model::import_report::{ImportReport, ItemStatus, Rejection};
use crate::ports::import_source::ImportItem;
use crate::ports::storage::RecordReference;
use crate::ports::system::Entropy;
use chrono::{DateTime, Utc};
use domain::id::{IntakeLogId, SleepSessionId, SupplementId, UserId};
use domain::import::RecordPosition;
use domain::sleep::SleepRecord;
use domain::supplement::Upc;
use std::collections::HashSet;

/// Minimum number of remembered rows and, in a dry run, keys of sessions and labels, so up to two a record;
/// twice as many use 18 MB.
const HASHES: usize = 450_000;
/// Minimum number of remembered logs, and of those with other ids in the file; twice as many use 47 MB.
const LOGS: usize = 220_000;
/// Minimum number of logs that a dry run remembers as it would leave them; twice as many use 38 MB.
const UNSTORED_LOGS: usize = 50_000;
/// Minimum number of remembered labels: by id, by id in the file, and by the hashes of that id and of its
/// key, one each; twice as many use 47 MB, in a dry run also 17 MB for product codes.
const SUPPLEMENTS: usize = 100_000;
/// Minimum number of remembered sessions; twice as many, new or changed and in all, use 3 MB.
const MIN_REMEMBERED: usize = 10_000;

/// Where the records of an import come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A file, in which each night is expected once.
    File,
    Request,
}

/// An import in progress: state across batches, of committed batches only.
pub(super) struct Run<'a> {
    pub(super) user_id: Option<UserId>,
    /// Whether everything is rolled back; records of earlier batches are then not stored.
    pub(super) is_dry: bool,
    /// Whether profile fields that differ from the file are overwritten.
    pub(super) overwrite_profile: bool,
    pub(super) now: DateTime<Utc>,
    pub(super) entropy: &'a dyn Entropy,
    pub(super) report: ImportReport,
    /// Report of earlier tries of the same import.
    earlier: ImportReport,
    /// Whether records may be deferred to the end of the file; not if each batch gets a response.
    pub(super) may_defer: bool,
    /// Records that are deferred to the end of the file.
    waiting: DeferredRecords,
    /// Sessions added or changed recently. If one is no longer remembered, it is only changed later.
    created: GenerationalCache<SleepSessionId>,
    pub(super) origin: Origin,
    /// Sessions of recent records, each with the last record's position.
    met: GenerationalCache<SleepSessionId, RecordPosition>,
    /// Number of bytes read and stored.
    pub(super) bytes_done: u64,
    /// Status of each record of the last stored batch, by position.
    pub(super) results: Vec<Numbered<Result<(RecordReference, ItemStatus), RejectedRecord>>>,
    /// Notes on records of that batch, by position.
    pub(super) notes: Vec<Numbered<Rejection>>,
    /// Rows and, in a dry run, keys of the records seen.
    seen: GenerationalCache<RecordHash>,
    /// Supplements that the store has, or would have after a dry run.
    supplements: GenerationalCache<SupplementId>,
    /// Stored ids of supplements that have other ids in the file.
    aliases: GenerationalCache<SupplementId, SupplementId>,
    /// Logs of recent records.
    met_logs: GenerationalCache<IntakeLogId, MetLog>,
    /// Stored ids of logs that have other ids in the file.
    log_aliases: GenerationalCache<IntakeLogId, IntakeLogId>,
    /// Logs of earlier batches of a dry run.
    pub(super) unstored_logs: UnstoredLogs,
    /// Labels of earlier batches of a dry run, by product code.
    unstored_codes: GenerationalCache<Upc, SupplementId>,
    /// Labels of recent records, by the hashes of their ids.
    met_label_ids: GenerationalCache<RecordHash, MetId>,
    /// Labels of recent records, by the hashes of their keys.
    met_label_keys: GenerationalCache<RecordHash, MetKey>,
}

impl<'a> Run<'a> {
    /// Begins an import.
    pub(super) fn new(
        user_id: Option<UserId>,
        is_dry: bool,
        now: DateTime<Utc>,
        entropy: &'a dyn Entropy,
    ) -> Self {
        Self {
            user_id,
            is_dry,
            overwrite_profile: false,
            now,
            entropy,
            report: ImportReport::default(),
            earlier: ImportReport::default(),
            may_defer: false,
            waiting: DeferredRecords::default(),
            created: GenerationalCache::new(MIN_REMEMBERED),
            origin: Origin::Request,
            met: GenerationalCache::new(MIN_REMEMBERED),
            bytes_done: 0,
            results: Vec::new(),
            notes: Vec::new(),
            seen: GenerationalCache::new(HASHES),
            supplements: GenerationalCache::new(SUPPLEMENTS),
            aliases: GenerationalCache::new(SUPPLEMENTS),
            met_logs: GenerationalCache::new(LOGS),
            log_aliases: GenerationalCache::new(LOGS),
            unstored_logs: UnstoredLogs::new(UNSTORED_LOGS),
            unstored_codes: GenerationalCache::new(SUPPLEMENTS),
            met_label_ids: GenerationalCache::new(SUPPLEMENTS),
            met_label_keys: GenerationalCache::new(SUPPLEMENTS),
        }
    }

    /// Resumes after earlier tries with this report, and allows records to be deferred to the end of the
    /// file.
    pub(super) fn of_file(mut self, earlier: ImportReport) -> Self {
        self.report.profile = earlier.profile.clone();
        Self { earlier, may_defer: true, origin: Origin::File, ..self }
    }

    /// Returns the report including earlier tries.
    pub(super) fn whole(&self) -> ImportReport {
        self.report.clone().after(&self.earlier)
    }

    /// Returns the report to store together with this attempt.
    pub(super) fn whole_with(&self, result: &BatchResult) -> ImportReport {
        let mut report = self.report.clone();
        let mut seen = HashSet::new();
        for counted in &result.counted {
            let mut first = |hash: RecordHash| !self.seen.contains(&hash) && seen.insert(hash);
            let is_new_row = first(counted.row);
            let is_new_key = counted.key.is_none_or(first);
            counted.add_to(&mut report, is_new_row, is_new_key);
        }
        report.logs.correct(&result.recounted_logs);
        report.profile_changed |= result.profile_changed;
        if let Some(profile) = &result.profile {
            report.profile = profile.clone();
        }
        report.after(&self.earlier).shortened()
    }

    /// Returns the number of deferred records.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Removes and returns the deferred records; none are deferred until [`Self::resume_deferral`].
    pub(super) fn take_deferred(&mut self) -> Vec<ImportItem> {
        self.may_defer = false;
        let waiting = std::mem::take(&mut self.waiting).into_records();
        waiting.map(|session| ImportItem::Session(Box::new(session))).collect()
    }

    pub(super) fn resume_deferral(&mut self) {
        self.may_defer = true;
    }

    /// Takes over the result of a committed attempt; returns the rejections.
    pub(super) fn take(&mut self, result: BatchResult) -> Vec<Numbered<RejectedRecord>> {
        for number in result.superseded {
            if let Some(place) = self.waiting.remove(number) {
                self.report.note(Repetition::Superseded.note(&place).into());
            }
        }
        result.met.into_iter().for_each(|(id, at)| self.met.insert(id, at));
        self.waiting.append(result.waiting);
        result.created.into_iter().for_each(|id| self.created.insert(id, ()));
        result.counted.into_iter().for_each(|counted| self.count(&counted));
        self.report.logs.correct(&result.recounted_logs);
        self.supplements.extend(result.supplements);
        self.aliases.extend(result.aliases);
        self.met_logs.extend(result.met_logs);
        self.log_aliases.extend(result.log_aliases);
        result.unstored_logs.into_iter().for_each(|log| self.unstored_logs.put(log));
        result.unstored_codes.into_iter().for_each(|(code, id)| self.unstored_codes.insert(code, id));
        self.met_label_ids.extend(result.met_label_ids);
        self.met_label_keys.extend(result.met_label_keys);
        self.report.profile_changed |= result.profile_changed;
        self.report.profile = result.profile.unwrap_or_else(|| std::mem::take(&mut self.report.profile));
        result.notes.iter().for_each(|(_, note)| self.report.note(note.clone().into()));
        self.notes.extend(result.notes);
        self.results.extend(result.settled.into_iter().map(|(position, settled)| (position, Ok(settled))));
        result.rejected
    }

    /// Records that a record of the batch was not stored.
    pub(super) fn reject(&mut self, position: usize, unstored: RejectedRecord) {
        self.report.reject(unstored.rejection.clone());
        self.results.push((position, Err(unstored)));
    }

    /// Returns whether a session is remembered as added or changed recently.
    pub(super) fn has_created(&self, id: SleepSessionId) -> bool {
        self.created.contains(&id)
    }

    /// Returns the deferred records.
    pub(super) const fn deferred(&self) -> &DeferredRecords {
        &self.waiting
    }

    /// Returns the position of the last record that has this session, as far as remembered.
    pub(super) fn position_of(&self, id: SleepSessionId) -> Option<RecordPosition> {
        self.met.get(&id).copied()
    }

    /// Returns whether a record overlaps a deferred one.
    pub(super) fn overlaps_deferred(&self, record: &SleepRecord) -> bool {
        self.waiting.overlaps(record)
    }

    /// Returns the stored id of a supplement of the file, if it differs.
    pub(super) fn alias_of(&self, in_file: SupplementId) -> Option<SupplementId> {
        self.aliases.get(&in_file).copied()
    }

    /// Returns what the file has under the hash of a label's id, as far as remembered.
    pub(super) fn label_with_id(&self, hash: RecordHash) -> Option<MetId> {
        self.met_label_ids.get(&hash).copied()
    }

    /// Returns what the file has under the hash of a label's key, as far as remembered.
    pub(super) fn label_with_key(&self, hash: RecordHash) -> Option<MetKey> {
        self.met_label_keys.get(&hash).copied()
    }

    /// Returns whether the store is known to have a supplement, or would have it after a dry run.
    pub(super) fn knows_supplement(&self, id: SupplementId) -> bool {
        self.supplements.contains(&id)
    }

    /// Returns the label with this product code that a dry run would have stored in an earlier batch.
    pub(super) fn unstored_label(&self, code: &Upc) -> Option<SupplementId> {
        self.unstored_codes.get(code).copied()
    }

    /// Returns the stored id of a log of the file, if it differs.
    pub(super) fn log_alias_of(&self, in_file: IntakeLogId) -> Option<IntakeLogId> {
        self.log_aliases.get(&in_file).copied()
    }

    /// Returns what this import knows of a log that it has met, as far as remembered.
    pub(super) fn met_log(&self, id: IntakeLogId) -> Option<MetLog> {
        self.met_logs.get(&id).copied()
    }

    /// Counts a record; notes one that its file repeats.
    fn count(&mut self, counted: &RecordOutcome) {
        let is_new_row = self.seen.first(counted.row);
        let is_new_key = counted.key.is_none_or(|key| self.seen.first(key));
        let is_first = counted.add_to(&mut self.report, is_new_row, is_new_key);
        if !is_first && self.origin == Origin::File {
            self.report.note(Repetition::Repeated.note(&counted.place).into());
        }
    }
}
