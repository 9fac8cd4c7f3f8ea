//! Ingest of a first-party backend's records. Every item gets a result, in the order of the items.

mod idempotent_requests;
mod people;
mod profile;
mod records;
mod result;

pub use crate::model::import_report::ItemStatus;
pub use crate::model::ingest_item::{IngestKind, IngestLayout, IngestShape, ItemCode, ItemRefusal};
pub use crate::ports::ingest_source::IngestBody;
pub use crate::ports::storage::{Claim, IdempotentRequest, StoredResponse};
pub use idempotent_requests::{
    CLAIM_LIFETIME, CLAIM_RENEWAL_INTERVAL, IdempotentRequests, RESPONSE_RETENTION,
};
pub use result::{IngestReport, ItemResult};

use super::batch_writer::{BATCH, BackendTrace, BatchWriter, StopReason};
use super::run::Run;
use crate::audit::DailyEvents;
use crate::ports::import_source::ImportRefusal;
use crate::ports::ingest_source::{IngestContent, IngestItem, IngestParser};
use crate::ports::storage::{ProfileReader, StorageError};
use crate::store::Store;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{ClientId, UserId};
use std::io::Read;
use std::sync::Arc;

/// Maximum number of items of a request.
pub const MAX_ITEMS: usize = 10_000;

/// Input of [`IngestRecords`].
#[derive(Debug, Clone, Copy)]
pub struct IngestCommand {
    /// The service client.
    pub client_id: ClientId,
    /// Kind, layout and user of the body.
    pub shape: IngestShape,
}

/// Errors of an ingest. Nothing of the body is stored, except for [`Self::Storage`].
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// The user does not exist, or was erased during the request with everything stored.
    #[error("there is no user with this id")]
    UnknownUser,
    /// The body has more than [`MAX_ITEMS`] items.
    #[error("there are more than {MAX_ITEMS} items")]
    TooManyItems,
    /// The body is malformed. The message contains no value of it.
    #[error(transparent)]
    Malformed(#[from] ImportRefusal),
    /// The store failed. Items stored before are kept; sending everything again creates no duplicates.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl From<StopReason> for IngestError {
    fn from(stop: StopReason) -> Self {
        match stop {
            StopReason::Storage(error) => Self::Storage(error),
            // Cannot happen: it requires an import, and an ingest has none.
            StopReason::Undone => Self::Storage(StorageError::Retryable),
            StopReason::UnknownUser => Self::UnknownUser,
        }
    }
}

/// Ingests records.
pub struct IngestRecords {
    profiles: Arc<dyn ProfileReader>,
    store: Store,
    parser: Arc<dyn IngestParser>,
    daily: DailyEvents,
}

impl IngestRecords {
    /// Creates the use case.
    pub fn new(store: Store, profiles: Arc<dyn ProfileReader>, parser: Arc<dyn IngestParser>) -> Self {
        Self { profiles, store, parser, daily: DailyEvents::default() }
    }

    /// Ingests the items of a body.
    ///
    /// The body is read twice, so that nothing of a malformed or too long body is stored. Reading blocks the
    /// thread.
    pub async fn run(
        &self,
        command: IngestCommand,
        body: &dyn IngestBody,
    ) -> Result<IngestReport, IngestError> {
        if let Some(user_id) = command.shape.user_id {
            self.make_sure_of(user_id).await?;
        }
        if self.parser.count(command.shape.layout, begin(body)?, MAX_ITEMS)? > MAX_ITEMS {
            return Err(IngestError::TooManyItems);
        }
        let mut source = self.parser.open(command.shape, begin(body)?)?;
        let mut report = IngestReport::default();
        let mut run = Run::new(command.shape.user_id, &self.store);
        loop {
            let items = source.next_batch(BATCH)?;
            if items.is_empty() {
                return Ok(report);
            }
            report.extend(self.store(command, &mut run, items).await?);
        }
    }

    /// Stores a batch; returns the results of its items, in order.
    async fn store(
        &self,
        command: IngestCommand,
        run: &mut Run<'_>,
        items: Vec<IngestItem>,
    ) -> Result<Vec<ItemResult>, IngestError> {
        let mut answers: Vec<Option<ItemResult>> = Vec::with_capacity(items.len());
        let (mut people, mut records, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        for (position, IngestItem { content, notes: of_item }) in items.into_iter().enumerate() {
            notes.push(of_item);
            answers.push(match content {
                Ok(IngestContent::User(user)) => {
                    people.push((position, user));
                    None
                }
                Ok(IngestContent::Record(item)) => {
                    records.push((position, item));
                    None
                }
                Err(refusal) => Some(ItemResult::Rejected(refusal)),
            });
        }
        let mut found = self.store_people(command.client_id, people).await?;
        found.extend(self.store_profiles(command, &mut records).await?);
        let backend = BackendTrace { client_id: command.client_id, daily: &self.daily };
        let storing = BatchWriter { store: &self.store, import: None, pause: None, backend: Some(backend) };
        found.extend(records::store(&storing, run, records).await?);
        for (position, result) in found {
            if let Some(answer) = answers.get_mut(position) {
                *answer = Some(result);
            }
        }
        let results = answers.into_iter().flatten().zip(notes);
        Ok(results.map(|(result, notes)| result.with_notes(&notes)).collect())
    }

    async fn make_sure_of(&self, user_id: UserId) -> Result<(), IngestError> {
        let found = self.profiles.find_profile(user_id).await?;
        found.map(|_| ()).ok_or(IngestError::UnknownUser)
    }

    fn event(&self, client_id: ClientId, kind: AuditKind, user_id: UserId) -> AuditEvent {
        self.store.event(AuditActor::Client, kind).client(client_id).user(user_id)
    }
}

fn begin(body: &dyn IngestBody) -> Result<Box<dyn Read + Send>, ImportRefusal> {
    body.open().map_err(|error| ImportRefusal::Unreadable(error.kind().to_string()))
}
