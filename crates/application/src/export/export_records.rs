//! Exports everything that Restwell holds of a person, as a stream of records.

use crate::ports::storage::{ProfileReader, SleepReader, StorageError, SupplementReader};
use domain::id::UserId;
use domain::sleep::SleepSession;
use domain::supplement::{CatalogueKey, IntakeLog, Supplement};
use domain::user::User;
use std::sync::Arc;

/// How many records are read at a time.
const BATCH: u32 = 500;

/// One record of an export.
#[derive(Debug, Clone, PartialEq)]
pub enum ExportItem {
    /// The person; always the first.
    Profile(Box<User>),
    /// A supplement that the person has logs of, with its key in the catalogue.
    Supplement(Box<(CatalogueKey, Supplement)>),
    /// A sleep session.
    Session(Box<SleepSession>),
    /// An intake; always after its supplement.
    Log(Box<IntakeLog>),
}

/// Says that the reader of an export has gone, so that it ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the output was closed")]
pub struct OutputClosed;

/// Where an export goes.
pub trait ExportSink: Send {
    /// Takes the next record.
    fn write(&mut self, item: ExportItem) -> Result<(), OutputClosed>;
}

/// Why an export did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum ExportRecordsError {
    /// There is no such person.
    #[error("there is no user with this id")]
    UnknownUser,
    /// The output was closed.
    #[error(transparent)]
    Closed(#[from] OutputClosed),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Exports people.
pub struct ExportRecords {
    profiles: Arc<dyn ProfileReader>,
    sleep: Arc<dyn SleepReader>,
    supplements: Arc<dyn SupplementReader>,
}

impl ExportRecords {
    /// Takes the ports.
    pub fn new(
        profiles: Arc<dyn ProfileReader>,
        sleep: Arc<dyn SleepReader>,
        supplements: Arc<dyn SupplementReader>,
    ) -> Self {
        Self { profiles, sleep, supplements }
    }

    /// Writes the profile, the supplements, the sessions and the logs, each oldest first; memory stays flat.
    pub async fn run(&self, user_id: UserId, sink: &mut dyn ExportSink) -> Result<(), ExportRecordsError> {
        let user = self.profiles.find_profile(user_id).await?.ok_or(ExportRecordsError::UnknownUser)?;
        sink.write(ExportItem::Profile(Box::new(user)))?;
        for supplement in self.supplements.list_taken(user_id).await? {
            sink.write(ExportItem::Supplement(Box::new(supplement)))?;
        }
        self.write_sessions(user_id, sink).await?;
        self.write_logs(user_id, sink).await
    }

    async fn write_sessions(
        &self,
        user_id: UserId,
        sink: &mut dyn ExportSink,
    ) -> Result<(), ExportRecordsError> {
        let mut after = None;
        loop {
            let sessions = self.sleep.walk(user_id, after, BATCH).await?;
            let Some(last) = sessions.last() else { return Ok(()) };
            after = Some((last.record.time_in_bed().start_millis(), last.id));
            for session in sessions {
                sink.write(ExportItem::Session(Box::new(session)))?;
            }
        }
    }

    async fn write_logs(&self, user_id: UserId, sink: &mut dyn ExportSink) -> Result<(), ExportRecordsError> {
        let mut after = None;
        loop {
            let logs = self.supplements.walk_logs(user_id, after, BATCH).await?;
            let Some(last) = logs.last() else { return Ok(()) };
            after = Some((last.record.created_at(), last.id));
            for log in logs {
                sink.write(ExportItem::Log(Box::new(log)))?;
            }
        }
    }
}
