//! Exports what Restwell holds of a person, piece by piece.

use super::Export;
use crate::audit::ReadRecorder;
use crate::ports::export_writer::{ExportNotWritten, ExportWriter};
use crate::ports::storage::{ProfileReader, SleepReader, StorageError, SupplementReader};
use crate::ports::system::Pause;
use domain::id::UserId;
use domain::read_tally::Reader;
use domain::scope::ScopeSet;
use std::sync::Arc;

/// What is to be exported.
#[derive(Clone)]
pub struct ExportQuery {
    /// Of whom.
    pub user_id: UserId,
    /// Only what these allow to read.
    pub scopes: ScopeSet,
    /// Who is counted as having read it; nobody when it is the person or the operator.
    pub reader: Option<(Reader, ReadRecorder)>,
}

/// Why an export does not begin, or does not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum ExportRecordsError {
    /// There is no such person.
    #[error("there is no user with this id")]
    UnknownUser,
    /// It could not be written down.
    #[error(transparent)]
    NotWritten(#[from] ExportNotWritten),
    /// The store was away for longer than an export waits for it.
    #[error(
        "the store was out of reach {tries} times in a row, so that the export is not whole; \
         throw away what there is of it, and export again once the store answers"
    )]
    StoreAway {
        /// How often it was asked.
        tries: usize,
    },
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// From where an export is read.
#[derive(Clone)]
pub(super) struct ExportReaders {
    pub(super) sleep: Arc<dyn SleepReader>,
    pub(super) supplements: Arc<dyn SupplementReader>,
    pub(super) pause: Arc<dyn Pause>,
}

/// Exports people.
pub struct ExportRecords {
    profiles: Arc<dyn ProfileReader>,
    readers: ExportReaders,
}

impl ExportRecords {
    /// Takes the ports.
    pub fn new(
        profiles: Arc<dyn ProfileReader>,
        sleep: Arc<dyn SleepReader>,
        supplements: Arc<dyn SupplementReader>,
        pause: Arc<dyn Pause>,
    ) -> Self {
        Self { profiles, readers: ExportReaders { sleep, supplements, pause } }
    }

    /// Begins an export of a person who exists; nothing but the person is read yet.
    pub async fn open(
        &self,
        query: ExportQuery,
        writer: Box<dyn ExportWriter>,
    ) -> Result<Export, ExportRecordsError> {
        let user = self.profiles.find_profile(query.user_id).await?;
        let user = user.ok_or(ExportRecordsError::UnknownUser)?;
        Ok(Export::new(user, query, self.readers.clone(), writer))
    }
}
