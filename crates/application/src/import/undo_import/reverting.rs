//! Reverts one batch of records.

use super::scan::Scan;
use crate::model::undone::{KeptItem, KeptReason, KeptRecord};
use crate::ports::storage::{
    ImportChange, JournalEntry, RecordBefore, RecordReference, RecordVersion, StorageError, UnitOfWork,
};
use chrono::{DateTime, SubsecRound as _, Utc};
use domain::id::{IntakeLogId, SleepSessionId, SupplementId, UserId};
use domain::sleep::SleepSession;
use domain::supplement::{IntakeLog, Supplement};
use std::collections::HashMap;

/// Result of a batch.
#[derive(Debug, Default)]
pub(super) struct RevertedBatch {
    pub(super) removed: u64,
    pub(super) restored: u64,
    pub(super) kept: Vec<KeptRecord>,
    /// Records whose notes are no longer needed.
    pub(super) settled: Vec<RecordReference>,
}

/// Reverts records in a unit of work, latest change first.
pub(super) struct BatchReverter<'a> {
    tx: &'a mut dyn UnitOfWork,
    user_id: Option<UserId>,
    now: DateTime<Utc>,
    current: CurrentRecords,
    /// Records to delete in one statement before other writes.
    gone_sessions: Vec<SleepSessionId>,
    gone_logs: Vec<IntakeLogId>,
    kept_sessions: HashMap<SleepSessionId, KeptReason>,
    reverted: RevertedBatch,
}

impl<'a> BatchReverter<'a> {
    pub(super) fn new(tx: &'a mut dyn UnitOfWork, user_id: Option<UserId>, now: DateTime<Utc>) -> Self {
        Self {
            tx,
            user_id,
            now,
            current: CurrentRecords::default(),
            gone_sessions: Vec::new(),
            gone_logs: Vec::new(),
            kept_sessions: HashMap::new(),
            reverted: RevertedBatch::default(),
        }
    }

    /// Reverts the records of these notes that are unchanged since the import.
    pub(super) async fn run(
        mut self,
        noted: &[JournalEntry],
        scan: &Scan,
    ) -> Result<RevertedBatch, StorageError> {
        self.current = CurrentRecords::read(self.tx, self.user_id, noted).await?;
        for JournalEntry { change, place: _, changed_by } in noted {
            let why = changed_by.map(KeptReason::ChangedBy).or_else(|| self.kept_reason(change, scan));
            match why {
                Some(why) => self.keep(change, why),
                None => self.revert(change).await?,
            }
        }
        self.delete_gone().await?;
        Ok(self.reverted)
    }

    /// Returns why a record must be kept that no later import changed.
    fn kept_reason(&self, change: &ImportChange, scan: &Scan) -> Option<KeptReason> {
        let replacing = change.replaced_by;
        let blocked = replacing.and_then(|id| self.kept_sessions.get(&id).copied().or(scan.kept_reason(id)));
        blocked.or_else(|| match self.current.version(change.record) {
            current if current == change.left => None,
            None => Some(KeptReason::Deleted),
            Some(_) => Some(KeptReason::Changed),
        })
    }

    fn keep(&mut self, change: &ImportChange, why: KeptReason) {
        let what = match change.record {
            RecordReference::Session(id) => {
                self.kept_sessions.insert(id, why);
                KeptItem::Session(id)
            }
            RecordReference::Log(id) => KeptItem::Log(id),
            RecordReference::Label(id) => KeptItem::Label(id),
        };
        let at = self.current.time(change.record).or_else(|| change.before.as_ref().and_then(time_before));
        self.reverted.kept.push(KeptRecord { what, at, why });
    }

    async fn revert(&mut self, change: &ImportChange) -> Result<(), StorageError> {
        let is_done = match (&change.before, change.record) {
            (Some(before), record) => {
                self.delete_gone().await?;
                self.restore(record, before).await?
            }
            (None, RecordReference::Session(id)) => {
                self.gone_sessions.extend(change.left.map(|_| id));
                true
            }
            (None, RecordReference::Log(id)) => {
                self.gone_logs.push(id);
                true
            }
            (None, RecordReference::Label(id)) => {
                self.delete_gone().await?;
                self.tx.supplements().retract(id, None).await?
            }
        };
        if !is_done {
            self.keep(change, KeptReason::InUse);
            return Ok(());
        }
        self.reverted.settled.push(change.record);
        if change.before.is_some() {
            self.reverted.restored += 1;
        } else if change.left.is_some() {
            self.reverted.removed += 1;
        }
        Ok(())
    }

    /// Restores the earlier state of a record; returns false if another record has its id or its key, or a
    /// label is in use.
    async fn restore(
        &mut self,
        record: RecordReference,
        before: &RecordBefore,
    ) -> Result<bool, StorageError> {
        let is_there = self.current.version(record).is_some();
        let outcome = match (before, self.user_id) {
            (RecordBefore::Session(session), Some(user_id)) => {
                // Counts as a change at this time, so that apps that sync by it see the record.
                let updated_at = self.now.trunc_subsecs(3);
                let session = SleepSession { updated_at, ..session.as_ref().clone() };
                if is_there {
                    self.tx.sleep().update(user_id, &session).await
                } else {
                    self.tx.sleep().insert(user_id, &[session]).await.map(|()| true)
                }
            }
            (RecordBefore::Log(log), Some(user_id)) => {
                if is_there {
                    self.tx.intake_logs().update(user_id, log).await
                } else {
                    self.tx.intake_logs().insert(user_id, std::slice::from_ref(log)).await.map(|()| true)
                }
            }
            (RecordBefore::Label(label), _) => self.restore_label(record, &label.1).await,
            // A catalogue has no records of a person.
            (RecordBefore::Session(_) | RecordBefore::Log(_), None) => Ok(false),
        };
        match outcome {
            Err(StorageError::Conflict(_)) => Ok(false),
            outcome => outcome,
        }
    }

    async fn restore_label(
        &mut self,
        record: RecordReference,
        before: &Supplement,
    ) -> Result<bool, StorageError> {
        match record {
            RecordReference::Label(id) if id != before.id => {
                self.tx.supplements().retract(id, Some(before.id)).await
            }
            _ => self.tx.supplements().update(before).await,
        }
    }

    async fn delete_gone(&mut self) -> Result<(), StorageError> {
        let Some(user_id) = self.user_id else { return Ok(()) };
        let (sessions, logs) = (std::mem::take(&mut self.gone_sessions), std::mem::take(&mut self.gone_logs));
        if !sessions.is_empty() {
            self.tx.sleep().delete(user_id, &sessions).await?;
        }
        if !logs.is_empty() {
            self.tx.intake_logs().delete(user_id, &logs).await?;
        }
        Ok(())
    }
}

fn time_before(before: &RecordBefore) -> Option<DateTime<Utc>> {
    match before {
        RecordBefore::Session(session) => Some(session.record.time_in_bed().start()),
        RecordBefore::Log(log) => Some(log.record.created_at()),
        RecordBefore::Label(_) => None,
    }
}

/// The records of a batch as they are now.
#[derive(Default)]
struct CurrentRecords {
    sessions: HashMap<SleepSessionId, SleepSession>,
    logs: HashMap<IntakeLogId, IntakeLog>,
    labels: HashMap<SupplementId, Supplement>,
}

impl CurrentRecords {
    async fn read(
        tx: &mut dyn UnitOfWork,
        user_id: Option<UserId>,
        noted: &[JournalEntry],
    ) -> Result<Self, StorageError> {
        let (mut sessions, mut logs, mut labels) = (Vec::new(), Vec::new(), Vec::new());
        for note in noted {
            match note.change.record {
                RecordReference::Session(id) => sessions.push(id),
                RecordReference::Log(id) => logs.push(id),
                RecordReference::Label(id) => labels.push(id),
            }
        }
        let mut current = Self::default();
        if let Some(user_id) = user_id.filter(|_| !sessions.is_empty()) {
            let found = tx.sleep().find_many(user_id, &sessions).await?;
            current.sessions = found.into_iter().map(|session| (session.id, session)).collect();
        }
        if let Some(user_id) = user_id.filter(|_| !logs.is_empty()) {
            let found = tx.intake_logs().find_many(user_id, &logs).await?;
            current.logs = found.into_iter().map(|log| (log.id, log)).collect();
        }
        if !labels.is_empty() {
            let found = tx.supplements().find_many(&labels).await?;
            current.labels = found.into_iter().map(|(_, label)| (label.id, label)).collect();
        }
        Ok(current)
    }

    fn version(&self, record: RecordReference) -> Option<RecordVersion> {
        match record {
            RecordReference::Session(id) => {
                self.sessions.get(&id).map(|session| RecordVersion::of_session(&session.record))
            }
            RecordReference::Log(id) => self.logs.get(&id).map(|log| RecordVersion::of_log(&log.record)),
            RecordReference::Label(id) => {
                self.labels.get(&id).map(|label| RecordVersion::of_label(&label.label))
            }
        }
    }

    fn time(&self, record: RecordReference) -> Option<DateTime<Utc>> {
        match record {
            RecordReference::Session(id) => {
                self.sessions.get(&id).map(|session| session.record.time_in_bed().start())
            }
            RecordReference::Log(id) => self.logs.get(&id).map(|log| log.record.created_at()),
            RecordReference::Label(_) => None,
        }
    }
}
