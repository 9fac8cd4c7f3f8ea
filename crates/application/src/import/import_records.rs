//! Imports a file: checks it whole, then stores it batch by batch.

use super::batch::Batch;
use super::checking;
use super::progress::{Progress, Reading, go_on};
use super::report::ImportReport;
use super::run::Run;
use super::storing::{MOST_WAITING, Stop, Storing};
use super::undone::Undone;
use crate::audit::{self, AuditTrail};
use crate::ports::import_source::{ImportFile, ImportRefusal};
use crate::ports::storage::{Import, StorageError, UnitOfWork, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy, Pause};
use chrono::TimeDelta;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{ImportId, UserId};
use domain::import::{FileDigest, FileName, ImportOrigin, ImportState};
use domain::time::TimeZone;
use std::sync::Arc;

/// For how long an import that broke off may be gone on with: a day less than what it did is kept, so that what it did in
/// the beginning is not forgotten while it goes on.
const RESUMABLE: TimeDelta = TimeDelta::days(29);

/// What is to be imported, and for whom.
#[derive(Debug, Clone)]
pub struct ImportRecordsCommand {
    /// The person; only a catalogue of supplements needs none.
    pub user_id: Option<UserId>,
    /// Whether only to tell what would be done.
    pub dry_run: bool,
    /// Whether profile fields that differ from the file are overwritten.
    pub overwrite_profile: bool,
    /// What is known of the file.
    pub about: FileAbout,
}

/// What an import keeps of its file.
#[derive(Debug, Clone)]
pub enum FileAbout {
    /// A file of the command line.
    File {
        /// What it is called.
        name: FileName,
        /// The zone of local times that carry no offset.
        zone: TimeZone,
    },
    /// An upload, which has an import already.
    Upload(ImportId),
}

/// Why a file was not imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportRecordsError {
    /// The file is refused; nothing of it was stored.
    #[error(transparent)]
    Refused(#[from] ImportRefusal),
    /// There is no such person (any more); what was stored before an erasure went with it.
    #[error("there is no user with this id")]
    UnknownUser,
    /// The import was undone while it ran; nothing of it stays.
    #[error("the import was undone while it ran")]
    TakenBack,
    /// The store failed; what was stored so far stays, and importing the file again goes on from there.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl From<Stop> for ImportRecordsError {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Storage(error) => Self::Storage(error),
            Stop::TakenBack => Self::TakenBack,
            Stop::UnknownUser => Self::UnknownUser,
        }
    }
}

/// An import that came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// By which it can be undone; absent for a dry run.
    pub id: Option<ImportId>,
    /// What it did, or would do.
    pub report: ImportReport,
}

/// Imports files.
pub struct ImportRecords {
    units: Arc<dyn UnitOfWorkFactory>,
    entropy: Arc<dyn Entropy>,
    clock: Arc<dyn Clock>,
    trail: AuditTrail,
    pause: Option<Arc<dyn Pause>>,
}

impl ImportRecords {
    /// Takes the ports. A store that is out of reach ends the import: whoever runs it tries again.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>, entropy: Arc<dyn Entropy>, clock: Arc<dyn Clock>) -> Self {
        let trail = AuditTrail::new(entropy.clone(), clock.clone());
        Self { units, entropy, clock, trail, pause: None }
    }

    /// Waits for a store that is out of reach, half a minute at a time, before it ends the import.
    #[must_use]
    pub fn waiting(self, pause: Arc<dyn Pause>) -> Self {
        Self { pause: Some(pause), ..self }
    }

    /// Imports a file.
    ///
    /// The file is read twice: a file that breaks off at its end must leave no trace, and a transaction over a
    /// whole file would keep every other writer out. The second time a thread of its own reads the next batches while one
    /// is stored; of a large file it begins with that while the first reading goes on, and another one hashes it. Reading,
    /// and waiting for these threads, blocks the caller's; where `progress` breaks, it ends with
    /// [`ImportRefusal::Stopped`], and no thread reads on.
    pub async fn run(
        &self,
        command: &ImportRecordsCommand,
        file: &dyn ImportFile,
        progress: Progress<'_>,
    ) -> Result<Imported, ImportRecordsError> {
        let is_known_by_digest = !command.dry_run && matches!(command.about, FileAbout::File { .. });
        let checked = checking::check(file, is_known_by_digest, progress)?;
        let reading = checked.reading;
        let (id, earlier) = self.begin(command, file, checked.digest).await?.unzip();
        let storing = self.storing(id);
        let run = Run::new(command.user_id, command.dry_run, self.clock.now(), self.entropy.as_ref());
        let mut run = run.of_file(earlier.unwrap_or_default());
        run.overwrite_profile = command.overwrite_profile;
        let told = |bytes| progress(Reading::Storing, bytes);
        while let Some((items, bytes_read)) = reading.next_batch(&told)? {
            // Kept with the batch, or not at all.
            run.bytes_done = bytes_read;
            storing.store(&mut run, Batch::sort(items, command.user_id.is_some())).await?;
            storing.store_waiting(&mut run, MOST_WAITING).await?;
            go_on(told(bytes_read))?;
        }
        storing.store_waiting(&mut run, 0).await?;
        if let Some(id) = id {
            self.end(id, &run).await?;
        }
        Ok(Imported { id, report: run.whole() })
    }

    fn storing(&self, import: Option<ImportId>) -> Storing<'_> {
        Storing { units: self.units.as_ref(), import, pause: self.pause.as_deref(), backend: None }
    }

    /// Makes sure of the person, and begins an import or goes on with one, of which it returns what was stored before; a dry
    /// run keeps none.
    async fn begin(
        &self,
        command: &ImportRecordsCommand,
        file: &dyn ImportFile,
        digest: Option<FileDigest>,
    ) -> Result<Option<(ImportId, ImportReport)>, ImportRecordsError> {
        let mut unit = self.storing(None).begin().await?;
        if let Some(user_id) = command.user_id
            && unit.users().find(user_id).await?.is_none()
        {
            unit.rollback().await?;
            return Err(ImportRecordsError::UnknownUser);
        }
        if command.dry_run {
            unit.rollback().await?;
            return Ok(None);
        }
        let begun = match &command.about {
            FileAbout::File { name, zone } => {
                let started = Started { name, digest, zone: *zone, user_id: command.user_id };
                let begun = self.begin_file(unit.as_mut(), &started, file).await?;
                audit::commit(unit, &[self.event(begun.0, command.user_id)]).await?;
                begun
            }
            // Its event was stored when it began to arrive.
            FileAbout::Upload(id) => {
                let begun = begin_upload(unit.as_mut(), *id, file).await?;
                unit.commit().await?;
                begun
            }
        };
        Ok(Some(begun))
    }

    fn event(&self, id: ImportId, user_id: Option<UserId>) -> AuditEvent {
        let event = self.trail.event(AuditActor::Operator, AuditKind::ImportStarted).subject(id.as_uuid());
        AuditEvent { user_id, ..event }
    }

    /// Goes on with an import of the same file that broke off, else begins one.
    async fn begin_file(
        &self,
        unit: &mut dyn UnitOfWork,
        started: &Started<'_>,
        file: &dyn ImportFile,
    ) -> Result<(ImportId, ImportReport), StorageError> {
        let since = self.clock.now() - RESUMABLE;
        if let Some(digest) = &started.digest
            && let Some(broken_off) = unit.imports().find_broken_off(started.user_id, digest, since).await?
        {
            return Ok((broken_off.id, broken_off.report));
        }
        let id = ImportId::from_uuid(self.entropy.uuid());
        let import = Import {
            id,
            user_id: started.user_id,
            origin: ImportOrigin::Command,
            file_name: started.name.clone(),
            format: Some(file.format().to_owned()),
            digest: started.digest,
            zone: started.zone,
            state: ImportState::Running,
            size: file.size().unwrap_or_default(),
            recording_start: None,
            overwrite_profile: false,
            bytes_checked: 0,
            bytes_done: 0,
            tries: 0,
            started_at: self.clock.now(),
            ended_at: None,
            report: ImportReport::default(),
            refusal: None,
            cancelled_by: None,
            undone: Undone::default(),
        };
        unit.imports().insert(&import).await?;
        Ok((id, ImportReport::default()))
    }

    async fn end(&self, id: ImportId, run: &Run<'_>) -> Result<(), ImportRecordsError> {
        let mut unit = self.storing(None).begin().await?;
        // The person before the import, as everywhere.
        if let Some(user_id) = run.user_id
            && unit.users().find(user_id).await?.is_none()
        {
            unit.rollback().await?;
            return Err(ImportRecordsError::UnknownUser);
        }
        let import = match unit.imports().find(id).await? {
            Some(import) if import.state == ImportState::Running => import,
            // By another import of the same file at the same time.
            Some(import) if import.state == ImportState::Done => return Ok(unit.rollback().await?),
            _ => {
                unit.rollback().await?;
                return Err(ImportRecordsError::TakenBack);
            }
        };
        let done = Import {
            state: ImportState::Done,
            bytes_done: run.bytes_done,
            ended_at: Some(self.clock.now()),
            report: run.whole().shortened(),
            ..import
        };
        unit.imports().update(&done).await?;
        // An upload keeps its parts for as long as somebody may have to begin again.
        if done.origin == ImportOrigin::Upload {
            unit.uploads().delete_parts(id).await?;
        }
        Ok(unit.commit().await?)
    }
}

/// What a new import is told of its file.
struct Started<'a> {
    name: &'a FileName,
    /// The hash of its bytes: the same file goes on where an import of it broke off.
    digest: Option<FileDigest>,
    zone: TimeZone,
    user_id: Option<UserId>,
}

/// Notes the format of an upload, which is known only now; returns what others stored of it before.
async fn begin_upload(
    unit: &mut dyn UnitOfWork,
    id: ImportId,
    file: &dyn ImportFile,
) -> Result<(ImportId, ImportReport), ImportRecordsError> {
    let import = unit.imports().find(id).await?.filter(|import| import.state == ImportState::Running);
    let import = import.ok_or(ImportRecordsError::TakenBack)?;
    let earlier = import.report.clone();
    unit.imports().update(&Import { format: Some(file.format().to_owned()), ..import }).await?;
    Ok((id, earlier))
}
