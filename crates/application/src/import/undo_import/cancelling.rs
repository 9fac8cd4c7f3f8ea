//! Stops an import that is not finished.

use super::{UndoImport, Undone};
use crate::ports::storage::{Import, StorageError};
use domain::audit::AuditActor;
use domain::id::ImportId;
use domain::import::ImportState;

/// What is kept, and read by the person, of an import that whoever runs the server stopped.
pub(crate) const BY_OPERATOR: &str = "whoever runs this server cancelled the upload";
/// What is of an upload that the person stopped.
pub(crate) const BY_PERSON: &str = "you cancelled the upload";

/// Returns whether somebody stopped an import before it was finished, and nothing of it is left to take back.
pub fn is_cancelled(import: &Import) -> bool {
    matches!(import.state, ImportState::Refused | ImportState::Undone)
        && import.refusal.as_deref().is_some_and(|reason| [BY_OPERATOR, BY_PERSON].contains(&reason))
}

/// What became of an import that was not finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cancelled {
    /// Nobody had begun to read it: its parts are deleted, and it is refused.
    BeforeItBegan,
    /// It stores nothing more, and what it had stored is taken back.
    TakenBack(Undone),
}

/// Why nothing was stopped.
#[derive(Debug, thiserror::Error)]
pub enum CancelImportError {
    /// There is no such import.
    #[error("there is no import with this id")]
    Unknown,
    /// It was at its end already, or came to it first.
    #[error("the import is done")]
    Done,
    /// Its file was refused.
    #[error("the import was refused")]
    Refused,
    /// It is taken back, or about to be.
    #[error("the import was undone already")]
    AlreadyUndone,
    /// The store failed; calling it again goes on.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl UndoImport {
    /// Stops an import that is not finished, and takes back what it stored. Of this and an import that just comes to its end
    /// one wins: an import that is done is never taken back here, and one that is stopped never becomes done.
    pub async fn cancel(&self, id: ImportId) -> Result<Cancelled, CancelImportError> {
        let mut unit = self.units.begin().await?;
        let became = unit.imports().cancel(id, BY_OPERATOR, self.clock.now()).await?;
        if became.is_some() {
            unit.imports().delete_parts(id).await?;
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
                Ok(Cancelled::TakenBack(self.take_back(id, import.user_id, AuditActor::Operator).await?))
            }
            (None, ImportState::Done) => Err(CancelImportError::Done),
            (None, ImportState::Refused) => Err(CancelImportError::Refused),
            (None, ImportState::Undoing | ImportState::Undone) => Err(CancelImportError::AlreadyUndone),
            // It began between the two statements.
            (None, ImportState::Receiving | ImportState::Waiting | ImportState::Running) => {
                Err(StorageError::Retryable.into())
            }
        }
    }
}
