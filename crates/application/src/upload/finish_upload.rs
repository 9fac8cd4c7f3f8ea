//! Finishes receiving an upload.

use super::{UploadKey, find_in, refuse};
use crate::ports::storage::{Import, StorageError, UnitOfWorkFactory};
use crate::ports::system::Clock;
use chrono::{DateTime, FixedOffset, NaiveDateTime};
use derive_more::Constructor;
use domain::import::ImportState;
use domain::time::{Fold, TimeZone};
use std::sync::Arc;

/// Options that the user chose for the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UploadOptions {
    /// Start of a recording that does not contain it, in the user's local time. For an ambiguous time, the
    /// first.
    pub recording_start: Option<NaiveDateTime>,
    /// Whether profile fields that differ from the file are overwritten.
    pub overwrite_profile: bool,
}

/// Why an upload was not queued.
#[derive(Debug, thiserror::Error)]
pub enum FinishUploadError {
    /// The file is empty; the upload is rejected.
    #[error("the file is empty")]
    Empty,
    /// No upload is in progress under this id.
    #[error("there is no upload that accepts parts")]
    Gone,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Queues complete uploads.
#[derive(Constructor)]
pub struct FinishUpload {
    units: Arc<dyn UnitOfWorkFactory>,
    clock: Arc<dyn Clock>,
}

impl FinishUpload {
    /// Queues the upload for processing.
    pub async fn run(&self, key: UploadKey, options: UploadOptions) -> Result<(), FinishUploadError> {
        let mut unit = self.units.begin().await?;
        let Some(import) = find_in(unit.as_mut(), key, ImportState::Receiving).await? else {
            return unit.refuse(FinishUploadError::Gone).await;
        };
        if import.size == 0 {
            let refused = Import { refusal: Some("the file is empty".to_owned()), ..import };
            refuse(unit.as_mut(), refused, self.clock.now()).await?;
            unit.commit().await?;
            return Err(FinishUploadError::Empty);
        }
        let UploadOptions { recording_start, overwrite_profile } = options;
        let recording_start = recording_start.and_then(|local| in_zone(local, import.zone));
        let waiting = Import { state: ImportState::Waiting, recording_start, overwrite_profile, ..import };
        unit.imports().update(&waiting).await?;
        Ok(unit.commit().await?)
    }
}

/// Adds the UTC offset in force at this local time.
fn in_zone(local: NaiveDateTime, zone: TimeZone) -> Option<DateTime<FixedOffset>> {
    let instant = zone.resolve(local, Fold::First);
    let offset = FixedOffset::east_opt(zone.offset_at(instant).seconds())?;
    Some(instant.with_timezone(&offset))
}
