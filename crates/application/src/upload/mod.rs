//! Uploads of export files: parts are stored, a server processes them, and the user sees the result.
//!
//! The parts are stored under the upload's import, so that any replica can read them. A replica leases an
//! upload; when the lease expires, another one starts over. A repeated import changes nothing that was stored
//! before and keeps its id, so the result is the same.

mod add_part;
mod begin_upload;
mod discard_upload;
mod find_import;
mod finish_upload;
mod format;
mod personal_file;
mod process_uploads;
mod refusal_text;

pub use add_part::{AddPart, AddPartError};
pub use begin_upload::{BeginUpload, BeginUploadCommand, BeginUploadError};
pub use discard_upload::{DiscardReason, DiscardUpload};
pub use find_import::FindImport;
pub use finish_upload::{FinishUpload, FinishUploadError, UploadOptions};
pub use format::UploadFormat;
pub use process_uploads::{ProcessUploads, ProcessUploadsError, UploadEnd, UploadJob};

use crate::ports::storage::{Import, StorageError, UnitOfWork};
use chrono::{DateTime, Utc};
use domain::id::{ImportId, UserId};
use domain::import::{ImportOrigin, ImportState};

/// Size of a part; only the last one may be smaller.
pub const PART_BYTES: usize = 1024 * 1024;

/// Limits on uploads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UploadLimits {
    /// Maximum size of a file in bytes.
    pub max_bytes: u64,
    /// Maximum number of open uploads per user: those that arrive, wait or are read.
    pub max_open: usize,
    /// Maximum total size of stored uploads of all users. Concurrent uploads do not see each other's latest
    /// part, so each can exceed the limit by one part.
    pub max_stored_bytes: u64,
}

impl Default for UploadLimits {
    fn default() -> Self {
        Self { max_bytes: 512 * 1024 * 1024, max_open: 3, max_stored_bytes: 16 * 1024 * 1024 * 1024 }
    }
}

/// Id of an upload and its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UploadKey {
    /// Owner's id.
    pub user_id: UserId,
    /// Id of the upload's import.
    pub id: ImportId,
}

/// Returns an upload of this user in this state, locked until the unit of work ends; `None` if there is none.
/// Locks the user before the upload, as everywhere.
async fn find_in(
    unit: &mut dyn UnitOfWork,
    key: UploadKey,
    state: ImportState,
) -> Result<Option<Import>, StorageError> {
    unit.users().find(key.user_id).await?;
    let found = unit.imports().find(key.id).await?;
    Ok(found.filter(|import| {
        import.user_id == Some(key.user_id) && import.origin == ImportOrigin::Upload && import.state == state
    }))
}

/// Rejects an upload whose refusal or canceller is already set, and deletes its parts.
async fn refuse(unit: &mut dyn UnitOfWork, import: Import, at: DateTime<Utc>) -> Result<(), StorageError> {
    let id = import.id;
    let refused = Import { state: ImportState::Refused, ended_at: Some(at), ..import };
    unit.imports().update(&refused).await?;
    unit.uploads().delete_parts(id).await
}

#[cfg(test)]
mod tests;
