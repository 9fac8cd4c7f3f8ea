//! Sessions that become what they would be without one import.

use super::Undone;
use super::replay::{Histories, History, Replayed, without};
use crate::ports::storage::{RecordReference, SessionNote, StorageError, UnitOfWork};
use chrono::{DateTime, SubsecRound as _, Utc};
use domain::id::{ImportId, SleepSessionId, UserId};
use domain::sleep::SleepSession;
use std::collections::BTreeSet;

/// How many sessions are looked at together at most. They are those of one night, but for a source that joins its nights
/// without an end, or says of hundreds that they were at the same time: each is compared with each, while other people's
/// requests wait.
const MOST: usize = 200;

/// Takes back what one import did to sessions of a person, in a unit of work.
pub(super) struct Nights<'a> {
    pub(super) unit: &'a mut dyn UnitOfWork,
    pub(super) id: ImportId,
    pub(super) user_id: UserId,
    pub(super) now: DateTime<Utc>,
}

impl Nights<'_> {
    /// Takes back what the import did to these sessions, and to all that have to do with them. Returns which of its sessions
    /// were dealt with, and how.
    pub(super) async fn take_back(
        &mut self,
        ids: BTreeSet<SleepSessionId>,
    ) -> Result<(BTreeSet<SleepSessionId>, Undone), StorageError> {
        let histories = self.histories(ids).await?;
        let replayed = without(self.id, &histories);
        let mut lost = self.store(&histories, &replayed).await?;
        self.note(&histories, &replayed).await?;
        lost.extend(&replayed.displaced);
        if !lost.is_empty() {
            let records: Vec<_> = lost.iter().copied().map(RecordReference::Session).collect();
            self.unit.imports().overtake(Some(self.user_id), &records).await?;
        }
        let is_own = |history: &History| history.notes.iter().any(|note| note.import == self.id);
        let own = histories.iter().filter(|(_, history)| is_own(history));
        let own: BTreeSet<_> = own.map(|(id, _)| *id).collect();
        let mut undone = Undone::default();
        for id in &own {
            let count = match (lost.contains(id), replayed.sessions.contains_key(id)) {
                (true, _) => &mut undone.left,
                (false, true) => &mut undone.restored,
                (false, false) => &mut undone.removed,
            };
            *count = count.saturating_add(1);
        }
        Ok((own, undone))
    }

    /// Finds out what was done to these sessions, and to all that they met, or would.
    async fn histories(&mut self, mut ids: BTreeSet<SleepSessionId>) -> Result<Histories, StorageError> {
        let mut histories = Histories::new();
        while !ids.is_empty() && histories.len() < MOST {
            let asked: Vec<_> = ids.iter().copied().collect();
            let notes = self.unit.imports().session_notes(self.user_id, &asked).await?;
            let found = self.unit.sleep().find_many(self.user_id, &asked).await?;
            let mut new: Histories = ids.iter().map(|id| (*id, History::default())).collect();
            for session in found {
                let history: &mut History = new.entry(session.id).or_default();
                history.now = Some(session);
            }
            for note in notes {
                new.entry(note.id).or_default().notes.push(note);
            }
            for history in new.values_mut() {
                if history.notes.last().is_some_and(|last| !last.is_latest) {
                    (history.notes, history.is_overtaken) = (Vec::new(), true);
                }
            }
            let near = self.near(&new).await?;
            histories.append(&mut new);
            let room = MOST.saturating_sub(histories.len());
            ids = near.into_iter().filter(|id| !histories.contains_key(id)).take(room).collect();
        }
        Ok(histories)
    }

    /// Lists the sessions that any of these overlap, or overlapped, and those that have their keys.
    async fn near(&mut self, histories: &Histories) -> Result<BTreeSet<SleepSessionId>, StorageError> {
        let versions = || histories.values().flat_map(History::versions);
        let heads: Vec<_> = versions().map(|session| session.record.head().clone()).collect();
        let stretches: Vec<_> = heads.iter().map(|head| head.time_in_bed).collect();
        let noted = self.unit.imports().sessions_noted_near(self.user_id, &stretches).await?;
        let stored = self.unit.sleep().find_candidates(self.user_id, &heads).await?;
        Ok(noted.into_iter().chain(stored.into_iter().map(|session| session.id)).collect())
    }

    /// Makes the sessions what they are to be; returns those that could not become it, because somebody else has their id or
    /// their key.
    async fn store(
        &mut self,
        histories: &Histories,
        replayed: &Replayed,
    ) -> Result<BTreeSet<SleepSessionId>, StorageError> {
        let is_there = |id: &SleepSessionId| histories.get(id).is_some_and(|history| history.now.is_some());
        let gone = histories.keys().filter(|id| is_there(id) && !replayed.sessions.contains_key(id));
        let gone: Vec<_> = gone.copied().collect();
        if !gone.is_empty() {
            self.unit.sleep().delete(self.user_id, &gone).await?;
        }
        let mut lost = BTreeSet::new();
        for (id, session) in &replayed.sessions {
            let now = histories.get(id).and_then(|history| history.now.as_ref());
            if now.is_some_and(|now| now.record == session.record) {
                continue;
            }
            // It changes now, whatever it was: who syncs by this time must see it.
            let session = SleepSession { updated_at: self.now.trunc_subsecs(3), ..session.clone() };
            let stored = if now.is_some() {
                self.unit.sleep().update(self.user_id, &session).await.map(drop)
            } else {
                self.unit.sleep().insert(self.user_id, &[session]).await
            };
            match stored {
                Ok(()) => {}
                Err(StorageError::Conflict(_)) => {
                    lost.insert(*id);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(lost)
    }

    /// Notes what the other imports did, as if this one had never been; where nothing is different nothing is written.
    async fn note(&mut self, histories: &Histories, replayed: &Replayed) -> Result<(), StorageError> {
        let is_different = |id: &SleepSessionId, history: &History| {
            let told: Vec<_> = replayed.notes.iter().filter(|note| note.id == *id).collect();
            let is_same = history.notes.len() == told.len()
                && history.notes.iter().zip(told).all(|(was, is)| is_same_note(was, is));
            let record = |session: Option<&SleepSession>| session.map(|session| session.record.clone());
            !is_same || record(history.now.as_ref()) != record(replayed.sessions.get(id))
        };
        let different = histories.iter().filter(|(id, history)| is_different(id, history));
        let ids: Vec<_> = different.map(|(id, _)| *id).collect();
        let notes = replayed.notes.iter().filter(|note| ids.contains(&note.id));
        let notes: Vec<_> = notes.cloned().collect();
        if ids.is_empty() {
            return Ok(());
        }
        self.unit.imports().rewrite_session_notes(self.user_id, &ids, &notes).await
    }
}

/// Returns whether two notes say the same, the times of change aside.
fn is_same_note(one: &SessionNote, other: &SessionNote) -> bool {
    let record = |session: &Option<SleepSession>| session.as_ref().map(|session| session.record.clone());
    let SessionNote { import, id, position, before, waiting, is_latest: _ } = one;
    (*import, *id, *position) == (other.import, other.id, other.position)
        && record(before) == record(&other.before)
        && record(waiting) == record(&other.waiting)
}
