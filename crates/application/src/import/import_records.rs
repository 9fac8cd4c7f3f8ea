//! Imports a file: checks it completely, then stores it in batches.

use super::batch::Batch;
use super::batch_writer::{BatchWriter, StopReason};
use super::checking;
use super::reading::{ImportPass, Progress, stop_on_break};
use super::run::Run;
use crate::model::import_report::{ImportReport, Note};
use crate::ports::import_source::{ImportFile, ImportRefusal};
use crate::ports::storage::{Import, StorageError, UnitOfWork};
use crate::ports::system::Pause;
use crate::retry::Tries;
use crate::store::{Store, transact};
use chrono::TimeDelta;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{ImportId, UserId};
use domain::import::{FileDigest, FileName, ImportOrigin, ImportState};
use domain::time::TimeZone;
use std::sync::Arc;

/// Age up to which an interrupted import can be resumed: one day less than its notes are kept, so that none
/// are deleted while it continues.
const RESUMABLE: TimeDelta = TimeDelta::days(29);

/// Number of intake logs after which a dry run stops, at the end of a batch: it remembers those that it would
/// store, so many in 38 MB.
const DRY_RUN_LOGS: usize = 100_000;

/// Note on a file without records.
const NOTHING_NOTE: &str = "it contains no record that can be imported";

/// Input of an import.
#[derive(Debug, Clone)]
pub struct ImportRecordsCommand {
    /// The user; `None` only for a supplement catalogue.
    pub user_id: Option<UserId>,
    /// Whether to report the changes without storing them.
    pub dry_run: bool,
    /// Whether profile fields that differ from the file are overwritten.
    pub overwrite_profile: bool,
    /// Information about the file.
    pub about: FileInfo,
}

/// Information about the file of an import.
#[derive(Debug, Clone)]
pub enum FileInfo {
    /// A file of the command line.
    File {
        /// Name of the file.
        name: FileName,
        /// Zone of local times without an offset.
        zone: TimeZone,
    },
    /// An upload, which has an import already.
    Upload(ImportId),
}

/// Errors of an import.
#[derive(Debug, thiserror::Error)]
pub enum ImportRecordsError {
    /// The file was rejected; nothing of it was stored.
    #[error(transparent)]
    Rejected(#[from] ImportRefusal),
    /// The user does not exist, or was erased during the import with everything stored.
    #[error("there is no user with this id")]
    UnknownUser,
    /// The import was undone while it ran; nothing of it is kept.
    #[error("the import was undone while it ran")]
    Undone,
    /// The store failed; stored records are kept, and importing the file again resumes.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl From<StopReason> for ImportRecordsError {
    fn from(stop: StopReason) -> Self {
        match stop {
            StopReason::Storage(error) => Self::Storage(error),
            StopReason::Undone => Self::Undone,
            StopReason::UnknownUser => Self::UnknownUser,
        }
    }
}

/// A finished import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// Id for undoing it; `None` for a dry run.
    pub id: Option<ImportId>,
    /// Changes made, or that would be made.
    pub report: ImportReport,
    /// Whether a dry run stopped after 100,000 intake logs: the report is about the part that was read.
    pub is_partial: bool,
}

/// Imports files.
pub struct ImportRecords {
    /// The store.
    pub store: Store,
    /// Waits for an unreachable store for half a minute; if `None`, the import fails and the caller retries.
    pub pause: Option<Arc<dyn Pause>>,
}

impl ImportRecords {
    /// Imports a file.
    ///
    /// The file is read twice: a truncated file must not be stored partially, and one transaction over the
    /// whole file would block all other writers. In the second pass a separate thread reads the next batches
    /// while one is stored. For a large file it starts during the first pass, and another thread computes the
    /// hash. Reading, and waiting for these threads, blocks the caller's thread. If `progress` breaks, the
    /// import fails with [`ImportRefusal::Stopped`], and all threads stop.
    pub async fn run(
        &self,
        command: &ImportRecordsCommand,
        file: &dyn ImportFile,
        progress: Progress<'_>,
    ) -> Result<Imported, ImportRecordsError> {
        let is_known_by_digest = !command.dry_run && matches!(command.about, FileInfo::File { .. });
        let checked = checking::check(file, is_known_by_digest, progress)?;
        let reading = checked.reading;
        let (id, earlier) = self.begin(command, file, checked.digest).await?.unzip();
        let storing = self.storing(id);
        let mut run = Run {
            is_dry: command.dry_run,
            overwrite_profile: command.overwrite_profile,
            ..Run::new(command.user_id, &self.store).of_file(earlier.unwrap_or_default())
        };
        let report = |bytes| progress(ImportPass::Storing, bytes);
        let (mut is_empty, mut is_partial) = (true, false);
        while let Some((items, bytes_read)) = reading.next_batch(&report)? {
            is_partial = run.unstored_logs.len() >= DRY_RUN_LOGS;
            if is_partial {
                break;
            }
            let records = items.len();
            is_empty &= records == 0;
            // Committed together with the batch.
            run.bytes_done = bytes_read;
            storing.store(&mut run, Batch::sort(items, command.user_id.is_some())).await?;
            storing.review_deferred(&mut run, records).await?;
            stop_on_break(report(bytes_read))?;
        }
        storing.store_deferred(&mut run).await?;
        if is_empty {
            let (place, reason) = ("the file".to_owned(), NOTHING_NOTE.to_owned());
            run.report.note(Note { place, reason, amount: None });
        }
        if let Some(id) = id {
            self.end(id, &run).await?;
        }
        Ok(Imported { id, report: run.whole(), is_partial })
    }

    fn storing(&self, import: Option<ImportId>) -> BatchWriter<'_> {
        BatchWriter { store: &self.store, import, pause: self.pause.as_deref(), backend: None }
    }

    /// Checks the user, and starts or resumes an import; returns what was stored before. A dry run creates
    /// none. Tries again if the store aborts it: the database may still run a statement of a killed import,
    /// whose transaction holds the lock of the user.
    async fn begin(
        &self,
        command: &ImportRecordsCommand,
        file: &dyn ImportFile,
        digest: Option<FileDigest>,
    ) -> Result<Option<(ImportId, ImportReport)>, ImportRecordsError> {
        let mut tries = Tries::new(None);
        loop {
            match self.try_to_begin(command, file, digest).await {
                Err(ImportRecordsError::Storage(error)) if tries.again(&error).await => {}
                outcome => return outcome,
            }
        }
    }

    async fn try_to_begin(
        &self,
        command: &ImportRecordsCommand,
        file: &dyn ImportFile,
        digest: Option<FileDigest>,
    ) -> Result<Option<(ImportId, ImportReport)>, ImportRecordsError> {
        let unit = self.storing(None).begin().await?;
        transact!(in unit, |tx| {
            if let Some(user_id) = command.user_id {
                tx.users().find(user_id).await?.ok_or(ImportRecordsError::UnknownUser)?;
            }
            if command.dry_run {
                return Ok(None);
            }
            let opened_import = match &command.about {
                FileInfo::File { name, zone } => {
                    let id = ImportId::from_uuid(self.store.entropy().uuid());
                    let import = Import {
                        user_id: command.user_id,
                        format: Some(file.formats().join(", ")),
                        digest,
                        size: file.size().unwrap_or_default(),
                        ..Import::new(id, ImportOrigin::Command, name.clone(), *zone, self.store.now())
                    };
                    self.begin_file(tx, import).await?
                }
                // Its event was recorded when the upload started.
                FileInfo::Upload(id) => begin_upload(tx, *id, file).await?,
            };
            Ok(Some(opened_import))
        })
        .await
    }

    /// Resumes an interrupted import of the same file, or starts this one.
    async fn begin_file(
        &self,
        tx: &mut dyn UnitOfWork,
        import: Import,
    ) -> Result<(ImportId, ImportReport), StorageError> {
        let user_id = import.user_id;
        let since = self.store.now() - RESUMABLE;
        let interrupted = match &import.digest {
            Some(digest) => tx.imports().find_interrupted(user_id, digest, since).await?,
            None => None,
        };
        if interrupted.is_none() {
            tx.imports().insert(&import).await?;
        }
        let Import { id, report, .. } = interrupted.unwrap_or(import);
        let event = self.store.event(AuditActor::Operator, AuditKind::ImportStarted).subject(id.as_uuid());
        tx.record(AuditEvent { user_id, ..event }).await?;
        Ok((id, report))
    }

    /// Completes an import. Tries again if the store aborts it, as at the start.
    async fn end(&self, id: ImportId, run: &Run<'_>) -> Result<(), ImportRecordsError> {
        let mut tries = Tries::new(None);
        loop {
            match self.try_to_end(id, run).await {
                Err(ImportRecordsError::Storage(error)) if tries.again(&error).await => {}
                outcome => return outcome,
            }
        }
    }

    async fn try_to_end(&self, id: ImportId, run: &Run<'_>) -> Result<(), ImportRecordsError> {
        let unit = self.storing(None).begin().await?;
        transact!(in unit, |tx| {
            // Locks the user before the import, as everywhere.
            if let Some(user_id) = run.user_id {
                tx.users().find(user_id).await?.ok_or(ImportRecordsError::UnknownUser)?;
            }
            let import = match tx.imports().find(id).await? {
                Some(import) if import.state == ImportState::Running => import,
                // Finished by a concurrent import of the same file.
                Some(import) if import.state == ImportState::Done => return Ok(()),
                _ => return Err(ImportRecordsError::Undone),
            };
            let done = Import {
                state: ImportState::Done,
                bytes_done: run.bytes_done,
                ended_at: Some(self.store.now()),
                report: run.whole().shortened(),
                ..import
            };
            tx.imports().update(&done).await?;
            // An upload keeps its parts until no server can need to start over.
            if done.origin == ImportOrigin::Upload {
                tx.uploads().delete_parts(id).await?;
            }
            Ok(())
        })
        .await
    }
}

/// Stores the detected format of an upload; returns what earlier tries stored.
async fn begin_upload(
    tx: &mut dyn UnitOfWork,
    id: ImportId,
    file: &dyn ImportFile,
) -> Result<(ImportId, ImportReport), ImportRecordsError> {
    let import = tx.imports().find(id).await?.filter(|import| import.state == ImportState::Running);
    let import = import.ok_or(ImportRecordsError::Undone)?;
    let earlier = import.report.clone();
    tx.imports().update(&Import { format: Some(file.formats().join(", ")), ..import }).await?;
    Ok((id, earlier))
}
