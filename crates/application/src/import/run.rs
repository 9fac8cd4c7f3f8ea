//! An import in progress.

use super::batch::{Numbered, Unstored};
use super::found::{Counted, Found};
use super::held::{self, Held};
use super::recent::{Mark, Recent};
use super::report::{ImportReport, Outcome};
use crate::ports::import_source::{ImportItem, Rejection};
use crate::ports::storage::RecordReference;
use crate::ports::system::Entropy;
use chrono::{DateTime, Utc};
use domain::id::{IntakeLogId, SleepSessionId, SupplementId, UserId};
use domain::sleep::SleepRecord;
use std::collections::HashSet;

/// How many marks of records are remembered at least; with twice as many that is 18 MB.
const MARKS: usize = 450_000;
/// How many supplements are remembered at least, as known and by another id; with twice as many that is 14 MB.
const SUPPLEMENTS: usize = 100_000;
/// How many sessions are remembered at least that were made or changed; with twice as many that is 1 MB.
const MADE: usize = 10_000;

/// An import in progress: what is known from batch to batch, only of committed batches.
pub(super) struct Run<'a> {
    pub(super) user_id: Option<UserId>,
    /// Whether everything is rolled back: what an earlier batch would have stored is not there.
    pub(super) is_dry: bool,
    /// Whether profile fields that differ from the file are overwritten.
    pub(super) overwrite_profile: bool,
    pub(super) now: DateTime<Utc>,
    pub(super) entropy: &'a dyn Entropy,
    pub(super) report: ImportReport,
    /// What earlier tries of the same import stored.
    earlier: ImportReport,
    /// Whether records may wait for the end of the file; not where each batch is answered for itself.
    pub(super) may_hold: bool,
    /// Records that wait for the end of the file.
    held: Held,
    /// Sessions that were made or changed a while ago at most; of one that is forgotten it is only later that it is changed.
    made: Recent<SleepSessionId>,
    /// How many bytes of the file are read and stored.
    pub(super) bytes_done: u64,
    /// What became of each record of the batch that was stored last, by its position in it.
    pub(super) results: Vec<Numbered<Result<(RecordReference, Outcome), Unstored>>>,
    /// What else is to be told of records of that batch, by their positions in it.
    pub(super) notes: Vec<Numbered<Rejection>>,
    /// The rows and, in a dry run, the keys of the records that were met.
    met: Recent<Mark>,
    /// Supplements that the store has, or would have.
    supplements: Recent<SupplementId>,
    /// Where the store knows a supplement by another id than the file.
    aliases: Recent<SupplementId, SupplementId>,
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
            may_hold: false,
            held: Held::default(),
            made: Recent::new(MADE),
            bytes_done: 0,
            results: Vec::new(),
            notes: Vec::new(),
            met: Recent::new(MARKS),
            supplements: Recent::new(SUPPLEMENTS),
            aliases: Recent::new(SUPPLEMENTS),
        }
    }

    /// Goes on where others broke off who stored this, and lets records wait for the end of the file.
    pub(super) fn of_file(mut self, earlier: ImportReport) -> Self {
        self.report.profile = earlier.profile.clone();
        Self { earlier, may_hold: true, ..self }
    }

    /// Tells what the import did, with what earlier tries of it stored.
    pub(super) fn whole(&self) -> ImportReport {
        self.report.clone().after(&self.earlier)
    }

    /// Tells what the import has done as soon as a try is stored, as it is kept.
    pub(super) fn whole_with(&self, found: &Found) -> ImportReport {
        let mut report = self.report.clone();
        let mut met = HashSet::new();
        for counted in &found.counted {
            let mut first = |mark: Mark| !self.met.contains(&mark) && met.insert(mark);
            let is_new_row = first(counted.row);
            let is_new_key = counted.key.is_none_or(first);
            counted.add_to(&mut report, is_new_row, is_new_key);
        }
        report.profile_changed |= found.profile_changed;
        if let Some(profile) = &found.profile {
            report.profile = profile.clone();
        }
        report.after(&self.earlier).shortened()
    }

    /// Tells how many records wait for the end of the file.
    pub(super) fn waiting(&self) -> usize {
        self.held.len()
    }

    /// Takes out what waits for the end of the file; from now on until [`Self::hold_again`] nothing waits.
    pub(super) fn take_waiting(&mut self) -> Vec<ImportItem> {
        self.may_hold = false;
        let held = std::mem::take(&mut self.held).into_records();
        held.map(|session| ImportItem::Session(Box::new(session))).collect()
    }

    pub(super) fn hold_again(&mut self) {
        self.may_hold = true;
    }

    /// Takes over the result of a committed attempt; returns what was rejected.
    pub(super) fn take(&mut self, found: Found) -> Vec<Numbered<Unstored>> {
        for id in found.confirmed {
            for place in self.held.give_way_to(id) {
                self.report.note(held::given_way(place).into());
            }
        }
        self.held.append(found.held);
        found.made.into_iter().for_each(|id| self.made.insert(id, ()));
        found.counted.into_iter().for_each(|counted| self.count(&counted));
        found.supplements.into_iter().for_each(|id| self.supplements.insert(id, ()));
        found.aliases.into_iter().for_each(|(in_file, id)| self.aliases.insert(in_file, id));
        self.report.profile_changed |= found.profile_changed;
        self.report.profile = found.profile.unwrap_or_else(|| std::mem::take(&mut self.report.profile));
        found.notes.iter().for_each(|(_, note)| self.report.note(note.clone().into()));
        self.notes.extend(found.notes);
        self.results.extend(found.settled.into_iter().map(|(position, settled)| (position, Ok(settled))));
        found.rejected
    }

    /// Records that a record of the batch was not stored.
    pub(super) fn reject(&mut self, position: usize, unstored: Unstored) {
        self.report.reject(unstored.rejection.clone());
        self.results.push((position, Err(unstored)));
    }

    /// Returns whether a session was added or changed lately, as far as that is remembered.
    pub(super) fn has_made(&self, id: SleepSessionId) -> bool {
        self.made.contains(&id)
    }

    /// Returns whether a record overlaps one that waits for the end of the file.
    pub(super) fn overlaps_waiting(&self, record: &SleepRecord) -> bool {
        self.held.overlaps(record)
    }

    /// Returns the id under which the store has a supplement of the file, where that is another one.
    pub(super) fn alias_of(&self, in_file: SupplementId) -> Option<SupplementId> {
        self.aliases.get(&in_file).copied()
    }

    /// Returns whether the store is known to have a supplement, or would have it.
    pub(super) fn knows_supplement(&self, id: SupplementId) -> bool {
        self.supplements.contains(&id)
    }

    /// Returns whether this file brought a log, as far as that is remembered.
    pub(super) fn brought_log(&self, id: IntakeLogId) -> bool {
        self.met.contains(&Mark::of("log", &id))
    }

    fn count(&mut self, counted: &Counted) {
        let is_new_row = self.met.first(counted.row);
        let is_new_key = counted.key.is_none_or(|key| self.met.first(key));
        counted.add_to(&mut self.report, is_new_row, is_new_key);
    }
}
