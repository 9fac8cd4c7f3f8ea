//! Imports of records from files. Existing records are matched, nothing is stored twice, and whatever is
//! skipped is reported.

mod apply_profile;
mod attempt;
mod batch;
mod batch_result;
mod batch_writer;
mod checking;
mod deferred;
mod import_records;
pub mod ingest;
mod intake_log;
mod known;
mod known_logs;
mod log_match;
mod memory;
mod met_labels;
mod profile;
mod reading;
mod repetition;
mod run;
mod session;
mod session_index;
mod session_order;
mod supplement;
mod undo_import;

pub use crate::model::import_report::{Counts, ImportReport, MAX_LISTED, Note, Rejection, ReportNote};
pub use crate::model::stored_import::{Import, RECORDING_FORMAT};
pub use crate::model::undone::{KeptItem, KeptReason, KeptRecord, UndoCounts, Undone};
pub use import_records::{FileInfo, ImportRecords, ImportRecordsCommand, ImportRecordsError, Imported};
pub use reading::{ImportPass, Progress};
pub use undo_import::{CancelImportError, Cancelled, DiscardReason, UNDOING_IDLE};
pub(crate) use undo_import::{find_upload, reject_upload};

use crate::ports::storage::{ImportReader, ProfileReader, StorageError};
use crate::store::Store;
use domain::id::{ImportId, UserId};
use std::sync::Arc;

/// Maximum number of imports per read.
const PAGE: u32 = 200;

/// Stored imports: what became of them, undoing them, and what they proposed for the profile.
pub struct Imports {
    /// The store.
    pub store: Store,
    /// Reader of imports.
    pub reader: Arc<dyn ImportReader>,
    /// Reader of profiles.
    pub profiles: Arc<dyn ProfileReader>,
}

/// Why an import is not undone, or its proposals are not applied.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The import does not exist or belongs to another user.
    #[error("there is no import with this id")]
    Unknown,
    /// It was already undone, and no record was kept.
    #[error("the import was undone already")]
    AlreadyUndone,
    /// It has not stored anything.
    #[error("the import has stored nothing")]
    NothingStored,
    /// Its notes were deleted, after 30 days.
    #[error("imports can be undone for 30 days only")]
    TooOld,
    /// A user tried to undo the operator's import, which may have stored labels shared by all users.
    #[error("the import added labels to the catalogue; only the operator can undo it")]
    NotOwned,
    /// Its proposals cannot be applied while it is in progress, or after it was rejected or undone.
    #[error("the import is not finished, or was rejected or undone")]
    NotDone,
    /// The store failed. Another call, or a server by itself, resumes an undo.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl Imports {
    /// Returns at most `limit` imports of a user, or of all users, latest start first.
    pub async fn list(&self, user_id: Option<UserId>, limit: usize) -> Result<Vec<Import>, StorageError> {
        let mut found: Vec<Import> = Vec::new();
        while found.len() < limit {
            let after = found.last().map(|import| (import.started_at, import.id));
            let page = self.reader.list_imports(user_id, after, PAGE).await?;
            if page.is_empty() {
                break;
            }
            found.extend(page);
        }
        found.truncate(limit);
        Ok(found)
    }

    /// Returns an import of this user, uploaded or not, with its progress and report; `None` if there is none
    /// or it belongs to another user.
    pub async fn find(&self, user_id: UserId, id: ImportId) -> Result<Option<Import>, StorageError> {
        let found = self.reader.find_import(id).await?;
        Ok(found.filter(|import| import.user_id == Some(user_id)))
    }
}

#[cfg(test)]
mod tests;
