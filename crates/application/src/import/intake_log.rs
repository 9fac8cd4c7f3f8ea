//! Intake logs that a file carries.

use super::Run;
use super::report::Outcome;
use crate::ports::import_source::{ImportedLog, Rejection};
use crate::ports::storage::{StorageError, UnitOfWork};
use domain::id::{IntakeLogId, SupplementId, UserId};
use domain::supplement::{IntakeLog, IntakeLogRecord};

/// The logs of one person while a batch is stored.
struct Intake {
    user_id: UserId,
    /// What the store has, or will have, that a record of the batch might be.
    known: Vec<IntakeLog>,
    /// New logs, stored together at the end.
    inserted: Vec<IntakeLog>,
}

/// Stores the logs of one batch. A log of a supplement that nobody knows is rejected.
pub(super) async fn store(
    run: &mut Run<'_>,
    unit: &mut dyn UnitOfWork,
    user_id: UserId,
    imported: Vec<ImportedLog>,
) -> Result<(), StorageError> {
    let mut logs = Vec::with_capacity(imported.len());
    for log in imported {
        let log = ImportedLog { record: under_known_id(run, log.record), ..log };
        if is_known(unit, &logs, log.record.supplement_id()).await? {
            logs.push(log);
        } else {
            run.report.reject(Rejection {
                place: log.place,
                reason: "the supplement of this log is not in the catalogue; import its label first"
                    .to_owned(),
            });
        }
    }
    if logs.is_empty() {
        return Ok(());
    }
    let mut intake = Intake { user_id, known: candidates(unit, user_id, &logs).await?, inserted: Vec::new() };
    for log in logs {
        let (id, outcome) = intake.place(run, unit, log).await?;
        if run.met.logs.first(id) {
            run.report.logs.add(outcome);
        }
    }
    unit.intake_logs().insert(user_id, &intake.inserted).await
}

fn under_known_id(run: &Run<'_>, record: IntakeLogRecord) -> IntakeLogRecord {
    match run.aliases.get(&record.supplement_id()) {
        Some(known) => record.of_supplement(*known),
        None => record,
    }
}

/// Asks the store once for each run of logs of one supplement.
async fn is_known(
    unit: &mut dyn UnitOfWork,
    before: &[ImportedLog],
    id: SupplementId,
) -> Result<bool, StorageError> {
    if before.last().is_some_and(|log| log.record.supplement_id() == id) {
        return Ok(true);
    }
    Ok(unit.supplements().find(id).await?.is_some())
}

async fn candidates(
    unit: &mut dyn UnitOfWork,
    user_id: UserId,
    logs: &[ImportedLog],
) -> Result<Vec<IntakeLog>, StorageError> {
    let records: Vec<_> = logs.iter().map(|log| log.record.clone()).collect();
    let ids: Vec<_> = logs.iter().filter_map(|log| log.id).collect();
    let mut known = unit.intake_logs().find_candidates(user_id, &records).await?;
    let by_id = if ids.is_empty() { Vec::new() } else { unit.intake_logs().find_many(user_id, &ids).await? };
    for log in by_id {
        if !known.iter().any(|other| other.id == log.id) {
            known.push(log);
        }
    }
    Ok(known)
}

impl Intake {
    /// Decides about one log and stores what changes, but for new ones.
    async fn place(
        &mut self,
        run: &Run<'_>,
        unit: &mut dyn UnitOfWork,
        imported: ImportedLog,
    ) -> Result<(IntakeLogId, Outcome), StorageError> {
        let same = self.find_same(run, &imported).cloned();
        let ImportedLog { id, record, place: _ } = imported;
        match same {
            Some(log) if log.record == record => Ok((log.id, Outcome::Unchanged)),
            Some(log) => {
                self.replace(unit, record.with_id(log.id)).await?;
                Ok((log.id, Outcome::Updated))
            }
            None => {
                let log = record.with_id(id.unwrap_or_else(|| IntakeLogId::from_uuid(run.entropy.uuid())));
                let id = log.id;
                self.known.push(log.clone());
                self.inserted.push(log);
                Ok((id, Outcome::New))
            }
        }
    }

    /// Known by Restwell's id, else by the client's own key, else by what was taken when.
    ///
    /// Two entries of Restwell's own export are two, also when they say the same: one that this file brought
    /// itself is known by its id or its key only.
    fn find_same(&self, run: &Run<'_>, imported: &ImportedLog) -> Option<&IntakeLog> {
        let by_id = imported.id.and_then(|id| self.known.iter().find(|known| known.id == id));
        by_id.or_else(|| {
            self.known.iter().find(|known| {
                match (known.record.external_key(), imported.record.external_key()) {
                    (Some(known), Some(imported)) => known == imported,
                    _ if imported.id.is_some() && run.met.logs.contains(&known.id) => false,
                    _ => is_taken_alike(&known.record, &imported.record),
                }
            })
        })
    }

    async fn replace(&mut self, unit: &mut dyn UnitOfWork, log: IntakeLog) -> Result<(), StorageError> {
        match self.inserted.iter_mut().find(|waiting| waiting.id == log.id) {
            Some(waiting) => *waiting = log.clone(),
            None => unit.intake_logs().update(self.user_id, &log).await.map(|_| ())?,
        }
        self.known.retain(|other| other.id != log.id);
        self.known.push(log);
        Ok(())
    }
}

fn is_taken_alike(known: &IntakeLogRecord, imported: &IntakeLogRecord) -> bool {
    known.supplement_id() == imported.supplement_id() && known.created_at() == imported.created_at()
}
