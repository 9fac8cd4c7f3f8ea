//! Gives up an upload that nobody has begun to read.

use super::{UploadKey, find_in, refuse};
use crate::import::{BY_OPERATOR, BY_PERSON};
use crate::ports::storage::{StorageError, UnitOfWorkFactory};
use crate::ports::system::Clock;
use domain::import::ImportState;
use std::sync::Arc;

/// Why an upload is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscardReason {
    /// The browser stopped sending.
    BrokeOff,
    /// The person does not want it any more.
    Cancelled,
    /// Whoever runs the server does not want it.
    CancelledByOperator,
}

impl DiscardReason {
    const fn text(self) -> &'static str {
        match self {
            Self::BrokeOff => "the upload broke off before the file was whole",
            Self::Cancelled => BY_PERSON,
            Self::CancelledByOperator => BY_OPERATOR,
        }
    }
}

/// Discards uploads.
pub struct DiscardUpload {
    units: Arc<dyn UnitOfWorkFactory>,
    clock: Arc<dyn Clock>,
}

impl DiscardUpload {
    /// Takes the ports.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>, clock: Arc<dyn Clock>) -> Self {
        Self { units, clock }
    }

    /// Deletes the parts of an upload that arrives or waits; returns whether there was one.
    pub async fn run(&self, key: UploadKey, reason: DiscardReason) -> Result<bool, StorageError> {
        let mut unit = self.units.begin().await?;
        for state in [ImportState::Receiving, ImportState::Waiting] {
            if let Some(import) = find_in(unit.as_mut(), key, state).await? {
                refuse(unit.as_mut(), import, reason.text().to_owned(), self.clock.now()).await?;
                unit.commit().await?;
                return Ok(true);
            }
        }
        unit.rollback().await?;
        Ok(false)
    }
}
