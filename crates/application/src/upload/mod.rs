//! Export files that people upload: parts arrive, a server reads them, and the person sees what became of them.
//!
//! The parts are kept in the store under the upload's import, so that any replica can read them: whoever takes an
//! upload leases it, and where the lease ends another one begins again. An import that begins again changes nothing
//! that it stored before, and its notes stay under its one id: the end is the same.

mod add_part;
mod begin_upload;
mod discard_upload;
mod find_import;
mod finish_upload;
mod personal_file;
mod process_uploads;
mod refusal_text;

pub use add_part::{AddPart, AddPartError};
pub use begin_upload::{BeginUpload, BeginUploadCommand, BeginUploadError};
pub use discard_upload::{DiscardReason, DiscardUpload};
pub use find_import::FindImport;
pub use finish_upload::{FinishUpload, FinishUploadError, UploadOptions};
pub use process_uploads::{ProcessUploads, ProcessUploadsError, UploadEnd, UploadJob};
pub use refusal_text::WHAT_CAN_BE_UPLOADED;

use crate::ports::storage::{Import, StorageError, UnitOfWork};
use chrono::{DateTime, Utc};
use domain::id::{ImportId, UserId};
use domain::import::{ImportOrigin, ImportState};

/// How many bytes a part has; only the last one has fewer.
pub const PART_BYTES: usize = 1024 * 1024;

/// How much is taken of people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UploadLimits {
    /// The most bytes of one file.
    pub max_bytes: u64,
    /// The most uploads of one person that arrive, wait or are read at a time.
    pub max_open: usize,
    /// The most bytes that the uploads of all people have together in the store. Uploads that arrive at the same moment
    /// do not see each other's latest part, so that it may be passed by one part for each of them.
    pub max_stored_bytes: u64,
}

impl Default for UploadLimits {
    fn default() -> Self {
        Self { max_bytes: 512 * 1024 * 1024, max_open: 3, max_stored_bytes: 16 * 1024 * 1024 * 1024 }
    }
}

/// Which upload of whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UploadKey {
    /// The person.
    pub user_id: UserId,
    /// The upload's import.
    pub id: ImportId,
}

/// Returns an upload of this person in this state, held until the unit of work ends; nothing when there is none.
async fn find_in(
    unit: &mut dyn UnitOfWork,
    key: UploadKey,
    state: ImportState,
) -> Result<Option<Import>, StorageError> {
    let found = unit.imports().find(key.id).await?;
    Ok(found.filter(|import| {
        import.user_id == Some(key.user_id) && import.origin == ImportOrigin::Upload && import.state == state
    }))
}

/// Refuses an upload, whose refusal or canceller is set already, and deletes its parts.
async fn refuse(unit: &mut dyn UnitOfWork, import: Import, at: DateTime<Utc>) -> Result<(), StorageError> {
    let id = import.id;
    let refused = Import { state: ImportState::Refused, ended_at: Some(at), ..import };
    unit.imports().update(&refused).await?;
    unit.uploads().delete_parts(id).await
}

#[cfg(test)]
mod tests;
