//! Cancels an import that is not finished.

use super::{Job, UndoImport};
use crate::import::undone::Undone;
use crate::ports::storage::StorageError;
use domain::audit::AuditActor;
use domain::id::ImportId;
use domain::import::{Canceller, ImportState};

/// What became of an import that was not finished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cancelled {
    /// No server had begun to read it: its parts are deleted, and it is refused.
    BeforeItBegan,
    /// It stores nothing more, and what it had stored was undone.
    TakenBack(Undone),
}

/// Why nothing was cancelled.
#[derive(Debug, thiserror::Error)]
pub enum CancelImportError {
    /// There is no such import.
    #[error("there is no import with this id")]
    Unknown,
    /// It was done, or finished first.
    #[error("the import is done")]
    Done,
    /// Its file was refused.
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
    /// Cancels an unfinished import for the operator, and undoes what it stored. Either this wins or the end of the import:
    /// one that is done is never undone here, and one that is cancelled never becomes done.
    pub async fn cancel(&self, id: ImportId) -> Result<Cancelled, CancelImportError> {
        let mut unit = self.units.begin().await?;
        let became = unit.imports().cancel(id, Canceller::Operator, self.clock.now()).await?;
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
            (Some(ImportState::Refused), _) => Ok(Cancelled::BeforeItBegan),
            (Some(_), _) => {
                let job = Job { id, user_id: import.user_id, by: AuditActor::Operator, is_again: false };
                Ok(Cancelled::TakenBack(self.take_back(job).await?))
            }
            (None, ImportState::Done) => Err(CancelImportError::Done),
            (None, ImportState::Refused) => Err(CancelImportError::Refused),
            (None, ImportState::Undoing | ImportState::Undone) => Err(CancelImportError::AlreadyUndone),
            // It was inserted or leased between the two statements.
            (None, ImportState::Receiving | ImportState::Waiting | ImportState::Running) => {
                Err(StorageError::Retryable.into())
            }
        }
    }
}
