//! Undoes one import.

mod cancelling;
mod profile;
mod reverting;
mod scan;

pub use cancelling::{CancelImportError, Cancelled};

use super::undone::{UndoCounts, Undone};
use crate::audit;
use crate::ports::storage::{Import, ImportReader, StorageError, UnitOfWork};
use chrono::TimeDelta;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{ImportId, UserId};
use domain::import::{ImportOrigin, ImportState};
use reverting::BatchReverter;
use scan::Scan;
use std::sync::Arc;

/// Delay before another server resumes an interrupted undo: longer than any batch takes.
pub const UNDOING_IDLE: TimeDelta = TimeDelta::seconds(15);
/// Number of a user's records per unit of work. Each may be a session of maximum size.
const RECORDS: u32 = 40;
/// Number of labels per unit of work.
const LABELS: u32 = 200;
/// Number of tries per batch after a conflict or a lost connection.
const MAX_TRIES: u32 = 5;

/// Why an import was not undone.
#[derive(Debug, thiserror::Error)]
pub enum UndoImportError {
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
    /// The store failed. Another call, or a server by itself, resumes the undo.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Returns whether an import may have stored labels, which uploads never do. The report of an unfinished
/// import may be incomplete.
fn may_have_labels(import: &Import) -> bool {
    let labels = import.report.supplements;
    import.origin == ImportOrigin::Command
        && (labels.new + labels.updated > 0
            || matches!(import.state, ImportState::Running | ImportState::Undoing))
}

audit::use_case! {
    /// Undoes imports.
    ///
    /// A record that is unchanged since the import is reverted: deleted if the import added it, restored if
    /// the import changed or deleted it. Other records are kept, and listed with the later import that
    /// changed them. A session deleted by the import is restored only together with the deletion of the one
    /// that replaced it. Undoing imports in reverse order restores the original state exactly.
    ///
    /// The import is `undoing` from the first batch to the last. If it is interrupted, [`Self::resume`]
    /// continues.
    UndoImport { imports: Arc<dyn ImportReader> }
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

impl UndoImport {
    /// Undoes an import, or resumes an undo; with `of`, only an import of this user. Records kept by an
    /// earlier undo are tried again, because the import that changed them may have been undone since. Returns
    /// the total result.
    pub async fn run(&self, id: ImportId, of: Option<UserId>) -> Result<Undone, UndoImportError> {
        let by = if of.is_some() { AuditActor::Person } else { AuditActor::Operator };
        let job = self.check(id, of, by).await?;
        Ok(self.revert(job).await?)
    }

    /// Resumes an undo that was interrupted at least [`UNDOING_IDLE`] ago; returns the import and the total
    /// result, or `None` if there is none.
    pub async fn resume(&self) -> Result<Option<(ImportId, Undone)>, StorageError> {
        let mut unit = self.units.begin().await?;
        let taken = unit.imports().take_undoing(UNDOING_IDLE).await?;
        let import = match taken {
            Some(id) => unit.imports().find(id).await?,
            None => None,
        };
        unit.commit().await?;
        let Some(Import { id, user_id, .. }) = import else { return Ok(None) };
        let job = Job { id, user_id, by: AuditActor::Server, is_again: false };
        Ok(Some((id, self.revert(job).await?)))
    }

    async fn check(&self, id: ImportId, of: Option<UserId>, by: AuditActor) -> Result<Job, UndoImportError> {
        let import = self.imports.find_import(id).await?;
        let import = import.filter(|import| of.is_none_or(|user_id| import.user_id == Some(user_id)));
        let Some(import) = import else { return Err(UndoImportError::Unknown) };
        if of.is_some() && may_have_labels(&import) {
            return Err(UndoImportError::NotOwned);
        }
        let is_known = import.report.profile.applied() > 0 || self.imports.has_notes(id).await?;
        let job = Job { id, user_id: import.user_id, by, is_again: import.state == ImportState::Undone };
        match import.state {
            ImportState::Undone if import.undone.counts.kept == 0 => Err(UndoImportError::AlreadyUndone),
            ImportState::Undone if !is_known => Err(UndoImportError::TooOld),
            ImportState::Receiving | ImportState::Waiting => Err(UndoImportError::NothingStored),
            // A rejected import may have stored records before.
            ImportState::Refused if !is_known && !import.report.changed_anything() => {
                Err(UndoImportError::NothingStored)
            }
            ImportState::Running | ImportState::Done | ImportState::Refused
                if !is_known && import.report.changed_anything() =>
            {
                Err(UndoImportError::TooOld)
            }
            ImportState::Running
            | ImportState::Done
            | ImportState::Refused
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
        let mut unit = self.units.begin().await?;
        if let Some(user_id) = job.user_id {
            unit.users().find(user_id).await?;
        }
        // Locked until the unit of work ends: a concurrent undo continues after this batch.
        let import = match unit.imports().find(job.id).await? {
            Some(import) if import.state != ImportState::Undone || job.is_again && scan.is_new() => import,
            ended => {
                unit.rollback().await?;
                return Ok(Some(ended.map(|import| import.undone).unwrap_or_default()));
            }
        };
        let mut import = self.mark(unit.as_mut(), job, import).await?;
        let most = if job.user_id.is_some() { RECORDS } else { LABELS };
        let noted = unit.import_journal().list_entries(job.id, scan.after(), most).await?;
        if noted.is_empty() {
            let undone = self.finish(unit.as_mut(), import, scan.clone()).await?;
            unit.commit().await?;
            return Ok(Some(undone));
        }
        let batch = BatchReverter::new(unit.as_mut(), job.user_id, self.trail.now());
        let reverted = batch.run(&noted, scan).await?;
        unit.import_journal().forget(job.id, &reverted.settled).await?;
        let UndoCounts { removed, restored, kept: _ } = &mut import.undone.counts;
        *removed = removed.saturating_add(reverted.removed);
        *restored = restored.saturating_add(reverted.restored);
        unit.imports().update(&import).await?;
        unit.commit().await?;
        scan.advance(&noted, reverted.kept);
        Ok(None)
    }

    /// Marks the import as `undoing`, so that nothing more is stored for it.
    async fn mark(
        &self,
        unit: &mut dyn UnitOfWork,
        job: Job,
        import: Import,
    ) -> Result<Import, StorageError> {
        if import.state == ImportState::Undoing {
            return Ok(import);
        }
        unit.audit().append(&self.event(&import, job.by)).await?;
        unit.uploads().delete_parts(job.id).await?;
        Ok(Import { state: ImportState::Undoing, ended_at: Some(self.trail.now()), ..import })
    }

    /// Returns the event of an undo that starts.
    fn event(&self, import: &Import, by: AuditActor) -> AuditEvent {
        let event = self.trail.event(by, AuditKind::ImportUndone).subject(import.id.as_uuid());
        AuditEvent { user_id: import.user_id, ..event }
    }

    /// Reverts the profile, which is last, and marks the import as undone.
    async fn finish(
        &self,
        unit: &mut dyn UnitOfWork,
        mut import: Import,
        mut scan: Scan,
    ) -> Result<Undone, StorageError> {
        let restored = profile::revert(unit, &mut import, &mut scan, self.trail.now()).await?;
        let UndoCounts { removed, restored: before, .. } = import.undone.counts;
        let (kept_count, kept) = scan.into_kept();
        let counts = UndoCounts { removed, restored: before.saturating_add(restored), kept: kept_count };
        let undone = Undone { counts, kept };
        let (state, ended_at) = (ImportState::Undone, Some(self.trail.now()));
        unit.imports().update(&Import { state, ended_at, undone: undone.clone(), ..import }).await?;
        Ok(undone)
    }
}
