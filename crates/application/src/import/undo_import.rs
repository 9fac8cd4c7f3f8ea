//! Undoes one import.

mod cancelling;
mod profile;
mod reverting;
mod scan;

pub use cancelling::{CancelImportError, Cancelled, DiscardReason};
pub(crate) use cancelling::{find_upload, reject_upload};

use super::{ImportError, Imports};
use crate::model::undone::{UndoCounts, Undone};
use crate::ports::storage::{Import, StorageError, UnitOfWork};
use crate::store::transact;
use chrono::TimeDelta;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{ImportId, UserId};
use domain::import::{ImportOrigin, ImportState};
use reverting::BatchReverter;
use scan::Scan;
use std::ops::ControlFlow;

/// Delay before another server resumes an interrupted undo: longer than any batch takes.
pub const UNDOING_IDLE: TimeDelta = TimeDelta::seconds(15);
/// Number of a user's records per unit of work. Each may be a session of maximum size.
const RECORDS: u32 = 40;
/// Number of labels per unit of work.
const LABELS: u32 = 200;
/// Number of tries per batch after a conflict or a lost connection.
const MAX_TRIES: u32 = 5;

/// Returns whether an import may have stored labels, which uploads never do. The report of an unfinished
/// import may be incomplete.
fn may_have_labels(import: &Import) -> bool {
    let labels = import.report.supplements;
    import.origin == ImportOrigin::Command
        && (labels.new + labels.updated > 0
            || matches!(import.state, ImportState::Running | ImportState::Undoing))
}

/// The import to undo, and the actor.
#[derive(Debug, Clone, Copy)]
struct Job {
    id: ImportId,
    user_id: Option<UserId>,
    by: AuditActor,
    /// Whether records kept by an earlier undo are tried again.
    is_again: bool,
}

impl Imports {
    /// Undoes an import, or resumes an undo; with `of`, for this user and only an import of theirs, otherwise
    /// for the operator. Returns the total result.
    ///
    /// A record that is unchanged since the import is reverted: deleted if the import added it, restored if
    /// the import changed or deleted it. Other records are kept, and listed with the later import that
    /// changed them. A session deleted by the import is restored only together with the deletion of the one
    /// that replaced it. Undoing imports in reverse order restores the original state exactly. Records kept
    /// by an earlier undo are tried again, because the import that changed them may have been undone since.
    ///
    /// The import is `undoing` from the first batch to the last. If it is interrupted, [`Self::resume`]
    /// continues.
    pub async fn undo(&self, id: ImportId, of: Option<UserId>) -> Result<Undone, ImportError> {
        let by = if of.is_some() { AuditActor::Person } else { AuditActor::Operator };
        let job = self.check(id, of, by).await?;
        Ok(self.revert(job).await?)
    }

    /// Resumes an undo that was interrupted at least [`UNDOING_IDLE`] ago; returns the import and the total
    /// result, or `None` if there is none.
    pub async fn resume(&self) -> Result<Option<(ImportId, Undone)>, StorageError> {
        let taken = transact!(self.store, |tx| {
            match tx.imports().take_undoing(UNDOING_IDLE).await? {
                Some(id) => tx.imports().find(id).await,
                None => Ok(None),
            }
        });
        let Some(Import { id, user_id, .. }) = taken.await? else { return Ok(None) };
        let job = Job { id, user_id, by: AuditActor::Server, is_again: false };
        Ok(Some((id, self.revert(job).await?)))
    }

    async fn check(&self, id: ImportId, of: Option<UserId>, by: AuditActor) -> Result<Job, ImportError> {
        let import = self.reader.find_import(id).await?;
        let import = import.filter(|import| of.is_none_or(|user_id| import.user_id == Some(user_id)));
        let Some(import) = import else { return Err(ImportError::Unknown) };
        if of.is_some() && may_have_labels(&import) {
            return Err(ImportError::NotOwned);
        }
        let is_known = import.report.profile.applied() > 0 || self.reader.has_notes(id).await?;
        let job = Job { id, user_id: import.user_id, by, is_again: import.state == ImportState::Undone };
        match import.state {
            ImportState::Undone if import.undone.counts.kept == 0 => Err(ImportError::AlreadyUndone),
            ImportState::Undone if !is_known => Err(ImportError::TooOld),
            ImportState::Receiving | ImportState::Waiting => Err(ImportError::NothingStored),
            // A rejected import may have stored records before.
            ImportState::Rejected if !is_known && !import.report.changed_anything() => {
                Err(ImportError::NothingStored)
            }
            ImportState::Running | ImportState::Done | ImportState::Rejected
                if !is_known && import.report.changed_anything() =>
            {
                Err(ImportError::TooOld)
            }
            ImportState::Running
            | ImportState::Done
            | ImportState::Rejected
            | ImportState::Undoing
            | ImportState::Undone => Ok(job),
        }
    }

    async fn revert(&self, job: Job) -> Result<Undone, StorageError> {
        let mut scan = Scan::default();
        loop {
            if let Some(undone) = self.retry(job, &mut scan).await? {
                return Ok(undone);
            }
        }
    }

    /// Reverts one batch, with retries; returns the result once nothing is left.
    async fn retry(&self, job: Job, scan: &mut Scan) -> Result<Option<Undone>, StorageError> {
        let mut tries = 1;
        loop {
            match self.batch(job, scan).await {
                // Whether or not the failed try was committed, the next one continues with what is left.
                Err(
                    StorageError::Retryable
                    | StorageError::Conflict(_)
                    | StorageError::Unavailable
                    | StorageError::Disk(_),
                ) if tries < MAX_TRIES => {
                    tries += 1;
                }
                outcome => return outcome,
            }
        }
    }

    async fn batch(&self, job: Job, scan: &mut Scan) -> Result<Option<Undone>, StorageError> {
        let so_far = &*scan;
        let batch = transact!(self.store, |tx| {
            if let Some(user_id) = job.user_id {
                tx.users().find(user_id).await?;
            }
            // Locked until the transaction ends: a concurrent undo continues after this batch.
            let import = match tx.imports().find(job.id).await? {
                Some(import) if import.state != ImportState::Undone || job.is_again && so_far.is_new() => {
                    import
                }
                ended => {
                    return Ok(ControlFlow::Break(ended.map(|import| import.undone).unwrap_or_default()));
                }
            };
            let mut import = self.mark(tx, job, import).await?;
            let most = if job.user_id.is_some() { RECORDS } else { LABELS };
            let noted = tx.import_journal().list_entries(job.id, so_far.after(), most).await?;
            if noted.is_empty() {
                return Ok(ControlFlow::Break(self.end(tx, import, so_far.clone()).await?));
            }
            let batch = BatchReverter::new(tx, job.user_id, self.store.now());
            let reverted = batch.run(&noted, so_far).await?;
            tx.import_journal().forget(job.id, &reverted.settled).await?;
            let UndoCounts { removed, restored, kept: _ } = &mut import.undone.counts;
            *removed = removed.saturating_add(reverted.removed);
            *restored = restored.saturating_add(reverted.restored);
            tx.imports().update(&import).await?;
            Ok::<_, StorageError>(ControlFlow::Continue((noted, reverted.kept)))
        });
        Ok(match batch.await? {
            ControlFlow::Break(undone) => Some(undone),
            ControlFlow::Continue((noted, kept)) => {
                scan.advance(&noted, kept);
                None
            }
        })
    }

    /// Marks the import as `undoing`, so that nothing more is stored for it.
    async fn mark(&self, tx: &mut dyn UnitOfWork, job: Job, import: Import) -> Result<Import, StorageError> {
        if import.state == ImportState::Undoing {
            return Ok(import);
        }
        tx.record(self.undo_event(&import, job.by)).await?;
        tx.uploads().delete_parts(job.id).await?;
        Ok(Import { state: ImportState::Undoing, ended_at: Some(self.store.now()), ..import })
    }

    /// Returns the event of an undo that starts.
    fn undo_event(&self, import: &Import, by: AuditActor) -> AuditEvent {
        let event = self.store.event(by, AuditKind::ImportUndone).subject(import.id.as_uuid());
        AuditEvent { user_id: import.user_id, ..event }
    }

    /// Reverts the profile, which is last, and marks the import as undone.
    async fn end(
        &self,
        tx: &mut dyn UnitOfWork,
        mut import: Import,
        mut scan: Scan,
    ) -> Result<Undone, StorageError> {
        let restored = profile::revert(tx, &mut import, &mut scan, self.store.now()).await?;
        let UndoCounts { removed, restored: before, .. } = import.undone.counts;
        let (kept_count, kept) = scan.into_kept();
        let counts = UndoCounts { removed, restored: before.saturating_add(restored), kept: kept_count };
        let undone = Undone { counts, kept };
        let (state, ended_at) = (ImportState::Undone, Some(self.store.now()));
        tx.imports().update(&Import { state, ended_at, undone: undone.clone(), ..import }).await?;
        Ok(undone)
    }
}
