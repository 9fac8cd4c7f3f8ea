//! Imports a file: checks it whole, then stores it batch by batch.

use super::ImportReport;
use super::batch::{Batch, Numbered, rejection};
use super::run::{Attempt, Found, Run};
use crate::ports::import_source::{ImportFile, ImportItem, ImportRefusal, Rejection};
use crate::ports::storage::{StorageError, UnitOfWork, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy};
use domain::id::UserId;
use std::sync::Arc;

/// How many records are stored in one unit of work.
const BATCH: usize = 500;
/// How often a batch is tried: another import of the same records may be faster, batch by batch.
const TRIES: u32 = 5;

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
        self.require_user(command.user_id).await?;
        let mut run = Run::new(command, self.clock.now(), self.entropy.as_ref());
        let mut source = file.open()?;
        loop {
            let items = source.next_batch(BATCH)?;
            if items.is_empty() {
                return Ok(run.report);
            }
            self.store(&mut run, Batch::sort(items, command.user_id.is_some())).await?;
            progress(source.bytes_read());
        }
    }

    async fn require_user(&self, user_id: Option<UserId>) -> Result<(), ImportRecordsError> {
        let Some(user_id) = user_id else { return Ok(()) };
        let mut unit = self.begin().await?;
        let user = unit.users().find(user_id).await?;
        unit.rollback().await?;
        user.map(|_| ()).ok_or(ImportRecordsError::UnknownUser)
    }

    /// Begins a unit of work; where there is one writer, after others.
    async fn begin(&self) -> Result<Box<dyn UnitOfWork>, StorageError> {
        let mut tries = 1;
        loop {
            match self.units.begin().await {
                Err(StorageError::Retryable) if tries < TRIES => tries += 1,
                outcome => return outcome,
            }
        }
    }

    /// Stores a batch and tells what became of it, in the file's order.
    async fn store(&self, run: &mut Run<'_>, batch: Batch) -> Result<(), StorageError> {
        let Batch { records, mut rejected, notes } = batch;
        match self.store_together(run, &records).await {
            Ok(found) => rejected.extend(found),
            Err(StorageError::Conflict(_)) => rejected.extend(self.store_singly(run, &records).await?),
            Err(error) => return Err(error),
        }
        rejected.sort_by_key(|(position, _)| *position);
        for (_, rejection) in rejected {
            run.report.reject(rejection);
        }
        for note in notes {
            run.report.note(note);
        }
        Ok(())
    }

    /// Stores records that cannot be stored together, so that only those at fault are rejected.
    async fn store_singly(
        &self,
        run: &mut Run<'_>,
        records: &[Numbered<ImportItem>],
    ) -> Result<Vec<Numbered<Rejection>>, StorageError> {
        let mut rejected = Vec::new();
        for record in records {
            match self.store_together(run, std::slice::from_ref(record)).await {
                Ok(found) => rejected.extend(found),
                Err(StorageError::Conflict(_)) => {
                    let (position, item) = record;
                    let reason = "its id or its key belongs to another record";
                    rejected.push((*position, rejection(item.place(), reason)));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(rejected)
    }

    /// Stores records in one unit of work, which is tried again when somebody else was in the way; returns what
    /// was rejected.
    async fn store_together(
        &self,
        run: &mut Run<'_>,
        records: &[Numbered<ImportItem>],
    ) -> Result<Vec<Numbered<Rejection>>, StorageError> {
        if records.is_empty() {
            return Ok(Vec::new());
        }
        let mut tries = 1;
        loop {
            match self.attempt(run, records).await {
                Ok(found) => return Ok(run.take(found)),
                Err(StorageError::Conflict(_) | StorageError::Retryable) if tries < TRIES => tries += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Tries once. A dry run does the same and takes it back at once, so that it keeps nobody waiting for longer
    /// than an import does.
    async fn attempt(&self, run: &Run<'_>, records: &[Numbered<ImportItem>]) -> Result<Found, StorageError> {
        let mut unit = self.units.begin().await?;
        match Attempt::new(run).store(unit.as_mut(), records).await {
            Ok(found) => {
                if run.is_dry {
                    unit.rollback().await?;
                } else {
                    unit.commit().await?;
                }
                Ok(found)
            }
            Err(error) => {
                // What failed says more than that the store did not take it back; dropped, it is gone too.
                let _ = unit.rollback().await;
                Err(error)
            }
        }
    }
}

fn read_to_the_end(file: &dyn ImportFile) -> Result<(), ImportRefusal> {
    let mut source = file.open()?;
    while !source.next_batch(BATCH)?.is_empty() {}
    Ok(())
}
