//! What one attempt at storing a batch found.

use super::batch::{Numbered, Unstored};
use super::held::Held;
use super::recent::Mark;
use super::report::{ImportReport, Outcome};
use crate::ports::import_source::Rejection;
use crate::ports::storage::{ImportChange, RecordReference};
use domain::id::{IntakeLogId, SleepSessionId, SupplementId};
use domain::user::ProfileChanges;
use std::collections::{HashMap, HashSet};

/// The result of one attempt at storing a batch. The run takes it over once the batch is committed.
#[derive(Default)]
pub(super) struct Found {
    pub(super) counted: Vec<Counted>,
    pub(super) rejected: Vec<Numbered<Unstored>>,
    pub(super) supplements: HashSet<SupplementId>,
    pub(super) aliases: HashMap<SupplementId, SupplementId>,
    pub(super) logs: HashSet<IntakeLogId>,
    pub(super) profile_changed: bool,
    /// What the import changed and proposes to change so far, if the batch has a profile.
    pub(super) profile: Option<ProfileChanges>,
    /// What was done to each record, in that order.
    pub(super) changes: Vec<ImportChange>,
    /// Notes on records that were taken, by their positions in the batch.
    pub(super) notes: Vec<Numbered<Rejection>>,
    /// What became of each record that was not rejected, by its position in the batch.
    pub(super) settled: Vec<Numbered<(RecordReference, Outcome)>>,
    /// Records of this batch that wait for the end of the file.
    pub(super) held: Held,
    /// Sessions that the store had and the file repeats unchanged.
    pub(super) confirmed: Vec<SleepSessionId>,
    /// Sessions that this attempt added or changed.
    pub(super) made: HashSet<SleepSessionId>,
}

/// What became of one record.
pub(super) struct Counted {
    pub(super) kind: Kind,
    pub(super) outcome: Outcome,
    /// The row that the record is, or became.
    pub(super) row: Mark,
    /// The key by which a dry run, which draws new ids each time, recognises the record.
    pub(super) key: Option<Mark>,
}

pub(super) enum Kind {
    Session {
        entries: u64,
    },
    Supplement {
        /// Whether the file gave it an id: then another id under the same key is another version.
        has_id: bool,
    },
    Log,
}

impl Counted {
    /// Adds the record to the counts of a report, unless it was met before.
    pub(super) fn add_to(&self, report: &mut ImportReport, is_new_row: bool, is_new_key: bool) {
        if !is_new_row {
            return;
        }
        let outcome = match (&self.kind, self.outcome) {
            (Kind::Supplement { has_id: true }, Outcome::New) if !is_new_key => Outcome::Updated,
            (Kind::Supplement { has_id: true }, outcome) => outcome,
            _ if !is_new_key => return,
            (_, outcome) => outcome,
        };
        match &self.kind {
            Kind::Session { entries } => {
                report.sessions.add(outcome);
                report.stage_entries += entries;
            }
            Kind::Supplement { .. } => report.supplements.add(outcome),
            Kind::Log => report.logs.add(outcome),
        }
    }
}
