//! The column `report` of an import, as JSON.

use application::import::{Counts, ImportReport, ReportNote};
use application::ports::import_source::Rejection;
use domain::user::ProfileChanges;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct CountsJson {
    new: u64,
    updated: u64,
    unchanged: u64,
}

impl From<&Counts> for CountsJson {
    fn from(Counts { new, updated, unchanged }: &Counts) -> Self {
        Self { new: *new, updated: *updated, unchanged: *unchanged }
    }
}

impl From<CountsJson> for Counts {
    fn from(CountsJson { new, updated, unchanged }: CountsJson) -> Self {
        Self { new, updated, unchanged }
    }
}

#[derive(Serialize, Deserialize)]
struct RejectionJson {
    place: String,
    reason: String,
}

impl From<&Rejection> for RejectionJson {
    fn from(Rejection { place, reason }: &Rejection) -> Self {
        Self { place: place.clone(), reason: reason.clone() }
    }
}

impl From<RejectionJson> for Rejection {
    fn from(RejectionJson { place, reason }: RejectionJson) -> Self {
        Self { place, reason }
    }
}

/// A note. Notes from before repeated notes were counted have neither amount nor count.
#[derive(Serialize, Deserialize)]
struct NoteJson {
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

impl From<&ReportNote> for NoteJson {
    fn from(ReportNote { place, reason, amount, count }: &ReportNote) -> Self {
        Self { place: place.clone(), reason: reason.clone(), amount: *amount, count: *count }
    }
}

impl From<NoteJson> for ReportNote {
    fn from(NoteJson { place, reason, amount, count }: NoteJson) -> Self {
        Self { place, reason, amount, count }
    }
}

/// The column `report`.
#[derive(Serialize, Deserialize)]
pub(super) struct ReportJson {
    sessions: CountsJson,
    stage_entries: u64,
    supplements: CountsJson,
    logs: CountsJson,
    profile_changed: bool,
    rejected: Vec<RejectionJson>,
    rejected_total: u64,
    notes: Vec<NoteJson>,
    notes_total: u64,
}

impl From<&ImportReport> for ReportJson {
    fn from(report: &ImportReport) -> Self {
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
            stage_entries: *stage_entries,
            supplements: supplements.into(),
            logs: logs.into(),
            profile_changed: *profile_changed,
            rejected: rejected.iter().take(ImportReport::KEPT).map(RejectionJson::from).collect(),
            rejected_total: *rejected_total,
            notes: notes.iter().take(ImportReport::KEPT).map(NoteJson::from).collect(),
            notes_total: *notes_total,
        }
    }
}

/// Converts the report; fields with their own columns keep their defaults.
impl From<ReportJson> for ImportReport {
    fn from(json: ReportJson) -> Self {
        let ReportJson {
            sessions,
            stage_entries,
            supplements,
            logs,
            profile_changed,
            rejected,
            rejected_total,
            notes,
            notes_total,
        } = json;
        Self {
            sessions: sessions.into(),
            stage_entries,
            supplements: supplements.into(),
            logs: logs.into(),
            profile_changed,
            profile: ProfileChanges::default(),
            rejected: rejected.into_iter().map(Rejection::from).collect(),
            rejected_total,
            notes: notes.into_iter().map(ReportNote::from).collect(),
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
        let stored: NoteJson = serde_json::from_str(r#"{"place":"record 3","reason":"cut: 2"}"#).unwrap();
        let note = ReportNote::from(stored);
        assert_eq!((note.places(), note.text()), ("record 3".to_owned(), "cut: 2".to_owned()));
    }
}
