//! Starts an upload.

use super::UploadLimits;
use crate::audit;
use crate::ports::storage::{Import, StorageError};
use domain::audit::{AuditActor, AuditKind};
use domain::id::{ImportId, UserId};
use domain::import::{FileName, ImportOrigin};

/// Number of the user's latest imports that are searched for open ones.
const SEARCHED_IMPORTS: u32 = 200;

/// Input of [`BeginUpload`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BeginUploadCommand {
    /// Owner's id.
    pub user_id: UserId,
    /// Name of the file.
    pub file_name: FileName,
}

/// Why no upload was started.
#[derive(Debug, thiserror::Error)]
pub enum BeginUploadError {
    /// The user's limit of open uploads is reached.
    #[error("too many unfinished uploads")]
    TooManyOpen,
    /// The uploads of all users reach the storage limit.
    #[error("there is no space for more uploads")]
    NoRoom,
    /// The user no longer exists.
    #[error("there is no user with this id")]
    UnknownUser,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

audit::use_case! {
    /// Starts uploads.
    BeginUpload { limits: UploadLimits }
}

impl BeginUpload {
    /// Starts an upload in the user's time zone, and returns its id.
    pub async fn run(&self, command: BeginUploadCommand) -> Result<ImportId, BeginUploadError> {
        let BeginUploadCommand { user_id, file_name } = command;
        let mut unit = self.units.begin().await?;
        // Locked until the end, so that concurrent uploads of a user are counted one after the other.
        let Some(user) = unit.users().find(user_id).await? else {
            return unit.refuse(BeginUploadError::UnknownUser).await;
        };
        let latest = unit.imports().list(Some(user_id), None, SEARCHED_IMPORTS).await?;
        if latest.iter().filter(|import| is_open(import)).count() >= self.limits.max_open {
            return unit.refuse(BeginUploadError::TooManyOpen).await;
        }
        if unit.uploads().stored_bytes().await? >= self.limits.max_stored_bytes {
            return unit.refuse(BeginUploadError::NoRoom).await;
        }
        let id = ImportId::from_uuid(self.trail.entropy.uuid());
        let zone = user.home_timezone;
        let import = Import::new(id, ImportOrigin::Upload, file_name, zone, self.trail.now());
        let import = Import { user_id: Some(user_id), ..import };
        unit.imports().insert(&import).await?;
        let event = self.trail.event(AuditActor::Person, AuditKind::ImportStarted).user(user_id);
        audit::commit(unit, &[event.subject(id.as_uuid())]).await?;
        Ok(id)
    }
}

fn is_open(import: &Import) -> bool {
    import.origin == ImportOrigin::Upload && import.state.is_open()
}
