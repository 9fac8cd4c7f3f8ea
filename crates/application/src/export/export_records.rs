//! Exports a user's records as a stream.

use super::Export;
use crate::audit::{DailyEvents, ReadRecorder};
use crate::ports::export_writer::{ExportNotWritten, ExportWriter};
use crate::ports::storage::StorageError;
use crate::ports::system::Pause;
use crate::record::RecordReaders;
use crate::store::{Store, transact};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::UserId;
use domain::read_tally::Reader;
use domain::scope::ScopeSet;
use std::sync::Arc;

/// Input of an export.
#[derive(Clone)]
pub struct ExportQuery {
    /// The user's id.
    pub user_id: UserId,
    /// Scopes that limit what is exported.
    pub scopes: ScopeSet,
    /// Caller of the export.
    pub by: Exporter,
}

/// Caller of an export.
#[derive(Clone)]
pub enum Exporter {
    /// The user, on a page.
    Person,
    /// The operator, on the command line.
    Operator,
    /// An app or a personal access token, whose reads are recorded too.
    Reader(Reader, ReadRecorder),
}

/// Errors of an export.
#[derive(Debug, thiserror::Error)]
pub enum ExportRecordsError {
    /// No user has this id.
    #[error("there is no user with this id")]
    UnknownUser,
    /// A record could not be written.
    #[error(transparent)]
    NotWritten(#[from] ExportNotWritten),
    /// The store stayed unreachable during all retries.
    #[error(
        "the store could not be reached {tries} times in a row, so the export is incomplete; delete the \
         partial file, and export again once the store is available"
    )]
    StoreAway {
        /// Number of attempts.
        tries: usize,
    },
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Exports users' records.
pub struct ExportRecords {
    readers: RecordReaders,
    pause: Arc<dyn Pause>,
    store: Store,
    daily: DailyEvents,
}

impl ExportRecords {
    /// Creates the use case.
    pub fn new(readers: RecordReaders, pause: Arc<dyn Pause>, store: Store) -> Self {
        Self { readers, pause, store, daily: DailyEvents::default() }
    }

    /// Starts an export of an existing user; only the profile is read yet. The audit event is stored before
    /// the first byte is returned, so that aborted exports are recorded too.
    pub async fn open(
        &self,
        query: ExportQuery,
        writer: Box<dyn ExportWriter>,
    ) -> Result<Export, ExportRecordsError> {
        let user = self.readers.profiles.find_profile(query.user_id).await?;
        let user = user.ok_or(ExportRecordsError::UnknownUser)?;
        self.append(self.event(&query)).await?;
        Ok(Export::new(user, query, self.readers.clone(), self.pause.clone(), writer))
    }

    fn event(&self, ExportQuery { user_id, scopes: _, by }: &ExportQuery) -> AuditEvent {
        let event = |actor| self.store.event(actor, AuditKind::DataExported).user(*user_id);
        match by {
            Exporter::Person => event(AuditActor::Person),
            Exporter::Operator => event(AuditActor::Operator),
            Exporter::Reader(Reader::Client(id), _) => event(AuditActor::Client).client(*id),
            Exporter::Reader(Reader::PersonalToken(id), _) => event(AuditActor::Person).subject(id.as_uuid()),
        }
    }

    async fn append(&self, event: AuditEvent) -> Result<(), StorageError> {
        if event.is_daily() && self.daily.is_known(&event) {
            return Ok(());
        }
        let stored = transact!(self.store, |tx| {
            if event.is_daily() {
                return self.daily.append(tx, vec![event]).await;
            }
            tx.audit().append_once(&event, event.at).await?;
            Ok(Vec::new())
        })
        .await?;
        self.daily.remember(&stored);
        Ok(())
    }
}
