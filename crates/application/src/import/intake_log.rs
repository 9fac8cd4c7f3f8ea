//! Stores intake logs of a file.

use super::attempt::Attempt;
use super::batch::{Numbered, RejectionCause};
use super::known_logs::{KnownLogs, LogNames, MetLog};
use super::log_match;
use crate::model::import_report::ItemStatus;
use crate::ports::import_source::ImportedLog;
use crate::ports::storage::{RecordBefore, RecordReference, RecordVersion, StorageError, UnitOfWork};
use domain::id::{IntakeLogId, SupplementId, UserId};
use domain::supplement::{IntakeLog, Upc};
use std::collections::{HashMap, HashSet};

/// The logs of one user while a batch is stored.
struct Intake {
    user_id: UserId,
    /// Stored and new logs that a record of the batch may match.
    known: KnownLogs,
    /// Places of the new logs in the order of insertion; they are inserted together at the end.
    inserted: HashMap<IntakeLogId, usize>,
}

/// Stores the logs of one batch. A log in the future, or of an unknown supplement, is rejected.
pub(super) async fn store(
    attempt: &mut Attempt<'_>,
    tx: &mut dyn UnitOfWork,
    user_id: UserId,
    imported: impl Iterator<Item = Numbered<&ImportedLog>> + Send,
) -> Result<(), StorageError> {
    let logs = of_known_supplements(attempt, tx, user_id, imported).await?;
    if logs.is_empty() {
        return Ok(());
    }
    let known = candidates(attempt, tx, user_id, &logs).await?;
    let mut intake = Intake { user_id, known, inserted: HashMap::new() };
    for (position, log) in logs {
        intake.store(attempt, tx, position, log).await?;
    }
    if attempt.run.is_dry {
        // In a dry run the supplements of earlier batches, which the logs refer to, do not exist.
        return Ok(());
    }
    tx.intake_logs().insert(user_id, &intake.into_inserted()).await
}

/// Replaces the supplement ids of the logs by the stored ones; looks up each supplement once. Rejects logs
/// in the future and of unknown supplements.
async fn of_known_supplements(
    attempt: &mut Attempt<'_>,
    tx: &mut dyn UnitOfWork,
    user_id: UserId,
    imported: impl Iterator<Item = Numbered<&ImportedLog>> + Send,
) -> Result<Vec<Numbered<ImportedLog>>, StorageError> {
    let mut unknown = HashSet::new();
    let mut logs = Vec::new();
    for (position, log) in imported {
        if log.record.is_in_the_future(attempt.run.now) {
            attempt.reject(position, &log.place, RejectionCause::TakenInTheFuture);
            continue;
        }
        let id = attempt.known_id(log.record.supplement_id());
        if attempt.recall(|memory| &memory.supplements, &id).is_none() && !unknown.contains(&id) {
            match find_supplement(attempt, tx, user_id, id, log.upc.as_ref()).await? {
                Some(found) => {
                    attempt.has_supplement(found);
                    if found != id {
                        attempt.alias(id, found);
                    }
                }
                None => {
                    unknown.insert(id);
                }
            }
        }
        if unknown.contains(&id) {
            attempt.reject(position, &log.place, unknown_supplement(log));
        } else {
            logs.push((position, of_supplement(log, attempt.known_id(id))));
        }
    }
    Ok(logs)
}

/// Finds the supplement of a log: by product code if the file has one, else by id. Another person's own
/// product is unknown.
async fn find_supplement(
    attempt: &Attempt<'_>,
    tx: &mut dyn UnitOfWork,
    user_id: UserId,
    id: SupplementId,
    upc: Option<&Upc>,
) -> Result<Option<SupplementId>, StorageError> {
    let Some(upc) = upc else {
        let found = tx.supplements().find(id).await?;
        let found = found.filter(|(key, _)| key.is_visible_to(user_id));
        return Ok(found.map(|(_, supplement)| supplement.id));
    };
    let found = tx.supplements().find_by_upc(upc, user_id).await?;
    Ok(found.map(|supplement| supplement.id).or_else(|| attempt.run.memory.unstored_codes.get(upc).copied()))
}

const fn unknown_supplement(log: &ImportedLog) -> RejectionCause {
    if log.upc.is_some() { RejectionCause::UnknownUpc } else { RejectionCause::UnknownSupplement }
}

fn of_supplement(log: &ImportedLog, id: SupplementId) -> ImportedLog {
    ImportedLog { record: log.record.clone().of_supplement(id), ..log.clone() }
}

/// Returns the logs that the records may match: in a dry run as its earlier batches would have left them.
async fn candidates(
    attempt: &Attempt<'_>,
    tx: &mut dyn UnitOfWork,
    user_id: UserId,
    logs: &[Numbered<ImportedLog>],
) -> Result<KnownLogs, StorageError> {
    let records: Vec<_> = logs.iter().map(|(_, log)| log.record.clone()).collect();
    let ids: Vec<_> = logs.iter().filter_map(|(_, log)| Some(attempt.known_log_id(log.id?))).collect();
    let mut stored = tx.intake_logs().find_candidates(user_id, &records).await?;
    if !ids.is_empty() {
        stored.extend(tx.intake_logs().find_many(user_id, &ids).await?);
    }
    let unstored = &attempt.run.unstored_logs;
    let mut known = KnownLogs::default();
    for log in stored {
        known.put(unstored.get(log.id).cloned().unwrap_or(log));
    }
    ids.iter().filter_map(|id| unstored.get(*id)).for_each(|log| known.put(log.clone()));
    for (_, imported) in logs {
        unstored.candidates(imported).for_each(|log| known.put(log.clone()));
    }
    Ok(known)
}

impl Intake {
    /// Returns the logs to insert, in the order of insertion.
    fn into_inserted(self) -> Vec<IntakeLog> {
        let mut inserted: Vec<_> = self.inserted.into_iter().collect();
        inserted.sort_unstable_by_key(|(_, place)| *place);
        inserted.into_iter().filter_map(|(id, _)| self.known.get(id).cloned()).collect()
    }

    /// Stores one record, unless it repeats an earlier one of its file.
    async fn store(
        &mut self,
        attempt: &mut Attempt<'_>,
        tx: &mut dyn UnitOfWork,
        position: usize,
        imported: ImportedLog,
    ) -> Result<(), StorageError> {
        let imported = log_match::told_apart(&self.known, attempt, position, imported);
        let Ok(same) =
            log_match::find_same(&self.known, attempt, &imported).map(Option::<&IntakeLog>::cloned)
        else {
            attempt.reject(position, &imported.place, RejectionCause::LogOfTwo);
            return Ok(());
        };
        let place = imported.place.clone();
        let earlier = same.as_ref().and_then(|same| log_match::met_in_file(attempt, imported.file, same.id));
        let (id, outcome) = match (same, earlier) {
            (Some(same), Some(earlier)) if earlier.last.is_repeated_by(&LogNames::of(&imported), same.id) => {
                attempt.meet_log(same.id, earlier);
                (same.id, ItemStatus::Unchanged)
            }
            (Some(same), Some(earlier)) => self.displace(attempt, tx, imported, (same, earlier)).await?,
            (same, _) => self.meet(attempt, tx, imported, same).await?,
        };
        attempt.settle_log((position, &place), (id, outcome));
        Ok(())
    }

    /// Stores a record as the log with its id or key, though an earlier record of its file has that log by
    /// supplement and time only: the earlier one becomes another log.
    async fn displace(
        &mut self,
        attempt: &mut Attempt<'_>,
        tx: &mut dyn UnitOfWork,
        imported: ImportedLog,
        (same, earlier): (IntakeLog, MetLog),
    ) -> Result<(IntakeLogId, ItemStatus), StorageError> {
        let record = same.record.clone().without_key();
        let displaced = ImportedLog { id: earlier.last.id, record, ..imported.clone() };
        self.meet(attempt, tx, imported, Some(same)).await?;
        let other = log_match::taken_alike(&self.known, attempt, &displaced).cloned();
        self.meet(attempt, tx, displaced, other).await
    }

    /// Stores a record that its file has not had yet. If an earlier file had the log, the import counts it by
    /// its net effect.
    async fn meet(
        &mut self,
        attempt: &mut Attempt<'_>,
        tx: &mut dyn UnitOfWork,
        imported: ImportedLog,
        same: Option<IntakeLog>,
    ) -> Result<(IntakeLogId, ItemStatus), StorageError> {
        let (file, last) = (imported.file, LogNames::of(&imported));
        let version = |log: &IntakeLog| RecordVersion::of_log(&log.record);
        let before = same.as_ref().map(version);
        let earlier = same.as_ref().and_then(|log| attempt.met_log(log.id));
        let (id, outcome) = self.place(attempt, tx, imported, same).await?;
        let found = earlier.map_or(before, |met| met.found);
        let counted = match found {
            None => ItemStatus::Created,
            found if found == self.known.get(id).map(version) => ItemStatus::Unchanged,
            Some(_) => ItemStatus::Updated,
        };
        if let Some(earlier) = earlier.filter(|met| met.counted != counted) {
            attempt.recount_log(earlier.counted, counted);
        }
        attempt.meet_log(id, MetLog { file, last, found, counted });
        Ok((id, outcome))
    }

    /// Stores the changes of one log; new ones are inserted later.
    async fn place(
        &mut self,
        attempt: &mut Attempt<'_>,
        tx: &mut dyn UnitOfWork,
        imported: ImportedLog,
        same: Option<IntakeLog>,
    ) -> Result<(IntakeLogId, ItemStatus), StorageError> {
        let ImportedLog { id, record, .. } = imported;
        if let Some(log) = same {
            let (id, record) = (log.id, record.of_intake(&log.record));
            if log.record == record {
                return Ok((id, ItemStatus::Unchanged));
            }
            self.replace(attempt, tx, log, record.with_id(id)).await?;
            return Ok((id, ItemStatus::Updated));
        }
        let id = id.unwrap_or_else(|| IntakeLogId::from_uuid(attempt.run.entropy.uuid()));
        let log = record.with_id(id);
        note(attempt, None, &log);
        attempt.leave_unstored(&log);
        self.inserted.insert(id, self.inserted.len());
        self.known.put(log);
        Ok((id, ItemStatus::Created))
    }

    async fn replace(
        &mut self,
        attempt: &mut Attempt<'_>,
        tx: &mut dyn UnitOfWork,
        before: IntakeLog,
        log: IntakeLog,
    ) -> Result<(), StorageError> {
        if self.inserted.contains_key(&log.id) {
            note(attempt, None, &log);
        } else if !attempt.run.is_dry {
            note(attempt, Some(before), &log);
            tx.intake_logs().update(self.user_id, &log).await?;
        }
        attempt.leave_unstored(&log);
        self.known.put(log);
        Ok(())
    }
}

/// Records an added log, or a changed one with its previous state.
fn note(attempt: &mut Attempt<'_>, before: Option<IntakeLog>, log: &IntakeLog) {
    let before = before.map(|log| RecordBefore::Log(Box::new(log)));
    attempt.changed(RecordReference::Log(log.id), before, || RecordVersion::of_log(&log.record));
}
