//! The sessions that a record of a batch may be, found by id, by key and by time.

use chrono::{DateTime, TimeDelta, Utc};
use domain::id::SleepSessionId;
use domain::sleep::{SessionKey, SleepRecord, SleepSession, SleepSource, TimeInBed};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What [`domain::sleep::reconcile`] calls the same minute may be so much apart.
const A_MINUTE: TimeDelta = TimeDelta::minutes(1);
const LONGEST: TimeDelta = TimeDelta::milliseconds(TimeInBed::MAX_MILLIS);

/// The sessions of one person that the store has, or will have, as far as a batch is about them.
///
/// A batch has thousands of records, so that none may be compared with all of these.
#[derive(Default)]
pub(super) struct Known {
    /// By the order in which they came.
    sessions: BTreeMap<u64, Entry>,
    by_id: HashMap<SleepSessionId, u64>,
    by_key: HashMap<SessionKey, Vec<u64>>,
    by_start: BTreeSet<(DateTime<Utc>, u64)>,
    next: u64,
}

struct Entry {
    session: SleepSession,
    /// Whether the store has a session with this id already.
    is_stored: bool,
}

impl Known {
    /// Knows what the store has; of sessions with one id, the first.
    pub(super) fn stored(sessions: impl IntoIterator<Item = SleepSession>) -> Self {
        let mut known = Self::default();
        for session in sessions {
            if !known.by_id.contains_key(&session.id) {
                known.add(session, true);
            }
        }
        known
    }

    /// Adds a session that is to be stored at the end.
    pub(super) fn insert(&mut self, session: SleepSession) {
        self.add(session, false);
    }

    /// Puts another record in the place of a session; it comes last then.
    pub(super) fn replace(&mut self, session: SleepSession) {
        let replaced = self.remove(session.id);
        self.add(session, replaced.is_some_and(|entry| entry.is_stored));
    }

    /// Forgets a session.
    pub(super) fn forget(&mut self, id: SleepSessionId) {
        self.remove(id);
    }

    /// Finds a session by its id.
    pub(super) fn get(&self, id: SleepSessionId) -> Option<&SleepSession> {
        self.entry(id).map(|entry| &entry.session)
    }

    /// Tells whether a session is to be stored at the end, and is not in the store yet.
    pub(super) fn is_waiting(&self, id: SleepSessionId) -> bool {
        self.entry(id).is_some_and(|entry| !entry.is_stored)
    }

    /// Finds the session with a source and a key.
    pub(super) fn with_key(&self, source: Option<&SleepSource>, key: &SessionKey) -> Option<&SleepSession> {
        let numbers = self.by_key.get(key)?.iter();
        let mut found = numbers.filter_map(|number| self.sessions.get(number)).map(|entry| &entry.session);
        found.find(|session| session.record.source() == source)
    }

    /// Lists what the record may be, or may replace, in the order in which it came.
    pub(super) fn near(&self, record: &SleepRecord) -> Vec<&SleepSession> {
        let (start, end) = (record.time_in_bed().start(), record.time_in_bed().end());
        let earliest = start.checked_sub_signed(LONGEST + A_MINUTE).unwrap_or(DateTime::<Utc>::MIN_UTC);
        let latest = end.checked_add_signed(A_MINUTE).unwrap_or(DateTime::<Utc>::MAX_UTC);
        let in_time =
            self.by_start.range((earliest, u64::MIN)..=(latest, u64::MAX)).map(|(_, number)| *number);
        let same_key = self.by_key.get(record.key()).into_iter().flatten().copied();
        let numbers: BTreeSet<u64> = in_time.chain(same_key).collect();
        numbers.iter().filter_map(|number| self.sessions.get(number)).map(|entry| &entry.session).collect()
    }

    /// Gives the sessions that are to be stored, in the order in which they came.
    pub(super) fn into_waiting(self) -> Vec<SleepSession> {
        let waiting = self.sessions.into_values().filter(|entry| !entry.is_stored);
        waiting.map(|entry| entry.session).collect()
    }

    fn entry(&self, id: SleepSessionId) -> Option<&Entry> {
        self.sessions.get(self.by_id.get(&id)?)
    }

    fn add(&mut self, session: SleepSession, is_stored: bool) {
        let number = self.next;
        self.next = number.saturating_add(1);
        self.by_id.insert(session.id, number);
        self.by_key.entry(session.record.key().clone()).or_default().push(number);
        self.by_start.insert((session.record.time_in_bed().start(), number));
        self.sessions.insert(number, Entry { session, is_stored });
    }

    fn remove(&mut self, id: SleepSessionId) -> Option<Entry> {
        let number = self.by_id.remove(&id)?;
        let entry = self.sessions.remove(&number)?;
        let record = &entry.session.record;
        self.by_start.remove(&(record.time_in_bed().start(), number));
        if let Some(numbers) = self.by_key.get_mut(record.key()) {
            numbers.retain(|other| *other != number);
        }
        Some(entry)
    }
}
