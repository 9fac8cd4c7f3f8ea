//! Imports a file: checks it completely, then stores it in batches.

use super::batch::Batch;
use super::batch_writer::{BatchWriter, MAX_WAITING, StopReason};
use super::checking;
use super::reading::{ImportPass, Progress, stop_on_break};
use super::run::Run;
use crate::audit::AuditTrail;
use crate::model::import_report::{ImportReport, Note};
use crate::ports::import_source::{ImportFile, ImportRefusal};
use crate::ports::storage::{Import, StorageError, UnitOfWork, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy, Pause};
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
}

/// Imports files.
pub struct ImportRecords {
    store: Store,
    pause: Option<Arc<dyn Pause>>,
}

impl ImportRecords {
    /// Creates the use case. If the store is unreachable, the import fails and the caller retries.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>, entropy: Arc<dyn Entropy>, clock: Arc<dyn Clock>) -> Self {
        Self { store: Store { units, trail: AuditTrail::new(entropy, clock) }, pause: None }
    }

    /// Makes imports wait for an unreachable store for half a minute before they fail.
    #[must_use]
    pub fn waiting(self, pause: Arc<dyn Pause>) -> Self {
        Self { pause: Some(pause), ..self }
    }

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
        let run = Run::new(command.user_id, command.dry_run, self.store.now(), self.store.entropy());
        let mut run = run.of_file(earlier.unwrap_or_default());
        run.overwrite_profile = command.overwrite_profile;
        let report = |bytes| progress(ImportPass::Storing, bytes);
        let mut is_empty = true;
        while let Some((items, bytes_read)) = reading.next_batch(&report)? {
            // Committed together with the batch.
            run.bytes_done = bytes_read;
            is_empty = false;
            storing.store(&mut run, Batch::sort(items, command.user_id.is_some())).await?;
            storing.store_deferred(&mut run, MAX_WAITING).await?;
            stop_on_break(report(bytes_read))?;
        }
        storing.store_deferred(&mut run, 0).await?;
        if is_empty {
            let (place, reason) = ("the file".to_owned(), NOTHING_NOTE.to_owned());
            run.report.note(Note { place, reason, amount: None });
        }
        if let Some(id) = id {
            self.end(id, &run).await?;
        }
        Ok(Imported { id, report: run.whole() })
    }

    fn storing(&self, import: Option<ImportId>) -> BatchWriter<'_> {
        BatchWriter { store: &self.store, import, pause: self.pause.as_deref(), backend: None }
    }

    /// Checks the user, and starts or resumes an import; returns what was stored before. A dry run creates
    /// none.
    async fn begin(
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
                    let started = NewImportFile { name, digest, zone: *zone, user_id: command.user_id };
                    let opened_import = self.begin_file(tx, &started, file).await?;
                    tx.record(self.event(opened_import.0, command.user_id)).await?;
                    opened_import
                }
                // Its event was recorded when the upload started.
                FileInfo::Upload(id) => begin_upload(tx, *id, file).await?,
            };
            Ok(Some(opened_import))
        })
        .await
    }

    fn event(&self, id: ImportId, user_id: Option<UserId>) -> AuditEvent {
        let event = self.store.event(AuditActor::Operator, AuditKind::ImportStarted).subject(id.as_uuid());
        AuditEvent { user_id, ..event }
    }

    /// Resumes an interrupted import of the same file, or starts one.
    async fn begin_file(
        &self,
        tx: &mut dyn UnitOfWork,
        started: &NewImportFile<'_>,
        file: &dyn ImportFile,
    ) -> Result<(ImportId, ImportReport), StorageError> {
        let since = self.store.now() - RESUMABLE;
        if let Some(digest) = &started.digest
            && let Some(interrupted) = tx.imports().find_interrupted(started.user_id, digest, since).await?
        {
            return Ok((interrupted.id, interrupted.report));
        }
        let id = ImportId::from_uuid(self.store.entropy().uuid());
        let (name, zone) = (started.name.clone(), started.zone);
        let import = Import {
            user_id: started.user_id,
            format: Some(file.formats().join(", ")),
            digest: started.digest,
            size: file.size().unwrap_or_default(),
            ..Import::new(id, ImportOrigin::Command, name, zone, self.store.now())
        };
        tx.imports().insert(&import).await?;
        Ok((id, ImportReport::default()))
    }

    async fn end(&self, id: ImportId, run: &Run<'_>) -> Result<(), ImportRecordsError> {
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

/// File information for a new import.
struct NewImportFile<'a> {
    name: &'a FileName,
    /// Hash of the file: an import of the same file resumes an interrupted one.
    digest: Option<FileDigest>,
    zone: TimeZone,
    user_id: Option<UserId>,
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
