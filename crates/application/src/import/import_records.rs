//! Imports a file: checks it whole, then stores it batch by batch.

use super::report::Met;
use super::{ImportReport, intake_log, profile, session, supplement};
use crate::ports::import_source::{
    ImportFile, ImportItem, ImportRefusal, ImportedLog, ImportedProfile, ImportedSession, ImportedSupplement,
    Rejection,
};
use crate::ports::storage::{StorageError, UnitOfWork, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy};
use chrono::{DateTime, Utc};
use domain::id::{SupplementId, UserId};
use std::collections::HashMap;
use std::sync::Arc;

/// How many records are stored in one unit of work.
const BATCH: usize = 500;

/// What is to be imported, and for whom.
#[derive(Debug, Clone, Copy)]
pub struct ImportRecordsCommand {
    /// The person; only a catalogue of supplements needs none.
    pub user_id: Option<UserId>,
    /// Whether only to tell what would be done.
    pub dry_run: bool,
}

/// Why a file was not imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportRecordsError {
    /// The file is refused; nothing of it was stored.
    #[error(transparent)]
    Refused(#[from] ImportRefusal),
    /// There is no such person.
    #[error("there is no user with this id")]
    UnknownUser,
    /// The store failed; what was stored so far stays, and importing the file again goes on from there.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Imports files.
pub struct ImportRecords {
    units: Arc<dyn UnitOfWorkFactory>,
    entropy: Arc<dyn Entropy>,
    clock: Arc<dyn Clock>,
}

/// One import under way.
pub(super) struct Run<'a> {
    pub(super) user_id: Option<UserId>,
    pub(super) now: DateTime<Utc>,
    pub(super) entropy: &'a dyn Entropy,
    pub(super) report: ImportReport,
    pub(super) met: Met,
    /// Where the store knows a supplement by another id than the file.
    pub(super) aliases: HashMap<SupplementId, SupplementId>,
}

/// The records of one batch, by kind, each in the file's order.
#[derive(Default)]
struct Batch {
    profiles: Vec<ImportedProfile>,
    supplements: Vec<ImportedSupplement>,
    sessions: Vec<ImportedSession>,
    logs: Vec<ImportedLog>,
}

impl ImportRecords {
    /// Takes the ports.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>, entropy: Arc<dyn Entropy>, clock: Arc<dyn Clock>) -> Self {
        Self { units, entropy, clock }
    }

    /// Imports a file; `progress` is told how many bytes of the second reading are done.
    ///
    /// The file is read twice: a file that breaks off at its end must leave no trace, and a transaction over a
    /// whole file would keep every other writer out. Reading blocks the thread.
    pub async fn run(
        &self,
        command: ImportRecordsCommand,
        file: &dyn ImportFile,
        progress: &(dyn Fn(u64) + Send + Sync),
    ) -> Result<ImportReport, ImportRecordsError> {
        read_to_the_end(file)?;
        let mut run = Run {
            user_id: command.user_id,
            now: self.clock.now(),
            entropy: self.entropy.as_ref(),
            report: ImportReport::default(),
            met: Met::default(),
            aliases: HashMap::new(),
        };
        self.require_user(command.user_id).await?;
        let mut source = file.open()?;
        let mut unit: Option<Box<dyn UnitOfWork>> = None;
        loop {
            let items = source.next_batch(BATCH)?;
            if items.is_empty() {
                break;
            }
            let mut open = match unit.take() {
                Some(open) => open,
                None => self.units.begin().await?,
            };
            run.store(open.as_mut(), items).await?;
            // A dry run keeps one unit of work, so that a record that comes twice is recognised.
            if command.dry_run {
                unit = Some(open);
            } else {
                open.commit().await?;
            }
            progress(source.bytes_read());
        }
        if let Some(open) = unit {
            open.rollback().await?;
        }
        Ok(run.report)
    }

    async fn require_user(&self, user_id: Option<UserId>) -> Result<(), ImportRecordsError> {
        let Some(user_id) = user_id else { return Ok(()) };
        let mut unit = self.units.begin().await?;
        let user = unit.users().find(user_id).await?;
        unit.rollback().await?;
        user.map(|_| ()).ok_or(ImportRecordsError::UnknownUser)
    }
}

fn read_to_the_end(file: &dyn ImportFile) -> Result<(), ImportRefusal> {
    let mut source = file.open()?;
    while !source.next_batch(BATCH)?.is_empty() {}
    Ok(())
}

impl Run<'_> {
    async fn store(&mut self, unit: &mut dyn UnitOfWork, items: Vec<ImportItem>) -> Result<(), StorageError> {
        let batch = self.sort(items);
        supplement::store(self, unit, batch.supplements).await?;
        if let Some(user_id) = self.user_id {
            profile::store(self, unit, user_id, batch.profiles).await?;
            session::store(self, unit, user_id, batch.sessions).await?;
            intake_log::store(self, unit, user_id, batch.logs).await?;
        }
        Ok(())
    }

    fn sort(&mut self, items: Vec<ImportItem>) -> Batch {
        let mut batch = Batch::default();
        for item in items {
            match item {
                ImportItem::Supplement(supplement) => batch.supplements.push(*supplement),
                ImportItem::Rejected(rejection) => self.report.reject(rejection),
                ImportItem::Note(note) => self.report.note(note),
                ImportItem::Profile(_) | ImportItem::Session(_) | ImportItem::Log(_)
                    if self.user_id.is_none() =>
                {
                    self.report.reject(Rejection {
                        place: "a record of a person".to_owned(),
                        reason: "this record belongs to a person; say whose with --user".to_owned(),
                    });
                }
                ImportItem::Profile(profile) => batch.profiles.push(*profile),
                ImportItem::Session(session) => batch.sessions.push(*session),
                ImportItem::Log(log) => batch.logs.push(*log),
            }
        }
        batch
    }
}
