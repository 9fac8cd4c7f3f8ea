//! Reads uploads that wait, one at a time.

use super::personal_file::PersonalFile;
use super::refusal_text::told_on_page;
use super::refuse;
use crate::import::{
    FileAbout, ImportRecords, ImportRecordsCommand, ImportRecordsError, ImportReport, Progress,
};
use crate::ports::import_source::{ImportFile, ImportRefusal};
use crate::ports::storage::{Import, StorageError, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy};
use crate::ports::upload_files::{SpoolError, SpooledAbout, UploadFiles};
use chrono::{DateTime, FixedOffset, TimeDelta, Utc};
use domain::id::{ImportId, UserId};
use domain::import::ImportState;
use domain::time::TimeZone;
use std::sync::Arc;

/// How many servers may begin to read an upload and be heard of no more. The next one gives it up: it may be the file that
/// ends them.
const MAX_TRIES: u32 = 3;
/// What the person reads then.
const GIVEN_UP: &str =
    "the server stopped in the midst of reading the file, three times; whoever runs it can find out why";

/// An upload that was leased.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UploadJob {
    /// Its import.
    pub id: ImportId,
    user_id: UserId,
    zone: TimeZone,
    start: Option<DateTime<FixedOffset>>,
    overwrite_profile: bool,
}

/// What became of an upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UploadEnd {
    /// Everything was read.
    Done(Box<ImportReport>),
    /// The file is refused; the reason is kept for the person.
    Refused,
    /// The person, or the upload, is not wanted any more, another server was faster, or the reading was stopped.
    Gone,
}

/// Why an upload was not read to its end; its lease ends, and another try begins.
#[derive(Debug, thiserror::Error)]
pub enum ProcessUploadsError {
    /// The place for files failed.
    #[error(transparent)]
    Spool(#[from] SpoolError),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Reads uploads.
pub struct ProcessUploads {
    units: Arc<dyn UnitOfWorkFactory>,
    files: Arc<dyn UploadFiles>,
    clock: Arc<dyn Clock>,
    import: ImportRecords,
}

impl ProcessUploads {
    /// How long a lease lasts: 60 seconds.
    pub const LEASE: TimeDelta = TimeDelta::seconds(60);

    /// Creates the use case.
    pub fn new(
        units: Arc<dyn UnitOfWorkFactory>,
        files: Arc<dyn UploadFiles>,
        entropy: Arc<dyn Entropy>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let import = ImportRecords::new(units.clone(), entropy, clock.clone());
        Self { units, files, clock, import }
    }

    /// Leases the upload that waits longest; nothing when none waits. One that too many servers began to read and were not
    /// heard of again is refused.
    pub async fn take(&self) -> Result<Option<UploadJob>, StorageError> {
        let now = self.clock.now();
        let mut unit = self.units.begin().await?;
        let leased = unit.uploads().lease(now, until(now)).await?;
        let leased = match leased {
            Some(import) if import.tries > MAX_TRIES => {
                let refused = Import { refusal: Some(GIVEN_UP.to_owned()), ..import };
                refuse(unit.as_mut(), refused, now).await?;
                None
            }
            leased => leased,
        };
        unit.commit().await?;
        Ok(leased.and_then(|import| {
            let Import { id, user_id, zone, recording_start: start, overwrite_profile, .. } = import;
            Some(UploadJob { id, user_id: user_id?, zone, start, overwrite_profile })
        }))
    }

    /// Prolongs the lease; false when there is nothing more to do.
    pub async fn prolong(&self, job: &UploadJob) -> Result<bool, StorageError> {
        let now = self.clock.now();
        let mut unit = self.units.begin().await?;
        let is_running = unit.uploads().prolong(job.id, until(now)).await?;
        unit.commit().await?;
        Ok(is_running)
    }

    /// Says that whoever leased the upload stopped in good order, and that it is not the file that ended it. Its lease ends by
    /// itself, and then it is read again.
    pub async fn give_back(&self, job: &UploadJob) -> Result<(), StorageError> {
        let mut unit = self.units.begin().await?;
        unit.uploads().uncount_try(job.id).await?;
        unit.commit().await
    }

    /// Keeps how many bytes of a leased upload are checked, for whoever looks at it.
    pub async fn checked(&self, job: &UploadJob, bytes: u64) -> Result<(), StorageError> {
        let mut unit = self.units.begin().await?;
        unit.uploads().checked(job.id, bytes).await?;
        unit.commit().await
    }

    /// Reads a leased upload, and tells how many bytes of it were read so far. Blocks the thread for as long as that takes;
    /// dropped, or told to stop where it tells, it leaves what was stored so far, and whoever takes the upload next begins
    /// again. When it has ended, nothing of it reads on.
    pub async fn work(
        &self,
        job: &UploadJob,
        progress: Progress<'_>,
    ) -> Result<UploadEnd, ProcessUploadsError> {
        let file = match self.file(job).await? {
            Ok(file) => file,
            Err(refusal) => return self.refuse(job, &refusal).await,
        };
        let about = FileAbout::Upload(job.id);
        let command = ImportRecordsCommand {
            user_id: Some(job.user_id),
            dry_run: false,
            overwrite_profile: job.overwrite_profile,
            about,
        };
        match self.import.run(&command, &file, progress).await {
            Ok(imported) => Ok(UploadEnd::Done(Box::new(imported.report))),
            Err(
                ImportRecordsError::UnknownUser
                | ImportRecordsError::TakenBack
                | ImportRecordsError::Refused(ImportRefusal::Stopped),
            ) => Ok(UploadEnd::Gone),
            Err(ImportRecordsError::Refused(refusal)) => self.refuse(job, &refusal).await,
            Err(ImportRecordsError::Storage(error)) => Err(error.into()),
        }
    }

    /// Puts the parts together and looks at what they are.
    async fn file(
        &self,
        job: &UploadJob,
    ) -> Result<Result<PersonalFile, ImportRefusal>, ProcessUploadsError> {
        let mut spooled = self.files.begin()?;
        let mut position = 0;
        while let Some(bytes) = self.part(job.id, position).await? {
            spooled.write(&bytes)?;
            position += 1;
        }
        let UploadJob { id: _, user_id, zone, start, overwrite_profile: _ } = *job;
        let opened = spooled.open(SpooledAbout { user_id, zone, start });
        Ok(opened.and_then(|file| personal(file, start.is_some())).map(PersonalFile))
    }

    async fn part(&self, id: ImportId, position: u32) -> Result<Option<Vec<u8>>, StorageError> {
        let mut unit = self.units.begin().await?;
        let part = unit.uploads().part(id, position).await?;
        unit.rollback().await?;
        Ok(part)
    }

    async fn refuse(
        &self,
        job: &UploadJob,
        refusal: &ImportRefusal,
    ) -> Result<UploadEnd, ProcessUploadsError> {
        let mut unit = self.units.begin().await?;
        let found = unit.imports().find(job.id).await?;
        let Some(import) = found.filter(|import| import.state == ImportState::Running) else {
            unit.rollback().await?;
            return Ok(UploadEnd::Gone);
        };
        let refused = Import { refusal: Some(told_on_page(refusal)), ..import };
        refuse(unit.as_mut(), refused, self.clock.now()).await?;
        unit.commit().await?;
        Ok(UploadEnd::Refused)
    }
}

fn until(now: DateTime<Utc>) -> DateTime<Utc> {
    now + ProcessUploads::LEASE
}

/// Refuses what is a catalogue as a whole: it is nobody's own. And a start for a file that says itself when it began: the
/// person took it for another.
fn personal(file: Box<dyn ImportFile>, has_start: bool) -> Result<Box<dyn ImportFile>, ImportRefusal> {
    if has_start && file.format() != "hypnogram" {
        let text = "the file says itself when its records began; upload it again, and leave out when the recording began";
        return Err(ImportRefusal::NotInThisWay(text.to_owned()));
    }
    if file.format() == "dsld" {
        let text = "this is a catalogue of supplements, which is imported by whoever runs this server";
        return Err(ImportRefusal::NotInThisWay(text.to_owned()));
    }
    Ok(file)
}
