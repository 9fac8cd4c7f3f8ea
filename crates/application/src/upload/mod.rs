//! Uploads of export files: parts are stored, a server processes them, and the user sees the result.
//!
//! The parts are stored under the upload's import, so that any replica can read them. A replica leases an
//! upload; when the lease expires, another one starts over. A repeated import changes nothing that was stored
//! before and keeps its id, so the result is the same.

mod personal_file;
mod process_uploads;
mod refusal_text;

pub use crate::ports::upload_files::UploadFormat;
pub use process_uploads::{ProcessUploads, ProcessUploadsError, UploadEnd, UploadJob};

use crate::import::{find_upload, reject_upload};
use crate::ports::storage::{Import, StorageError, UnitOfWork};
use crate::store::{Store, transact};
use chrono::{DateTime, FixedOffset, NaiveDateTime};
use domain::audit::{AuditActor, AuditKind};
use domain::id::{ImportId, UserId};
use domain::import::{FileName, ImportOrigin, ImportState};
use domain::time::{Fold, TimeZone};

/// Size of a part; only the last one may be smaller.
pub const PART_BYTES: usize = 1024 * 1024;
/// Number of the user's latest imports that are searched for open ones.
const SEARCHED_IMPORTS: u32 = 200;
/// Shown to the user when an upload is rejected for lack of space.
const NO_SPACE_MESSAGE: &str =
    "the server has no room for the file while others wait to be read; upload it again later";

/// Uploads while they arrive.
pub struct Uploads {
    /// The store.
    pub store: Store,
    /// Limits on uploads.
    pub limits: UploadLimits,
}

/// Limits on uploads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UploadLimits {
    /// Maximum size of a file in bytes.
    pub max_bytes: u64,
    /// Maximum number of open uploads per user: those that arrive, wait or are read.
    pub max_open: usize,
    /// Maximum total size of stored uploads of all users. Concurrent uploads do not see each other's latest
    /// part, so each can exceed the limit by one part.
    pub max_stored_bytes: u64,
}

impl Default for UploadLimits {
    fn default() -> Self {
        Self { max_bytes: 512 * 1024 * 1024, max_open: 3, max_stored_bytes: 16 * 1024 * 1024 * 1024 }
    }
}

/// Id of an upload and its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UploadKey {
    /// Owner's id.
    pub user_id: UserId,
    /// Id of the upload's import.
    pub id: ImportId,
}

/// Options that the user chose for the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UploadOptions {
    /// Start of a recording that does not contain it, in the user's local time. For an ambiguous time, the
    /// first.
    pub recording_start: Option<NaiveDateTime>,
    /// Whether profile fields that differ from the file are overwritten.
    pub overwrite_profile: bool,
}

/// Why an upload does not begin, grow or end.
#[derive(Debug, thiserror::Error)]
pub enum UploadError {
    /// The user no longer exists.
    #[error("there is no user with this id")]
    UnknownUser,
    /// The user's limit of open uploads is reached.
    #[error("too many unfinished uploads")]
    TooManyOpen,
    /// The uploads of all users reach the storage limit; an upload in progress is rejected and its parts are
    /// deleted.
    #[error("there is no space for the upload")]
    NoSpace,
    /// The file exceeds the size limit; the upload is rejected and its parts are deleted.
    #[error("the file is too large")]
    TooLarge,
    /// The part is not the next one, is empty, or exceeds the size of a part.
    #[error("the part does not fit")]
    Misplaced,
    /// The file is empty; the upload is rejected.
    #[error("the file is empty")]
    Empty,
    /// No upload is in progress under this id: it belongs to another user or was discarded.
    #[error("there is no upload that accepts parts")]
    Gone,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl Uploads {
    /// Starts an upload in the user's time zone.
    pub async fn begin(&self, user_id: UserId, file_name: FileName) -> Result<UploadKey, UploadError> {
        transact!(self.store, |tx| {
            // Locked until the end, so that concurrent uploads of a user are counted one after the other.
            let user = tx.users().find(user_id).await?.ok_or(UploadError::UnknownUser)?;
            let latest = tx.imports().list(Some(user_id), None, SEARCHED_IMPORTS).await?;
            if latest.iter().filter(|import| is_open(import)).count() >= self.limits.max_open {
                return Err(UploadError::TooManyOpen);
            }
            if tx.uploads().stored_bytes().await? >= self.limits.max_stored_bytes {
                return Err(UploadError::NoSpace);
            }
            let id = ImportId::from_uuid(self.store.entropy().uuid());
            let zone = user.home_timezone;
            let import = Import::new(id, ImportOrigin::Upload, file_name, zone, self.store.now());
            tx.imports().insert(&Import { user_id: Some(user_id), ..import }).await?;
            let event = self.store.event(AuditActor::Person, AuditKind::ImportStarted).user(user_id);
            tx.record(event.subject(id.as_uuid())).await?;
            Ok(UploadKey { user_id, id })
        })
        .await
    }

    /// Stores the next part; parts are numbered from 0, and all but the last are [`PART_BYTES`] long.
    pub async fn add_part(&self, key: UploadKey, position: u32, bytes: &[u8]) -> Result<(), UploadError> {
        let UploadLimits { max_bytes, max_stored_bytes, .. } = self.limits;
        transact!(self.store, |tx| {
            let import = receiving(tx, key).await?;
            if !fits(&import, position, bytes.len()) {
                return Err(UploadError::Misplaced);
            }
            let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
            let size = import.size.saturating_add(length);
            let (reason, error) = if size > max_bytes {
                (too_large(max_bytes), UploadError::TooLarge)
            } else if tx.uploads().stored_bytes().await?.saturating_add(length) > max_stored_bytes {
                (NO_SPACE_MESSAGE.to_owned(), UploadError::NoSpace)
            } else {
                tx.uploads().add_part(key.id, position, bytes).await?;
                tx.imports().update(&Import { size, ..import }).await?;
                return Ok(Ok(()));
            };
            let rejected = Import { refusal: Some(reason), ..import };
            reject_upload(tx, rejected, self.store.now()).await?;
            Ok(Err(error))
        })
        .await
        .flatten()
    }

    /// Queues a complete upload for processing.
    pub async fn finish(&self, key: UploadKey, options: UploadOptions) -> Result<(), UploadError> {
        transact!(self.store, |tx| {
            let import = receiving(tx, key).await?;
            if import.size == 0 {
                let rejected = Import { refusal: Some("the file is empty".to_owned()), ..import };
                reject_upload(tx, rejected, self.store.now()).await?;
                return Ok(Err(UploadError::Empty));
            }
            let UploadOptions { recording_start, overwrite_profile } = options;
            let recording_start = recording_start.and_then(|local| in_zone(local, import.zone));
            let waiting =
                Import { state: ImportState::Waiting, recording_start, overwrite_profile, ..import };
            tx.imports().update(&waiting).await?;
            Ok(Ok(()))
        })
        .await
        .flatten()
    }
}

fn is_open(import: &Import) -> bool {
    import.origin == ImportOrigin::Upload && import.state.is_open()
}

fn fits(import: &Import, position: u32, length: usize) -> bool {
    let before = u64::from(position).checked_mul(PART_BYTES as u64);
    (1..=PART_BYTES).contains(&length) && before == Some(import.size)
}

fn too_large(max_bytes: u64) -> String {
    format!("the file is larger than {} MiB, the limit of this server", max_bytes >> 20)
}

/// Adds the UTC offset in force at this local time.
fn in_zone(local: NaiveDateTime, zone: TimeZone) -> Option<DateTime<FixedOffset>> {
    let instant = zone.resolve(local, Fold::First);
    let offset = FixedOffset::east_opt(zone.offset_at(instant).seconds())?;
    Some(instant.with_timezone(&offset))
}

/// Returns an upload that accepts parts, locked until the transaction ends.
async fn receiving(tx: &mut dyn UnitOfWork, key: UploadKey) -> Result<Import, UploadError> {
    find_upload(tx, key.user_id, key.id, &[ImportState::Receiving]).await?.ok_or(UploadError::Gone)
}
