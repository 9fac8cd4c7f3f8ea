//! Result of one attempt to store a batch.

use super::batch::{Numbered, RejectedRecord};
use super::deferred::DeferredRecords;
use super::known_logs::MetLog;
use super::met_labels::{MetId, MetKey};
use super::recent::{Additions, RecordHash};
use crate::model::import_report::{ImportReport, ItemStatus, Rejection};
use crate::ports::storage::{ImportChange, RecordReference};
use domain::id::{IntakeLogId, SleepSessionId, SupplementId};
use domain::import::RecordPosition;
use domain::supplement::{IntakeLog, Upc};
use domain::user::ProfileChanges;
use std::collections::{HashMap, HashSet};

/// Result of one attempt to store a batch. The run takes it over after the commit.
#[derive(Default)]
pub(super) struct BatchResult {
    pub(super) counted: Vec<RecordOutcome>,
    pub(super) rejected: Vec<Numbered<RejectedRecord>>,
    pub(super) supplements: Additions<SupplementId, ()>,
    pub(super) aliases: Additions<SupplementId, SupplementId>,
    pub(super) profile_changed: bool,
    /// Profile changes and proposals so far, if the batch has a profile.
    pub(super) profile: Option<ProfileChanges>,
    /// Changes of records, in order.
    pub(super) changes: Vec<ImportChange>,
    /// Notes on accepted records, by position in the batch.
    pub(super) notes: Vec<Numbered<Rejection>>,
    /// Status of each record that was not rejected, by position in the batch.
    pub(super) settled: Vec<Numbered<(RecordReference, ItemStatus)>>,
    /// Records of this batch that are deferred to the end of the file.
    pub(super) waiting: DeferredRecords,
    /// Numbers of deferred records of earlier batches that lose to a record of this one.
    pub(super) superseded: Vec<u64>,
    /// Sessions of records of this batch, each with the last record's position.
    pub(super) met: HashMap<SleepSessionId, RecordPosition>,
    /// Labels of records of this batch, by the hashes of their ids.
    pub(super) met_label_ids: Additions<RecordHash, MetId>,
    /// Labels of records of this batch, by the hashes of their keys.
    pub(super) met_label_keys: Additions<RecordHash, MetKey>,
    /// Logs of records of this batch.
    pub(super) met_logs: Additions<IntakeLogId, MetLog>,
    /// Logs to move from the first count to the second one.
    pub(super) recounted_logs: Vec<(ItemStatus, ItemStatus)>,
    pub(super) log_aliases: Additions<IntakeLogId, IntakeLogId>,
    /// Logs as a dry run would leave them.
    pub(super) unstored_logs: Vec<IntakeLog>,
    /// In a dry run, the labels of this batch by product code.
    pub(super) unstored_codes: Vec<(Upc, SupplementId)>,
    /// Sessions added or changed by this attempt.
    pub(super) created: HashSet<SleepSessionId>,
}

/// Status of one record.
pub(super) struct RecordOutcome {
    pub(super) kind: Kind,
    pub(super) outcome: ItemStatus,
    /// Row of the record.
    pub(super) row: RecordHash,
    /// Key of a session or label for dry runs, which generate new ids each time.
    pub(super) key: Option<RecordHash>,
    /// Location in the file.
    pub(super) place: String,
}

pub(super) enum Kind {
    Session {
        entries: u64,
    },
    Supplement {
        /// Whether the file has an id for it: a different id under the same key is another version.
        has_id: bool,
    },
    Log,
}

impl RecordOutcome {
    /// Adds the record to the counts of a report; returns `false` if it was already counted.
    pub(super) fn add_to(&self, report: &mut ImportReport, is_new_row: bool, is_new_key: bool) -> bool {
        if !is_new_row {
            return false;
        }
        let outcome = match (&self.kind, self.outcome) {
            (Kind::Supplement { has_id: true }, ItemStatus::Created) if !is_new_key => ItemStatus::Updated,
            (Kind::Supplement { has_id: true }, outcome) => outcome,
            _ if !is_new_key => return false,
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
        true
    }
}
