//! Cancels an unfinished import.

use super::{Job, UndoImport};
use crate::import::undone::Undone;
use crate::ports::storage::StorageError;
use domain::audit::AuditActor;
use domain::id::ImportId;
use domain::import::{Canceller, ImportState};

/// Result of a cancellation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cancelled {
    /// No server had started to read it: its parts were deleted, and it is rejected.
    BeforeReading,
    /// It stores nothing more, and its changes were undone.
    Undone(Undone),
}

/// Why an import was not cancelled.
#[derive(Debug, thiserror::Error)]
pub enum CancelImportError {
    /// No import has this id.
    #[error("there is no import with this id")]
    Unknown,
    /// It is already finished.
    #[error("the import is done")]
    Done,
    /// Its file was rejected.
    #[error("the import was refused")]
    Refused,
    /// It is being undone, or was undone.
    #[error("the import was undone already")]
    AlreadyUndone,
    /// The store failed; calling it again resumes.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl UndoImport {
    /// Cancels an unfinished import for the operator, and undoes what it stored. Cancellation and the end of
    /// the import exclude each other: a finished import is not undone here, and a cancelled one never
    /// finishes.
    pub async fn cancel(&self, id: ImportId) -> Result<Cancelled, CancelImportError> {
        let mut unit = self.units.begin().await?;
        let became = unit.imports().cancel(id, Canceller::Operator, self.trail.now()).await?;
        if became.is_some() {
            unit.uploads().delete_parts(id).await?;
        }
        let import = unit.imports().find(id).await?;
        if became == Some(ImportState::Undoing)
            && let Some(import) = &import
        {
            unit.audit().append(&self.event(import, AuditActor::Operator)).await?;
        }
        unit.commit().await?;
        let import = import.ok_or(CancelImportError::Unknown)?;
        match (became, import.state) {
            (Some(ImportState::Refused), _) => Ok(Cancelled::BeforeReading),
            (Some(_), _) => {
                let job = Job { id, user_id: import.user_id, by: AuditActor::Operator, is_again: false };
                Ok(Cancelled::Undone(self.revert(job).await?))
            }
            (None, ImportState::Done) => Err(CancelImportError::Done),
            (None, ImportState::Refused) => Err(CancelImportError::Refused),
            (None, ImportState::Undoing | ImportState::Undone) => Err(CancelImportError::AlreadyUndone),
            // The import was inserted or leased between the two statements.
            (None, ImportState::Receiving | ImportState::Waiting | ImportState::Running) => {
                Err(StorageError::Retryable.into())
            }
        }
    }
}
