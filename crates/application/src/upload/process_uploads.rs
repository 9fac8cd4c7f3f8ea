//! Processes waiting uploads, one at a time.

use super::personal_file::PersonalFile;
use super::refusal_text::refusal_text;
use crate::import::{
    FileInfo, ImportRecords, ImportRecordsCommand, ImportRecordsError, ImportReport, Progress,
    RECORDING_FORMAT, find_upload, reject_upload,
};
use crate::ports::import_source::{ImportFile, ImportRefusal};
use crate::ports::storage::{Import, ImportReader, StorageError};
use crate::ports::upload_files::{SpoolError, SpoolMetadata, UploadFiles};
use crate::store::{Store, transact};
use chrono::{DateTime, FixedOffset, TimeDelta, Utc};
use domain::id::{ImportId, UserId};
use domain::import::ImportState;
use domain::time::TimeZone;
use std::sync::Arc;

/// Number of servers that may crash while reading an upload. After that it is rejected, because the file may
/// be the cause.
const MAX_TRIES: u32 = 3;
/// Shown to the user in that case.
const TOO_MANY_TRIES_MESSAGE: &str =
    "the server stopped three times while reading the file; its operator can find out why";

/// A leased upload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UploadJob {
    /// Id of its import.
    pub id: ImportId,
    user_id: UserId,
    zone: TimeZone,
    start: Option<DateTime<FixedOffset>>,
    overwrite_profile: bool,
}

/// Outcome of an upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UploadEnd {
    /// The import finished.
    Done(Box<ImportReport>),
    /// The file was rejected; the reason is stored for the user.
    Rejected,
    /// The user or the upload no longer exists, another server was faster, or reading was stopped.
    Gone,
}

/// Why processing failed; after the lease expires, an upload is tried again.
#[derive(Debug, thiserror::Error)]
pub enum ProcessUploadsError {
    /// The temporary file failed.
    #[error(transparent)]
    Spool(#[from] SpoolError),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Processes uploads.
pub struct ProcessUploads {
    /// The store.
    pub store: Store,
    /// Reader of the parts.
    pub reader: Arc<dyn ImportReader>,
    /// Temporary files.
    pub files: Arc<dyn UploadFiles>,
    /// Imports of files.
    pub import: ImportRecords,
}

impl ProcessUploads {
    /// Length of a lease: 60 seconds.
    pub const LEASE: TimeDelta = TimeDelta::seconds(60);

    /// Leases the next waiting upload; `None` if there is none. Rejects uploads for which too many servers
    /// crashed.
    pub async fn take(&self) -> Result<Option<UploadJob>, StorageError> {
        let now = self.store.now();
        let leased = transact!(self.store, |tx| { tx.uploads().lease(now, until(now)).await }).await?;
        let Some(import) = leased else { return Ok(None) };
        let Import {
            id, user_id: Some(user_id), zone, recording_start: start, overwrite_profile, tries, ..
        } = import
        else {
            return Ok(None);
        };
        let job = UploadJob { id, user_id, zone, start, overwrite_profile };
        if tries > MAX_TRIES {
            self.reject_running(&job, TOO_MANY_TRIES_MESSAGE.to_owned(), None).await?;
            return Ok(None);
        }
        Ok(Some(job))
    }

    /// Renews the lease; returns `false` if the upload no longer needs processing.
    pub async fn renew(&self, job: &UploadJob) -> Result<bool, StorageError> {
        let until = until(self.store.now());
        transact!(self.store, |tx| { tx.uploads().renew(job.id, until).await }).await
    }

    /// Records that this server stopped cleanly, so that the try is not attributed to the file. The lease
    /// expires by itself, and then the upload is read again.
    pub async fn release(&self, job: &UploadJob) -> Result<(), StorageError> {
        transact!(self.store, |tx| { tx.uploads().uncount_try(job.id).await }).await
    }

    /// Stores the number of checked bytes, for progress display.
    pub async fn record_checked(&self, job: &UploadJob, bytes: u64) -> Result<(), StorageError> {
        transact!(self.store, |tx| { tx.uploads().record_checked(job.id, bytes).await }).await
    }

    /// Processes a leased upload, and reports the bytes read so far. Blocks the thread. If the future is
    /// dropped or the callback stops it, stored records stay, and the next lease starts over. No thread
    /// continues to read afterwards.
    pub async fn work(
        &self,
        job: &UploadJob,
        progress: Progress<'_>,
    ) -> Result<UploadEnd, ProcessUploadsError> {
        let file = match self.file(job).await? {
            Ok(file) => file,
            Err(refusal) => return Ok(self.reject(job, &refusal).await?),
        };
        let about = FileInfo::Upload(job.id);
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
                | ImportRecordsError::Undone
                | ImportRecordsError::Rejected(ImportRefusal::Stopped),
            ) => Ok(UploadEnd::Gone),
            Err(ImportRecordsError::Rejected(refusal)) => Ok(self.reject(job, &refusal).await?),
            Err(ImportRecordsError::Storage(error)) => Err(error.into()),
        }
    }

    /// Reassembles the parts and detects the format.
    async fn file(
        &self,
        job: &UploadJob,
    ) -> Result<Result<PersonalFile, ImportRefusal>, ProcessUploadsError> {
        let mut spooled = self.files.begin()?;
        let mut position = 0;
        while let Some(bytes) = self.reader.find_upload_part(job.id, position).await? {
            spooled.write(&bytes)?;
            position += 1;
        }
        let UploadJob { id: _, user_id, zone, start, overwrite_profile: _ } = *job;
        let opened = spooled.open(SpoolMetadata { user_id, zone, start });
        Ok(opened.and_then(|file| personal(file, start.is_some())).map(PersonalFile))
    }

    async fn reject(&self, job: &UploadJob, refusal: &ImportRefusal) -> Result<UploadEnd, StorageError> {
        // The format is stored only once a file can be read, but the page asks for the start of a recording.
        let recording = matches!(refusal, ImportRefusal::NoStart(_)).then(|| RECORDING_FORMAT.to_owned());
        let text = refusal_text(refusal, &self.files.formats());
        self.reject_running(job, text, recording).await
    }

    /// Rejects an upload that is still being read. `format` is that of a file whose format is not stored.
    async fn reject_running(
        &self,
        job: &UploadJob,
        reason: String,
        format: Option<String>,
    ) -> Result<UploadEnd, StorageError> {
        transact!(self.store, |tx| {
            let found = find_upload(tx, job.user_id, job.id, &[ImportState::Running]).await?;
            let Some(import) = found else { return Ok(UploadEnd::Gone) };
            let format = import.format.clone().or(format);
            let rejected = Import { refusal: Some(reason), format, ..import };
            reject_upload(tx, rejected, self.store.now()).await?;
            Ok(UploadEnd::Rejected)
        })
        .await
    }
}

fn until(now: DateTime<Utc>) -> DateTime<Utc> {
    now + ProcessUploads::LEASE
}

/// Rejects catalogues, which belong to no user. Also rejects a recording start for a file that contains one,
/// because the user probably chose the wrong file.
fn personal(file: Box<dyn ImportFile>, has_start: bool) -> Result<Box<dyn ImportFile>, ImportRefusal> {
    if has_start && file.formats() != [RECORDING_FORMAT] {
        let text =
            "the file contains the start of its records; upload it again without a start of the recording";
        return Err(ImportRefusal::NotInThisWay(text.to_owned()));
    }
    if file.formats() == ["dsld"] {
        let text = "this is a catalogue of supplements; only the operator can import it";
        return Err(ImportRefusal::NotInThisWay(text.to_owned()));
    }
    Ok(file)
}
