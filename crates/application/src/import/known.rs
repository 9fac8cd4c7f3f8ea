//! Finds the sessions that a record may match by id, key and time.

use super::session_index::SessionIndex;
use domain::id::SleepSessionId;
use domain::sleep::{SessionKey, SleepRecord, SleepSession, SleepSource};
use std::collections::{BTreeMap, HashMap};

/// Stored and new sessions of one user that concern a batch.
///
/// A batch has thousands of records, so lookups must not scan all sessions.
#[derive(Default)]
pub(super) struct KnownRecords {
    /// In the order of insertion.
    sessions: BTreeMap<u64, Entry>,
    by_id: HashMap<SleepSessionId, u64>,
    by_source: HashMap<SleepSource, SessionIndex>,
    without_source: SessionIndex,
    next: u64,
}

struct Entry {
    session: SleepSession,
    /// Whether the session is already stored.
    is_stored: bool,
}

impl KnownRecords {
    /// Creates an index of stored sessions; of several with one id, the first is used.
    pub(super) fn stored(sessions: impl IntoIterator<Item = SleepSession>) -> Self {
        let mut known = Self::default();
        for session in sessions {
            known.learn(session);
        }
        known
    }

    /// Adds a stored session unless it is known.
    pub(super) fn learn(&mut self, session: SleepSession) {
        if !self.by_id.contains_key(&session.id) {
            self.add(session, true);
        }
    }

    /// Adds a session that is inserted at the end of the batch.
    pub(super) fn insert(&mut self, session: SleepSession) {
        self.add(session, false);
    }

    /// Replaces a session's record and moves it to the end of the order.
    pub(super) fn replace(&mut self, session: SleepSession) {
        let replaced = self.remove(session.id);
        self.add(session, replaced.is_some_and(|entry| entry.is_stored));
    }

    pub(super) fn forget(&mut self, id: SleepSessionId) {
        self.remove(id);
    }

    /// Finds a session by id.
    pub(super) fn get(&self, id: SleepSessionId) -> Option<&SleepSession> {
        self.entry(id).map(|entry| &entry.session)
    }

    /// Returns whether a session is waiting to be inserted.
    pub(super) fn is_waiting(&self, id: SleepSessionId) -> bool {
        self.entry(id).is_some_and(|entry| !entry.is_stored)
    }

    /// Finds a session by source and key.
    pub(super) fn with_key(&self, source: Option<&SleepSource>, key: &SessionKey) -> Option<&SleepSession> {
        self.of_source(source)?.with_key(key).find_map(|number| self.numbered(number))
    }

    /// Returns the sessions that the record may match or replace, in order of insertion.
    pub(super) fn near(&self, record: &SleepRecord) -> Vec<&SleepSession> {
        let numbers = self.of_source(record.source()).map(|near| near.near(record)).unwrap_or_default();
        numbers.into_iter().filter_map(|number| self.numbered(number)).collect()
    }

    /// Returns the sessions to insert, in order of insertion.
    pub(super) fn into_waiting(self) -> Vec<SleepSession> {
        let waiting = self.sessions.into_values().filter(|entry| !entry.is_stored);
        waiting.map(|entry| entry.session).collect()
    }

    fn entry(&self, id: SleepSessionId) -> Option<&Entry> {
        self.sessions.get(self.by_id.get(&id)?)
    }

    fn numbered(&self, number: u64) -> Option<&SleepSession> {
        self.sessions.get(&number).map(|entry| &entry.session)
    }

    fn of_source(&self, source: Option<&SleepSource>) -> Option<&SessionIndex> {
        match source {
            Some(source) => self.by_source.get(source),
            None => Some(&self.without_source),
        }
    }

    fn add(&mut self, session: SleepSession, is_stored: bool) {
        let number = self.next;
        self.next = number.saturating_add(1);
        self.by_id.insert(session.id, number);
        let near = match session.record.source() {
            Some(source) => self.by_source.entry(source.clone()).or_default(),
            None => &mut self.without_source,
        };
        near.add(&session.record, number);
        self.sessions.insert(number, Entry { session, is_stored });
    }

    fn remove(&mut self, id: SleepSessionId) -> Option<Entry> {
        let number = self.by_id.remove(&id)?;
        let entry = self.sessions.remove(&number)?;
        let record = &entry.session.record;
        let near = match record.source() {
            Some(source) => self.by_source.get_mut(source),
            None => Some(&mut self.without_source),
        };
        if let Some(near) = near {
            near.remove(record, number);
        }
        Some(entry)
    }
}
