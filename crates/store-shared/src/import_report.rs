//! The column `report` of an import.

use crate::json;
use application::import::{Counts, ImportReport, ReportNote};
use application::ports::import_source::Rejection;
use application::ports::storage::StorageError;
use domain::user::ProfileChanges;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(remote = "Counts")]
struct CountsShape {
    new: u64,
    updated: u64,
    unchanged: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Rejection")]
struct RejectionShape {
    place: String,
    reason: String,
}

#[derive(Serialize, Deserialize)]
struct StoredRejection(#[serde(with = "RejectionShape")] Rejection);

#[derive(Serialize, Deserialize)]
#[serde(remote = "ReportNote")]
struct NoteShape {
    place: String,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    amount: Option<u64>,
    count: u64,
}

#[derive(Serialize, Deserialize)]
struct StoredNote(#[serde(with = "NoteShape")] ReportNote);

#[derive(Serialize, Deserialize)]
struct StoredReport {
    #[serde(with = "CountsShape")]
    sessions: Counts,
    stage_entries: u64,
    #[serde(with = "CountsShape")]
    supplements: Counts,
    #[serde(with = "CountsShape")]
    logs: Counts,
    profile_changed: bool,
    rejected: Vec<StoredRejection>,
    rejected_total: u64,
    notes: Vec<StoredNote>,
    notes_total: u64,
}

/// Serializes a report with its first rejections and notes, without the fields that have columns.
pub(crate) fn write_report(report: &ImportReport) -> Result<String, StorageError> {
    let ImportReport {
        sessions,
        stage_entries,
        supplements,
        logs,
        profile_changed,
        profile: _,
        rejected,
        rejected_total,
        notes,
        notes_total,
        left_out_labels: _,
    } = report;
    json::write(&StoredReport {
        sessions: *sessions,
        stage_entries: *stage_entries,
        supplements: *supplements,
        logs: *logs,
        profile_changed: *profile_changed,
        rejected: rejected.iter().take(ImportReport::KEPT).cloned().map(StoredRejection).collect(),
        rejected_total: *rejected_total,
        notes: notes.iter().take(ImportReport::KEPT).cloned().map(StoredNote).collect(),
        notes_total: *notes_total,
    })
}

/// Parses a report; the arguments are the fields that have columns.
pub(crate) fn read_report(
    json: &str,
    profile: ProfileChanges,
    left_out_labels: bool,
) -> Option<ImportReport> {
    let StoredReport {
        sessions,
        stage_entries,
        supplements,
        logs,
        profile_changed,
        rejected,
        rejected_total,
        notes,
        notes_total,
    } = serde_json::from_str(json).ok()?;
    Some(ImportReport {
        sessions,
        stage_entries,
        supplements,
        logs,
        profile_changed,
        profile,
        rejected: rejected.into_iter().map(|StoredRejection(rejection)| rejection).collect(),
        rejected_total,
        notes: notes.into_iter().map(|StoredNote(note)| note).collect(),
        notes_total,
        left_out_labels,
    })
}
