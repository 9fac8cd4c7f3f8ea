//! Stores the batches of an import, each in a unit of work.

use super::attempt::Attempt;
use super::batch::{self, Batch, Numbered, RejectedRecord, RejectionCause};
use super::batch_result::BatchResult;
use super::run::Run;
use super::{intake_log, profile, session, supplement};
use crate::audit::DailyEvents;
use crate::ports::import_source::ImportItem;
use crate::ports::storage::{ImportChange, RecordReference, StorageError, UnitOfWork};
use crate::ports::system::Pause;
use crate::retry::Tries;
use crate::store::{RollBack, Store, transact};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{AuditEventId, ClientId, ImportId, UserId};
use domain::import::{ImportOrigin, ImportState};
use domain::user::{ProfileOrigin, ProfileSource};

/// Maximum number of records in one unit of work. Each unit of work costs a dozen statements and a disk sync,
/// however few records it has.
pub(super) const BATCH: usize = 2_000;
/// Maximum number of deferred records; beyond it, they are stored as another batch.
const MAX_WAITING: usize = BATCH;
/// Maximum number of records until the deferred ones are compared again. With a batch of each kind it is less
/// than the sessions that an import remembers, so that a deferred record is compared with each later one.
const COMPARED_AFTER: usize = 2 * BATCH;

/// Why storing stops.
#[derive(Debug)]
pub(super) enum StopReason {
    /// The store failed.
    Storage(StorageError),
    /// The import was undone or deleted in the meantime.
    Undone,
    /// The user was erased in the meantime.
    UnknownUser,
}

impl From<StorageError> for StopReason {
    fn from(error: StorageError) -> Self {
        Self::Storage(error)
    }
}

/// Stores batches.
pub(super) struct BatchWriter<'a> {
    pub(super) store: &'a Store,
    /// Import that records the changes for undo; `None` if they are not recorded.
    pub(super) import: Option<ImportId>,
    /// Waits for an unreachable store; `None` if the caller waits for the response or retries.
    pub(super) pause: Option<&'a dyn Pause>,
    /// Audit events for a backend's writes; `None` for an import, which recorded its event at the start.
    pub(super) backend: Option<BackendTrace<'a>>,
}

/// Who writes for a backend, and which events of today are recorded.
#[derive(Clone, Copy)]
pub(super) struct BackendTrace<'a> {
    pub(super) client_id: ClientId,
    pub(super) daily: &'a DailyEvents,
}

impl BackendTrace<'_> {
    fn events(self, store: &Store, user_id: Option<UserId>, changes: &[ImportChange]) -> Vec<AuditEvent> {
        let wrote = |is: fn(&RecordReference) -> bool| changes.iter().any(|change| is(&change.record));
        let event = |kind| store.event(AuditActor::Client, kind).client(self.client_id);
        let of_person = |kind| user_id.map(|user_id| event(kind).user(user_id));
        let mut events = Vec::new();
        if wrote(|record| matches!(record, RecordReference::Session(_))) {
            events.extend(of_person(AuditKind::SleepWritten));
        }
        if wrote(|record| matches!(record, RecordReference::Log(_))) {
            events.extend(of_person(AuditKind::IntakeLogsWritten));
        }
        if wrote(|record| matches!(record, RecordReference::Label(_))) {
            events.push(event(AuditKind::LabelsWritten));
        }
        events
    }
}

impl BatchWriter<'_> {
    /// Begins a unit of work, with retries.
    pub(super) async fn begin(&self) -> Result<Box<dyn UnitOfWork>, StorageError> {
        let mut tries = Tries::new(self.pause);
        loop {
            match self.store.units.begin().await {
                Err(error) if tries.again(&error).await => {}
                outcome => return outcome,
            }
        }
    }

    /// Stores a batch and reports its outcomes in file order.
    pub(super) async fn store(&self, run: &mut Run<'_>, batch: Batch) -> Result<(), StopReason> {
        let Batch { records, mut rejected, notes, left_out_labels } = batch;
        run.report.left_out_labels |= left_out_labels;
        run.results.clear();
        run.notes.clear();
        match self.store_together(run, &records).await {
            Ok(found) => rejected.extend(found),
            Err(StopReason::Storage(StorageError::Conflict(_))) => {
                rejected.extend(self.store_one_by_one(run, &records).await?);
            }
            Err(error) => return Err(error),
        }
        rejected.sort_by_key(|(position, _)| *position);
        for (position, unstored) in rejected {
            run.reject(position, unstored);
        }
        for note in notes {
            run.report.note(note);
        }
        Ok(())
    }

    /// Drops the deferred records that lost to a record of the last batches, of which the latest has
    /// `records`; if too many remain, stores them.
    pub(super) async fn review_deferred(&self, run: &mut Run<'_>, records: usize) -> Result<(), StopReason> {
        run.uncompared += records;
        if run.waiting.len() > MAX_WAITING || run.uncompared > COMPARED_AFTER {
            run.uncompared = 0;
            self.store_again(run).await?;
        }
        if run.waiting.len() > MAX_WAITING {
            self.store_deferred(run).await?;
        }
        Ok(())
    }

    /// Stores the deferred records.
    pub(super) async fn store_deferred(&self, run: &mut Run<'_>) -> Result<(), StopReason> {
        run.may_defer = false;
        self.store_again(run).await?;
        run.may_defer = true;
        Ok(())
    }

    async fn store_again(&self, run: &mut Run<'_>) -> Result<(), StopReason> {
        let mut waiting = run.take_deferred();
        while !waiting.is_empty() {
            let rest = waiting.split_off(BATCH.min(waiting.len()));
            self.store(run, Batch::sort(waiting, true)).await?;
            waiting = rest;
        }
        Ok(())
    }

    /// Stores records one by one if they cannot be stored together, so that only invalid ones are rejected.
    async fn store_one_by_one(
        &self,
        run: &mut Run<'_>,
        records: &[Numbered<ImportItem>],
    ) -> Result<Vec<Numbered<RejectedRecord>>, StopReason> {
        let mut rejected = Vec::new();
        for record in records {
            match self.store_together(run, std::slice::from_ref(record)).await {
                Ok(found) => rejected.extend(found),
                Err(StopReason::Storage(StorageError::Conflict(_))) => {
                    let (position, item) = record;
                    rejected
                        .push((*position, RejectedRecord::new(item.place(), RejectionCause::KeyConflict)));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(rejected)
    }

    /// Stores records in one transaction, with retries after conflicts or if the store is unreachable;
    /// returns the rejections. If a commit succeeded without confirmation, the next try finds its records
    /// unchanged.
    async fn store_together(
        &self,
        run: &mut Run<'_>,
        records: &[Numbered<ImportItem>],
    ) -> Result<Vec<Numbered<RejectedRecord>>, StopReason> {
        if records.is_empty() {
            return Ok(Vec::new());
        }
        let mut tries = Tries::new(self.pause);
        loop {
            match self.attempt(run, records).await {
                Ok(found) => return Ok(run.take(found)),
                Err(StopReason::Storage(error)) if tries.again(&error).await => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Makes one try. A dry run does the same and rolls back at once, so that it blocks other writers no
    /// longer than an import.
    async fn attempt(
        &self,
        run: &Run<'_>,
        records: &[Numbered<ImportItem>],
    ) -> Result<BatchResult, StopReason> {
        let stored = transact!(self.store, |tx| {
            let found = self.within(tx, run, records).await.map_err(|stop| RollBack(Err(stop)))?;
            if run.is_dry {
                return Err(RollBack(Ok(found)));
            }
            let Some(trace) = self.backend else { return Ok((found, Vec::new())) };
            let events = trace.events(self.store, run.user_id, &found.changes);
            Ok((found, trace.daily.append(tx, events).await?))
        });
        match stored.await {
            Ok((found, events)) => {
                if let Some(trace) = self.backend {
                    trace.daily.remember(&events);
                }
                Ok(found)
            }
            Err(RollBack(outcome)) => outcome,
        }
    }

    async fn within(
        &self,
        tx: &mut dyn UnitOfWork,
        run: &Run<'_>,
        records: &[Numbered<ImportItem>],
    ) -> Result<BatchResult, StopReason> {
        let found = store_records(tx, run, records).await?;
        let Some(id) = self.import.filter(|_| !run.is_dry) else { return Ok(found) };
        let Some(mut import) = tx.imports().find(id).await? else { return Err(StopReason::Undone) };
        // A concurrent import of the same file, which shares the row, may have finished.
        if !matches!(import.state, ImportState::Running | ImportState::Done) {
            return Err(StopReason::Undone);
        }
        if !found.changes.is_empty() {
            tx.import_journal().note(id, run.user_id, &found.changes).await?;
        }
        if let Some(user_id) = run.user_id.filter(|_| found.profile_changed) {
            let applied = found.report.profile.iter().filter(|change| change.is_applied);
            let origin = ProfileOrigin::Import(id);
            let sources = applied.map(|change| ProfileSource { field: change.field(), origin, at: run.now });
            let sources: Vec<_> = sources.collect();
            tx.users().record_sources(user_id, &sources).await?;
            let actor = match import.origin {
                ImportOrigin::Command => AuditActor::Operator,
                ImportOrigin::Upload => AuditActor::Person,
            };
            let event_id = AuditEventId::from_uuid(run.entropy.uuid());
            let event = AuditEvent::new(event_id, run.now, AuditKind::ProfileImported, actor);
            tx.record(event.user(user_id).subject(id.as_uuid())).await?;
        }
        if import.state == ImportState::Running {
            // Includes this batch: after a crash the next try finds it stored. Its rejections are added
            // later.
            import.report = found.report.clone().after(&run.earlier).shortened();
            import.bytes_done = run.bytes_done;
            tx.imports().update(&import).await?;
        }
        Ok(found)
    }
}

/// Stores records in this unit of work; returns what the run takes over after the commit.
async fn store_records(
    tx: &mut dyn UnitOfWork,
    run: &Run<'_>,
    records: &[Numbered<ImportItem>],
) -> Result<BatchResult, StopReason> {
    if let Some(user_id) = run.user_id {
        // Locks the user first, so that other writers of this user wait here only.
        tx.users().find(user_id).await?.ok_or(StopReason::UnknownUser)?;
    }
    let mut attempt = Attempt::new(run);
    supplement::store(&mut attempt, tx, batch::supplements(records)).await?;
    if let Some(user_id) = run.user_id {
        profile::store(&mut attempt, tx, user_id, batch::profiles(records)).await?;
        session::store(&mut attempt, tx, user_id, batch::sessions(records)).await?;
        intake_log::store(&mut attempt, tx, user_id, batch::logs(records)).await?;
    }
    Ok(attempt.into_result())
}
