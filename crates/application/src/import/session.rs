//! Sleep sessions that a file carries.

use super::Run;
use super::report::Outcome;
use crate::ports::import_source::ImportedSession;
use crate::ports::storage::{StorageError, UnitOfWork};
use chrono::SubsecRound;
use domain::id::{SleepSessionId, UserId};
use domain::sleep::{Reconciliation, SleepSession, reconcile};

/// The sessions of one person while a batch is stored.
struct Sessions {
    user_id: UserId,
    /// What the store has, or will have, that a record of the batch might be.
    known: Vec<SleepSession>,
    /// New sessions, stored together at the end.
    inserted: Vec<SleepSession>,
}

/// Stores the sessions of one batch: two look-ups, then what changes.
pub(super) async fn store(
    run: &mut Run<'_>,
    unit: &mut dyn UnitOfWork,
    user_id: UserId,
    imported: Vec<ImportedSession>,
) -> Result<(), StorageError> {
    if imported.is_empty() {
        return Ok(());
    }
    let known = candidates(unit, user_id, &imported).await?;
    let mut sessions = Sessions { user_id, known, inserted: Vec::new() };
    for session in imported {
        let entries = u64::try_from(session.record.hypnogram().len()).unwrap_or(u64::MAX);
        let (id, outcome) = sessions.place(run, unit, session).await?;
        if run.met.sessions.first(id) {
            run.report.sessions.add(outcome);
            run.report.stage_entries += entries;
        }
    }
    unit.sleep().insert(user_id, &sessions.inserted).await
}

async fn candidates(
    unit: &mut dyn UnitOfWork,
    user_id: UserId,
    imported: &[ImportedSession],
) -> Result<Vec<SleepSession>, StorageError> {
    let records: Vec<_> = imported.iter().map(|session| session.record.clone()).collect();
    let ids: Vec<_> = imported.iter().filter_map(|session| session.id).collect();
    let mut known = unit.sleep().find_candidates(user_id, &records).await?;
    let by_id = if ids.is_empty() { Vec::new() } else { unit.sleep().find_many(user_id, &ids).await? };
    for session in by_id {
        if !known.iter().any(|other| other.id == session.id) {
            known.push(session);
        }
    }
    Ok(known)
}

impl Sessions {
    /// Decides about one session and stores what changes, but for new ones.
    async fn place(
        &mut self,
        run: &Run<'_>,
        unit: &mut dyn UnitOfWork,
        imported: ImportedSession,
    ) -> Result<(SleepSessionId, Outcome), StorageError> {
        let updated_at = imported.updated_at.unwrap_or(run.now).trunc_subsecs(3);
        match decide(&self.known, &imported) {
            Reconciliation::Unchanged(id) => Ok((id, Outcome::Unchanged)),
            Reconciliation::Replace { id, removes } => {
                self.remove(unit, &removes).await?;
                self.replace(unit, SleepSession { id, record: imported.record, updated_at }).await?;
                Ok((id, Outcome::Updated))
            }
            Reconciliation::Insert { removes } => {
                self.remove(unit, &removes).await?;
                let id = imported.id.unwrap_or_else(|| SleepSessionId::from_uuid(run.entropy.uuid()));
                let session = SleepSession { id, record: imported.record, updated_at };
                self.known.push(session.clone());
                self.inserted.push(session);
                // A session that takes the place of others is a change of what was known.
                Ok((id, if removes.is_empty() { Outcome::New } else { Outcome::Updated }))
            }
        }
    }

    async fn replace(
        &mut self,
        unit: &mut dyn UnitOfWork,
        session: SleepSession,
    ) -> Result<(), StorageError> {
        if let Some(waiting) = self.inserted.iter_mut().find(|waiting| waiting.id == session.id) {
            *waiting = session.clone();
        } else {
            unit.sleep().update(self.user_id, &session).await?;
        }
        self.known.retain(|other| other.id != session.id);
        self.known.push(session);
        Ok(())
    }

    async fn remove(
        &mut self,
        unit: &mut dyn UnitOfWork,
        removes: &[SleepSessionId],
    ) -> Result<(), StorageError> {
        if removes.is_empty() {
            return Ok(());
        }
        self.known.retain(|session| !removes.contains(&session.id));
        self.inserted.retain(|session| !removes.contains(&session.id));
        unit.sleep().delete(self.user_id, removes).await.map(|_| ())
    }
}

/// A record of Restwell's own export is known by its id and takes nobody else's place.
fn decide(known: &[SleepSession], imported: &ImportedSession) -> Reconciliation {
    let record = &imported.record;
    let Some(id) = imported.id else { return reconcile(known, record) };
    let has_key = |s: &&SleepSession| s.record.source() == record.source() && s.record.key() == record.key();
    let same = known.iter().find(|session| session.id == id).or_else(|| known.iter().find(has_key));
    match same {
        Some(session) if session.record == *record => Reconciliation::Unchanged(session.id),
        Some(session) => Reconciliation::Replace { id: session.id, removes: Vec::new() },
        None => Reconciliation::Insert { removes: Vec::new() },
    }
}
