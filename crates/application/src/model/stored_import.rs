//! An import as it is stored.

use super::import_report::ImportReport;
use super::undone::Undone;
use chrono::{DateTime, FixedOffset, Utc};
use domain::id::{ImportId, UserId};
use domain::import::{Canceller, FileDigest, FileName, ImportOrigin, ImportState};
use domain::time::TimeZone;

/// A stored import.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// Id of the import.
    pub id: ImportId,
    /// Owner of the records; `None` for a catalogue.
    pub user_id: Option<UserId>,
    /// Origin of the file.
    pub origin: ImportOrigin,
    /// Name of the file.
    pub file_name: FileName,
    /// Detected format; `None` until it is known.
    pub format: Option<String>,
    /// Hash of the file, if it was computed.
    pub digest: Option<FileDigest>,
    /// Zone of local times without an offset.
    pub zone: TimeZone,
    /// State of the import.
    pub state: ImportState,
    /// Size of the file in bytes; for an upload in progress, the bytes received so far.
    pub size: u64,
    /// Start of a recording that does not contain it, as entered with the upload.
    pub recording_start: Option<DateTime<FixedOffset>>,
    /// Whether profile fields that differ from the upload are overwritten.
    pub overwrite_profile: bool,
    /// Bytes read in the first pass, which stores nothing.
    pub bytes_checked: u64,
    /// Bytes read and stored.
    pub bytes_done: u64,
    /// Number of servers that leased the upload and neither finished nor released it.
    pub tries: u32,
    /// Start time.
    pub started_at: DateTime<Utc>,
    /// Time at which it was finished, rejected or undone.
    pub ended_at: Option<DateTime<Utc>>,
    /// Changes so far, with at most [`ImportReport::KEPT`] rejections and as many notes.
    pub report: ImportReport,
    /// Why the file was rejected.
    pub refusal: Option<String>,
    /// Who cancelled it, if anyone.
    pub cancelled_by: Option<Canceller>,
    /// Result of undoing it so far.
    pub undone: Undone,
}

/// Format of recordings that do not state their start.
pub const RECORDING_FORMAT: &str = "hypnogram";

impl Import {
    /// Creates an import of which nothing was read yet. One of the command line runs at once; an upload
    /// receives its parts first.
    pub fn new(
        id: ImportId,
        origin: ImportOrigin,
        file_name: FileName,
        zone: TimeZone,
        started_at: DateTime<Utc>,
    ) -> Self {
        let state = match origin {
            ImportOrigin::Command => ImportState::Running,
            ImportOrigin::Upload => ImportState::Receiving,
        };
        Self {
            id,
            user_id: None,
            origin,
            file_name,
            format: None,
            digest: None,
            zone,
            state,
            size: 0,
            recording_start: None,
            overwrite_profile: false,
            bytes_checked: 0,
            bytes_done: 0,
            tries: 0,
            started_at,
            ended_at: None,
            report: ImportReport::default(),
            refusal: None,
            cancelled_by: None,
            undone: Undone::default(),
        }
    }

    /// Returns whether the file was rejected because it is a recording that does not state its start.
    pub fn needs_start(&self) -> bool {
        self.state == ImportState::Rejected
            && self.recording_start.is_none()
            && self.format.as_deref() == Some(RECORDING_FORMAT)
    }

    /// Returns whether it was cancelled before it finished, and its changes are undone.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled_by.is_some() && matches!(self.state, ImportState::Rejected | ImportState::Undone)
    }
}
