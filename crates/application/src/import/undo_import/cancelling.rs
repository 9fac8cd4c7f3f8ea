//! Cancels an unfinished import, and discards an upload that no server has started to read.

use super::Job;
use crate::import::Imports;
use crate::model::undone::Undone;
use crate::ports::storage::{Import, StorageError, UnitOfWork};
use crate::store::transact;
use chrono::{DateTime, Utc};
use domain::audit::AuditActor;
use domain::id::{ImportId, UserId};
use domain::import::{Canceller, ImportOrigin, ImportState};

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
    Rejected,
    /// It is being undone, or was undone.
    #[error("the import was undone already")]
    AlreadyUndone,
    /// The store failed; calling it again resumes.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Why an upload is discarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscardReason {
    /// The browser stopped sending.
    Interrupted,
    /// A user or the operator cancelled it.
    Cancelled(Canceller),
}

impl DiscardReason {
    /// Sets the reason on an import.
    fn apply(self, import: Import) -> Import {
        match self {
            Self::Interrupted => {
                let reason = "the upload was interrupted before the file was complete";
                Import { refusal: Some(reason.to_owned()), ..import }
            }
            Self::Cancelled(by) => Import { cancelled_by: Some(by), ..import },
        }
    }
}

impl Imports {
    /// Deletes the parts of an upload that is arriving or waiting; returns whether there was one.
    pub async fn discard(
        &self,
        user_id: UserId,
        id: ImportId,
        reason: DiscardReason,
    ) -> Result<bool, StorageError> {
        transact!(self.store, |tx| {
            let states = [ImportState::Receiving, ImportState::Waiting];
            let found = find_upload(tx, user_id, id, &states).await?;
            let Some(import) = found else { return Ok(false) };
            reject_upload(tx, reason.apply(import), self.store.now()).await?;
            Ok(true)
        })
        .await
    }

    /// Cancels an unfinished import for the operator, and undoes what it stored. Cancellation and the end of
    /// the import exclude each other: a finished import is not undone here, and a cancelled one never
    /// finishes.
    pub async fn cancel(&self, id: ImportId) -> Result<Cancelled, CancelImportError> {
        let cancelled = transact!(self.store, |tx| {
            let became = tx.imports().cancel(id, Canceller::Operator, self.store.now()).await?;
            if became.is_some() {
                tx.uploads().delete_parts(id).await?;
            }
            let found = tx.imports().find(id).await?;
            let Some(import) = found else { return Err(CancelImportError::Unknown) };
            if became == Some(ImportState::Undoing) {
                tx.record(self.undo_event(&import, AuditActor::Operator)).await?;
            }
            Ok((became, import))
        });
        let (became, import) = cancelled.await?;
        match (became, import.state) {
            (Some(ImportState::Rejected), _) => Ok(Cancelled::BeforeReading),
            (Some(_), _) => {
                let job = Job { id, user_id: import.user_id, by: AuditActor::Operator, is_again: false };
                Ok(Cancelled::Undone(self.revert(job).await?))
            }
            (None, ImportState::Done) => Err(CancelImportError::Done),
            (None, ImportState::Rejected) => Err(CancelImportError::Rejected),
            (None, ImportState::Undoing | ImportState::Undone) => Err(CancelImportError::AlreadyUndone),
            // The import was inserted or leased between the two statements.
            (None, ImportState::Receiving | ImportState::Waiting | ImportState::Running) => {
                Err(StorageError::Retryable.into())
            }
        }
    }
}

/// Returns an upload of this user in one of these states, locked until the transaction ends; `None` if there
/// is none. Locks the user before the upload, as everywhere.
pub(crate) async fn find_upload(
    tx: &mut dyn UnitOfWork,
    user_id: UserId,
    id: ImportId,
    states: &[ImportState],
) -> Result<Option<Import>, StorageError> {
    tx.users().find(user_id).await?;
    let found = tx.imports().find(id).await?;
    Ok(found.filter(|import| {
        import.user_id == Some(user_id)
            && import.origin == ImportOrigin::Upload
            && states.contains(&import.state)
    }))
}

/// Rejects an upload whose refusal or canceller is already set, and deletes its parts.
pub(crate) async fn reject_upload(
    tx: &mut dyn UnitOfWork,
    import: Import,
    at: DateTime<Utc>,
) -> Result<(), StorageError> {
    let id = import.id;
    let rejected = Import { state: ImportState::Rejected, ended_at: Some(at), ..import };
    tx.imports().update(&rejected).await?;
    tx.uploads().delete_parts(id).await
}
