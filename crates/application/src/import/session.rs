//! Stores sleep sessions of a file.

use super::attempt::Attempt;
use super::batch::{Numbered, RejectionCause};
use super::deferred;
use super::known::KnownRecords;
use super::repetition::Repetition;
use super::run::Origin;
use super::session_order::in_order_of_precedence;
use crate::model::import_report::{ItemStatus, Rejection};
use crate::ports::import_source::ImportedSession;
use crate::ports::storage::{RecordBefore, RecordReference, RecordVersion, StorageError, UnitOfWork};
use chrono::SubsecRound;
use domain::id::{SleepSessionId, UserId};
use domain::sleep::{Detail, Precedence, Reconciliation, SleepRecord, SleepSession, reconcile};
use std::borrow::Cow;

/// The sessions of one user while a batch is stored.
struct Sessions {
    user_id: UserId,
    /// Stored and new sessions that a record of the batch may match; new ones are inserted together at the
    /// end.
    known: KnownRecords,
    /// Ids for new sessions, in descending order.
    ids: Vec<SleepSessionId>,
    /// Stored sessions to delete in one statement before other writes.
    gone: Vec<SleepSessionId>,
}

/// Stores the sessions of one batch with two lookups, and then the changes.
pub(super) async fn store(
    attempt: &mut Attempt<'_>,
    tx: &mut dyn UnitOfWork,
    user_id: UserId,
    imported: Vec<Numbered<&ImportedSession>>,
) -> Result<(), StorageError> {
    let now = attempt.run.now;
    let (future, imported): (Vec<_>, Vec<_>) =
        imported.into_iter().partition(|(_, session)| session.record.time_in_bed().is_in_the_future(now));
    for (position, session) in future {
        attempt.reject(position, &session.place, RejectionCause::InTheFuture);
    }
    if imported.is_empty() {
        return Ok(());
    }
    let known = candidates(tx, user_id, &imported).await?;
    let mut sessions = Sessions { user_id, known, ids: drawn_ids(attempt, &imported), gone: Vec::new() };
    let (mut lost, is_request) = (Vec::new(), attempt.run.origin == Origin::Request);
    for (position, session) in in_order_of_precedence(attempt.run.origin, imported) {
        let kept_out = sessions.store(attempt, tx, (position, session), is_request).await?;
        lost.extend(kept_out.map(|session| (position, session)));
    }
    for (position, session) in &lost {
        sessions.store(attempt, tx, (*position, session), true).await?;
    }
    sessions.delete_gone(tx).await?;
    tx.sleep().insert(user_id, &sessions.known.into_waiting()).await
}

/// Generates an id for each record without one. Ids are used in ascending order, so that inserts walk each
/// index once per batch.
fn drawn_ids(attempt: &Attempt<'_>, imported: &[Numbered<&ImportedSession>]) -> Vec<SleepSessionId> {
    let unnamed = imported.iter().filter(|(_, session)| session.id.is_none());
    let mut ids: Vec<_> = unnamed.map(|_| SleepSessionId::from_uuid(attempt.run.entropy.uuid())).collect();
    ids.sort_unstable_by(|one, other| other.cmp(one));
    ids
}

async fn candidates(
    tx: &mut dyn UnitOfWork,
    user_id: UserId,
    imported: &[Numbered<&ImportedSession>],
) -> Result<KnownRecords, StorageError> {
    let heads: Vec<_> = imported.iter().map(|(_, session)| session.record.head().clone()).collect();
    let ids: Vec<_> = imported.iter().filter_map(|(_, session)| session.id).collect();
    let candidates = tx.sleep().find_candidates(user_id, &heads).await?;
    let by_id = if ids.is_empty() { Vec::new() } else { tx.sleep().find_many(user_id, &ids).await? };
    Ok(KnownRecords::stored(candidates.into_iter().chain(by_id)))
}

impl Sessions {
    /// Stores or defers one record of the batch. Returns it if a stored session is kept instead, which
    /// another record of the batch may still replace; `is_last_time` notes it instead.
    async fn store(
        &mut self,
        attempt: &mut Attempt<'_>,
        tx: &mut dyn UnitOfWork,
        (position, imported): Numbered<&ImportedSession>,
        is_last_time: bool,
    ) -> Result<Option<ImportedSession>, StorageError> {
        let session = self.told_apart(attempt, tx, position, imported).await?;
        let session = session.as_ref();
        let Some(decision) = self.decide(attempt, session) else {
            // One of the two may be the session that a waiting record would replace.
            if attempt.must_defer(&session.record, &[]) {
                attempt.wait(imported.clone());
            } else {
                attempt.reject(position, &session.place, RejectionCause::SessionOfTwo);
            }
            return Ok(None);
        };
        let decision = match decision {
            Choice::Store(decision) => decision,
            Choice::Drop(id) => {
                attempt.note(position, Repetition::Repeated.note(&session.place));
                attempt.settle(position, RecordReference::Session(id), ItemStatus::Unchanged);
                return Ok(None);
            }
        };
        let is_stored = |id| self.known.get(id).is_some_and(|same| same.record == session.record);
        let wants = deferred::affected_sessions(&decision, &session.record);
        if !matches!(decision, Reconciliation::Unchanged(id) if is_stored(id))
            && session.id.is_none()
            && attempt.must_defer(&session.record, &wants)
        {
            attempt.wait(session.clone());
            return Ok(None);
        }
        if let Reconciliation::Unchanged(id) = decision
            && let Some(same) = self.known.get(id)
            && same.record != session.record
            && !same.record.time_in_bed().same_to_the_minute(session.record.time_in_bed())
        {
            if is_last_time {
                attempt.note(position, Repetition::Kept.note(&session.place));
                attempt.settle(position, RecordReference::Session(id), ItemStatus::Unchanged);
            }
            return Ok((!is_last_time).then(|| session.clone()));
        }
        for reason in self.replacement_notes(attempt, &decision, &session.record) {
            attempt.note(position, Rejection { place: session.place.clone(), reason });
        }
        let (id, outcome) = self.place(attempt, tx, session, decision).await?;
        let is_stored = self.known.get(id).is_some_and(|same| same.record == session.record);
        attempt.settle_session((position, session), (id, outcome), is_stored);
        Ok(None)
    }

    /// Removes the id, or the key, of a record if the file has it already for a session of another time: such
    /// an id was rounded or copied, and the record is another session.
    async fn told_apart<'s>(
        &mut self,
        attempt: &mut Attempt<'_>,
        tx: &mut dyn UnitOfWork,
        position: usize,
        imported: &'s ImportedSession,
    ) -> Result<Cow<'s, ImportedSession>, StorageError> {
        let is_another = |session: &SleepSession| attempt.is_another(session, imported);
        let record = &imported.record;
        let by_id = imported.id.and_then(|id| self.known.get(id));
        let has_anothers_id = by_id.is_some_and(is_another);
        // A known id counts more than the key.
        let has_anothers_key = by_id.is_none()
            && record.key().is_given()
            && self.known.with_key(record.source(), record.key()).is_some_and(is_another);
        if !has_anothers_id && !has_anothers_key {
            return Ok(Cow::Borrowed(imported));
        }
        attempt.note(position, Repetition::Ambiguous.note(&imported.place));
        let record = record.clone();
        let record = if has_anothers_key { record.with_derived_key() } else { record };
        // The store was asked for the sessions of the old key.
        for session in tx.sleep().find_candidates(self.user_id, &[record.head().clone()]).await? {
            if !self.gone.contains(&session.id) {
                self.known.learn(session);
            }
        }
        let id = imported.id.filter(|_| !has_anothers_id);
        Ok(Cow::Owned(ImportedSession { id, record, ..imported.clone() }))
    }

    /// Decides how to store a record; `None` if its id and its key belong to two sessions.
    fn decide(&self, attempt: &Attempt<'_>, imported: &ImportedSession) -> Option<Choice> {
        let precedence = |session: &SleepSession| attempt.precedence(session, imported);
        if imported.id.is_some() {
            let decision = decide(&self.known, imported)?;
            return Some(match decision {
                Reconciliation::Replace { id, .. }
                    if self.known.get(id).and_then(precedence) == Some(Precedence::Session) =>
                {
                    Choice::Drop(id)
                }
                decision => Choice::Store(decision),
            });
        }
        let mut near = self.known.near(&imported.record);
        if let Some(kept) = near.iter().find(|near| precedence(near) == Some(Precedence::Session)) {
            return Some(Choice::Drop(kept.id));
        }
        near.retain(|near| precedence(near) != Some(Precedence::Both));
        Some(Choice::Store(match reconcile(&near, &imported.record) {
            // Two rows of this import are one session.
            Reconciliation::Insert { mut removes } => {
                match removes.iter().position(|id| attempt.has_created(*id)) {
                    Some(own) => Reconciliation::Replace { id: removes.remove(own), removes },
                    None => Reconciliation::Insert { removes },
                }
            }
            decision => decision,
        }))
    }

    /// Returns notes on what a decision replaces.
    fn replacement_notes(
        &self,
        attempt: &Attempt<'_>,
        decision: &Reconciliation,
        record: &SleepRecord,
    ) -> Vec<String> {
        let (replaced, removes) = match decision {
            Reconciliation::Replace { id, removes } => (self.known.get(*id), removes.len()),
            Reconciliation::Insert { removes } => (None, removes.len()),
            Reconciliation::Unchanged(_) => (None, 0),
        };
        let lost = replaced.and_then(|session| {
            let is_own = attempt.has_created(session.id);
            loss(&session.record, record, is_own).map(|what| format!("replaced a session that had {what}"))
        });
        let overlapping = match removes {
            0 => None,
            1 => Some("replaced an overlapping session of the same source".to_owned()),
            number => Some(format!("replaced {number} overlapping sessions of the same source")),
        };
        lost.into_iter().chain(overlapping).collect()
    }

    /// Stores the decision about one session; new ones are inserted later.
    async fn place(
        &mut self,
        attempt: &mut Attempt<'_>,
        tx: &mut dyn UnitOfWork,
        imported: &ImportedSession,
        decision: Reconciliation,
    ) -> Result<(SleepSessionId, ItemStatus), StorageError> {
        let record = imported.record.clone();
        let updated_at = imported.updated_at.unwrap_or(attempt.run.now).trunc_subsecs(3);
        match decision {
            Reconciliation::Unchanged(id) => Ok((id, ItemStatus::Unchanged)),
            Reconciliation::Replace { id, removes } => {
                self.remove(attempt, &removes, id);
                self.replace(attempt, tx, SleepSession { id, record, updated_at }).await?;
                Ok((id, ItemStatus::Updated))
            }
            Reconciliation::Insert { removes } => {
                let id = imported.id.unwrap_or_else(|| self.next_id(attempt));
                self.remove(attempt, &removes, id);
                let session = SleepSession { id, record, updated_at };
                note(attempt, None, &session);
                self.known.insert(session);
                // A session that replaces others counts as an update.
                Ok((id, if removes.is_empty() { ItemStatus::Created } else { ItemStatus::Updated }))
            }
        }
    }

    fn next_id(&mut self, attempt: &Attempt<'_>) -> SleepSessionId {
        self.ids.pop().unwrap_or_else(|| SleepSessionId::from_uuid(attempt.run.entropy.uuid()))
    }

    async fn replace(
        &mut self,
        attempt: &mut Attempt<'_>,
        tx: &mut dyn UnitOfWork,
        session: SleepSession,
    ) -> Result<(), StorageError> {
        if self.known.is_waiting(session.id) {
            note(attempt, None, &session);
        } else {
            note(attempt, self.known.get(session.id), &session);
            // A deleted session may have the key that this one gets.
            self.delete_gone(tx).await?;
            tx.sleep().update(self.user_id, &session).await?;
        }
        self.known.replace(session);
        Ok(())
    }

    /// Deletes replaced sessions; those not inserted yet are dropped.
    fn remove(&mut self, attempt: &mut Attempt<'_>, removes: &[SleepSessionId], by: SleepSessionId) {
        for id in removes {
            if self.known.is_waiting(*id) {
                attempt.discard_added(*id, by);
            } else if let Some(session) = self.known.get(*id) {
                attempt.removed(session.clone(), by);
                self.gone.push(*id);
            }
        }
        for id in removes {
            self.known.forget(*id);
        }
    }

    async fn delete_gone(&mut self, tx: &mut dyn UnitOfWork) -> Result<(), StorageError> {
        if self.gone.is_empty() {
            return Ok(());
        }
        let gone = std::mem::take(&mut self.gone);
        tx.sleep().delete(self.user_id, &gone).await.map(drop)
    }
}

/// Records an added session, or a changed one with its previous state.
fn note(attempt: &mut Attempt<'_>, before: Option<&SleepSession>, session: &SleepSession) {
    let before = before.map(|session| RecordBefore::Session(Box::new(session.clone())));
    let left = || RecordVersion::of_session(&session.record);
    attempt.changed(RecordReference::Session(session.id), before, left);
}

/// Names what a session has and the record that replaces it has not. `is_own`: the session is of this import.
fn loss(session: &SleepRecord, record: &SleepRecord, is_own: bool) -> Option<&'static str> {
    let (before, after) = (session.time_in_bed(), record.time_in_bed());
    match session.detail() {
        Detail::Stages if record.detail() < session.detail() => Some("stages"),
        Detail::Totals if record.detail() < session.detail() => Some("totals"),
        _ if is_own || record.key().is_given() || before.same_to_the_minute(after) => None,
        _ => (before.millis() > after.millis()).then_some("a longer time in bed"),
    }
}

/// How to store a record.
enum Choice {
    Store(Reconciliation),
    /// Not at all: this session of the same import is kept.
    Drop(SleepSessionId),
}

/// Decides how to store a record of Restwell's own export: it is matched by its id and replaces no other
/// session. `None` if its id and its key belong to two sessions.
fn decide(known: &KnownRecords, imported: &ImportedSession) -> Option<Reconciliation> {
    let record = &imported.record;
    let by_id = imported.id.and_then(|id| known.get(id));
    match (by_id, known.with_key(record.source(), record.key())) {
        (Some(one), Some(other)) if one.id != other.id => None,
        (Some(same), _) | (None, Some(same)) if same.record == *record => {
            Some(Reconciliation::Unchanged(same.id))
        }
        (Some(same), _) | (None, Some(same)) => {
            Some(Reconciliation::Replace { id: same.id, removes: Vec::new() })
        }
        (None, None) => Some(Reconciliation::Insert { removes: Vec::new() }),
    }
}
