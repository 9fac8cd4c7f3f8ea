//! An import in progress.

use super::batch::{Numbered, RejectedRecord};
use super::batch_result::BatchResult;
use super::deferred::DeferredRecords;
use super::known_logs::KnownLogs;
use super::memory::Memory;
use crate::model::import_report::{ImportReport, ItemStatus, Rejection};
use crate::ports::import_source::ImportItem;
use crate::ports::storage::RecordReference;
use crate::ports::system::Entropy;
use crate::store::Store;
use chrono::{DateTime, Utc};
use domain::id::UserId;

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
    pub(super) earlier: ImportReport,
    /// Whether records may be deferred to the end of the file; not if each batch gets a response.
    pub(super) may_defer: bool,
    /// Records that are deferred to the end of the file.
    pub(super) waiting: DeferredRecords,
    /// Number of records since the deferred ones were compared with the file's.
    pub(super) uncompared: usize,
    pub(super) origin: Origin,
    /// Number of bytes read and stored.
    pub(super) bytes_done: u64,
    /// Status of each record of the last stored batch, by position.
    pub(super) results: Vec<Numbered<Result<(RecordReference, ItemStatus), RejectedRecord>>>,
    /// Notes on records of that batch, by position.
    pub(super) notes: Vec<Numbered<Rejection>>,
    pub(super) memory: Memory,
    /// Logs as the earlier batches of a dry run would have left them.
    pub(super) unstored_logs: KnownLogs,
}

impl<'a> Run<'a> {
    /// Begins to store the items of a request.
    pub(super) fn new(user_id: Option<UserId>, store: &'a Store) -> Self {
        Self {
            user_id,
            is_dry: false,
            overwrite_profile: false,
            now: store.now(),
            entropy: store.entropy(),
            report: ImportReport::default(),
            earlier: ImportReport::default(),
            may_defer: false,
            waiting: DeferredRecords::default(),
            uncompared: 0,
            origin: Origin::Request,
            bytes_done: 0,
            results: Vec::new(),
            notes: Vec::new(),
            memory: Memory::bounded(),
            unstored_logs: KnownLogs::default(),
        }
    }

    /// Begins an import of a file, after earlier tries with this report. Records may be deferred to the end
    /// of the file.
    pub(super) fn of_file(mut self, earlier: ImportReport) -> Self {
        self.report.profile = earlier.profile.clone();
        Self { earlier, may_defer: true, origin: Origin::File, ..self }
    }

    /// Returns the report including earlier tries.
    pub(super) fn whole(&self) -> ImportReport {
        self.report.clone().after(&self.earlier)
    }

    /// Removes and returns the deferred records.
    pub(super) fn take_deferred(&mut self) -> Vec<ImportItem> {
        let waiting = std::mem::take(&mut self.waiting).into_records().into_iter();
        waiting.map(|session| ImportItem::Session(Box::new(session))).collect()
    }

    /// Takes over the result of a committed attempt; returns the rejections.
    pub(super) fn take(&mut self, result: BatchResult) -> Vec<Numbered<RejectedRecord>> {
        self.report = result.report;
        self.memory.extend(result.memory);
        self.waiting.append(result.waiting);
        result.unstored_logs.into_iter().for_each(|log| self.unstored_logs.put(log));
        self.notes.extend(result.notes);
        self.results.extend(result.settled.into_iter().map(|(position, settled)| (position, Ok(settled))));
        result.rejected
    }

    /// Records that a record of the batch was not stored.
    pub(super) fn reject(&mut self, position: usize, unstored: RejectedRecord) {
        self.report.reject(unstored.rejection.clone());
        self.results.push((position, Err(unstored)));
    }
}
