//! Stores a part of an upload.

use super::{PART_BYTES, UploadKey, UploadLimits, find_in, refuse};
use crate::ports::storage::{Import, StorageError, UnitOfWorkFactory};
use crate::ports::system::Clock;
use derive_more::Constructor;
use domain::import::ImportState;
use std::sync::Arc;

/// Shown to the user when an upload is rejected for lack of space.
const NO_SPACE_MESSAGE: &str =
    "the server has no room for the file while others wait to be read; upload it again later";

/// Why a part is rejected.
#[derive(Debug, thiserror::Error)]
pub enum AddPartError {
    /// The file exceeds the size limit; the upload is rejected and its parts are deleted.
    #[error("the file is too large")]
    TooLarge,
    /// The uploads of all users reach the storage limit; the upload is rejected and its parts are deleted.
    #[error("there is no space for the rest of the upload")]
    NoRoom,
    /// The part is not the next one, is empty, or exceeds the size of a part.
    #[error("the part does not fit")]
    Misplaced,
    /// No upload is in progress under this id: it belongs to another user or was discarded.
    #[error("there is no upload that accepts parts")]
    Gone,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Stores parts of uploads.
#[derive(Constructor)]
pub struct AddPart {
    units: Arc<dyn UnitOfWorkFactory>,
    clock: Arc<dyn Clock>,
    limits: UploadLimits,
}

impl AddPart {
    /// Stores the next part; parts are numbered from 0, and all but the last are [`PART_BYTES`] long.
    pub async fn run(&self, key: UploadKey, position: u32, bytes: &[u8]) -> Result<(), AddPartError> {
        let mut unit = self.units.begin().await?;
        let Some(import) = find_in(unit.as_mut(), key, ImportState::Receiving).await? else {
            return unit.refuse(AddPartError::Gone).await;
        };
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if !fits(&import, position, bytes.len()) {
            return unit.refuse(AddPartError::Misplaced).await;
        }
        let size = import.size.saturating_add(length);
        let refused = if size > self.limits.max_bytes {
            Some((too_large(self.limits), AddPartError::TooLarge))
        } else if unit.uploads().stored_bytes().await?.saturating_add(length) > self.limits.max_stored_bytes {
            Some((NO_SPACE_MESSAGE.to_owned(), AddPartError::NoRoom))
        } else {
            None
        };
        if let Some((reason, error)) = refused {
            let refused = Import { refusal: Some(reason), ..import };
            refuse(unit.as_mut(), refused, self.clock.now()).await?;
            unit.commit().await?;
            return Err(error);
        }
        unit.uploads().add_part(key.id, position, bytes).await?;
        unit.imports().update(&Import { size, ..import }).await?;
        Ok(unit.commit().await?)
    }
}

fn fits(import: &Import, position: u32, length: usize) -> bool {
    let before = u64::from(position).checked_mul(PART_BYTES as u64);
    (1..=PART_BYTES).contains(&length) && before == Some(import.size)
}

fn too_large(limits: UploadLimits) -> String {
    format!("the file is larger than {} MiB, the limit of this server", limits.max_bytes >> 20)
}
