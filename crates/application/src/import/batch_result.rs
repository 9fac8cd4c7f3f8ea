//! Result of one attempt to store a batch.

use super::batch::{Numbered, RejectedRecord};
use super::deferred::DeferredRecords;
use super::memory::Memory;
use crate::model::import_report::{ImportReport, ItemStatus, Rejection};
use crate::ports::storage::{ImportChange, RecordReference};
use domain::supplement::IntakeLog;

/// Result of one attempt to store a batch. The run takes it over after the commit.
#[derive(Default)]
pub(super) struct BatchResult {
    /// Report of the import including this batch, without its rejections.
    pub(super) report: ImportReport,
    /// What the batch adds to the memory of the import.
    pub(super) memory: Memory,
    pub(super) rejected: Vec<Numbered<RejectedRecord>>,
    /// Whether the batch changes the profile.
    pub(super) profile_changed: bool,
    /// Changes of records, in order.
    pub(super) changes: Vec<ImportChange>,
    /// Notes on accepted records, by position in the batch.
    pub(super) notes: Vec<Numbered<Rejection>>,
    /// Status of each record that was not rejected, by position in the batch.
    pub(super) settled: Vec<Numbered<(RecordReference, ItemStatus)>>,
    /// Records of this batch that are deferred to the end of the file.
    pub(super) waiting: DeferredRecords,
    /// Logs as a dry run would leave them.
    pub(super) unstored_logs: Vec<IntakeLog>,
}
