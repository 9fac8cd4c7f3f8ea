//! The column `report` of an import, as JSON.

use application::import::{Counts, ImportReport, ReportNote};
use application::ports::import_source::Rejection;
use domain::user::ProfileChanges;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(super) struct StoredReport {
    sessions: StoredCounts,
    stage_entries: u64,
    supplements: StoredCounts,
    logs: StoredCounts,
    profile_changed: bool,
    rejected: Vec<StoredRejection>,
    rejected_total: u64,
    notes: Vec<StoredNote>,
    notes_total: u64,
}

#[derive(Serialize, Deserialize)]
struct StoredCounts {
    new: u64,
    updated: u64,
    unchanged: u64,
}

#[derive(Serialize, Deserialize)]
struct StoredRejection {
    place: String,
    reason: String,
}

/// A note. Notes from before repeated notes were counted have neither amount nor count.
#[derive(Serialize, Deserialize)]
struct StoredNote {
    place: String,
    reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    amount: Option<u64>,
    #[serde(default = "once")]
    count: u64,
}

const fn once() -> u64 {
    1
}

impl From<ReportNote> for StoredNote {
    fn from(note: ReportNote) -> Self {
        let ReportNote { place, reason, amount, count } = note;
        Self { place, reason, amount, count }
    }
}

impl From<StoredNote> for ReportNote {
    fn from(stored: StoredNote) -> Self {
        let StoredNote { place, reason, amount, count } = stored;
        Self { place, reason, amount, count }
    }
}

impl From<Counts> for StoredCounts {
    fn from(counts: Counts) -> Self {
        let Counts { new, updated, unchanged } = counts;
        Self { new, updated, unchanged }
    }
}

impl From<StoredCounts> for Counts {
    fn from(stored: StoredCounts) -> Self {
        let StoredCounts { new, updated, unchanged } = stored;
        Self { new, updated, unchanged }
    }
}

impl From<Rejection> for StoredRejection {
    fn from(rejection: Rejection) -> Self {
        let Rejection { place, reason } = rejection;
        Self { place, reason }
    }
}

impl From<StoredRejection> for Rejection {
    fn from(stored: StoredRejection) -> Self {
        let StoredRejection { place, reason } = stored;
        Self { place, reason }
    }
}

impl From<ImportReport> for StoredReport {
    fn from(report: ImportReport) -> Self {
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
        Self {
            sessions: sessions.into(),
            stage_entries,
            supplements: supplements.into(),
            logs: logs.into(),
            profile_changed,
            rejected: rejected.into_iter().map(Into::into).collect(),
            rejected_total,
            notes: notes.into_iter().map(Into::into).collect(),
            notes_total,
        }
    }
}

/// Converts the report; fields with their own columns keep their defaults.
impl From<StoredReport> for ImportReport {
    fn from(stored: StoredReport) -> Self {
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
        } = stored;
        Self {
            sessions: sessions.into(),
            stage_entries,
            supplements: supplements.into(),
            logs: logs.into(),
            profile_changed,
            profile: ProfileChanges::default(),
            rejected: rejected.into_iter().map(Into::into).collect(),
            rejected_total,
            notes: notes.into_iter().map(Into::into).collect(),
            notes_total,
            left_out_labels: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_from_before_notes_were_counted_was_noted_once() {
        let stored: StoredNote = serde_json::from_str(r#"{"place":"record 3","reason":"cut: 2"}"#).unwrap();
        let note = ReportNote::from(stored);
        assert_eq!((note.places(), note.text()), ("record 3".to_owned(), "cut: 2".to_owned()));
    }
}
