//! Discards an upload that no server has started to read.

use super::{UploadKey, find_in, refuse};
use crate::ports::storage::{Import, StorageError, UnitOfWorkFactory};
use crate::ports::system::Clock;
use derive_more::Constructor;
use domain::import::{Canceller, ImportState};
use std::sync::Arc;

/// Why an upload is discarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscardReason {
    /// The browser stopped sending.
    Interrupted,
    /// A user or the operator cancelled it.
    Cancelled(Canceller),
}

impl DiscardReason {
    /// Sets the reason on an import.
    fn apply(self, import: Import) -> Import {
        match self {
            Self::Interrupted => {
                let reason = "the upload was interrupted before the file was complete";
                Import { refusal: Some(reason.to_owned()), ..import }
            }
            Self::Cancelled(by) => Import { cancelled_by: Some(by), ..import },
        }
    }
}

/// Discards uploads.
#[derive(Constructor)]
pub struct DiscardUpload {
    units: Arc<dyn UnitOfWorkFactory>,
    clock: Arc<dyn Clock>,
}

impl DiscardUpload {
    /// Deletes the parts of an upload that is arriving or waiting; returns whether there was one.
    pub async fn run(&self, key: UploadKey, reason: DiscardReason) -> Result<bool, StorageError> {
        let mut unit = self.units.begin().await?;
        for state in [ImportState::Receiving, ImportState::Waiting] {
            if let Some(import) = find_in(unit.as_mut(), key, state).await? {
                refuse(unit.as_mut(), reason.apply(import), self.clock.now()).await?;
                unit.commit().await?;
                return Ok(true);
            }
        }
        unit.rollback().await?;
        Ok(false)
    }
}
