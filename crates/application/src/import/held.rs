//! Records that wait for the end of their file, because a later one may be what the store has already.
//!
//! In a folder one night may come twice without an id, with different ends. The first import leaves what came last. When
//! the folder is imported again, what came first would take its place, only to lose it again a little later, for ever.

use crate::ports::import_source::{ImportedSession, Rejection};
use chrono::{DateTime, TimeDelta, Utc};
use domain::id::SleepSessionId;
use domain::sleep::{Reconciliation, SleepRecord, TimeInBed};
use std::collections::{BTreeMap, BTreeSet, HashMap};

const LONGEST: TimeDelta = TimeDelta::milliseconds(TimeInBed::MAX_MILLIS);

/// Records of a file that are not stored yet, in its order.
#[derive(Debug, Default)]
pub(super) struct Held {
    records: BTreeMap<u64, HeldRecord>,
    by_start: BTreeSet<(DateTime<Utc>, u64)>,
    by_wanted: HashMap<SleepSessionId, Vec<u64>>,
    next: u64,
}

/// A record, and the sessions whose place it would take.
#[derive(Debug)]
struct HeldRecord {
    session: ImportedSession,
    wants: Vec<SleepSessionId>,
}

impl Held {
    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    /// Adds a record that comes after those that are held.
    pub(super) fn add(&mut self, session: ImportedSession, wants: Vec<SleepSessionId>) {
        let number = self.next;
        self.next = number.saturating_add(1);
        self.by_start.insert((session.record.time_in_bed().start(), number));
        for id in &wants {
            self.by_wanted.entry(*id).or_default().push(number);
        }
        self.records.insert(number, HeldRecord { session, wants });
    }

    /// Returns whether a record overlaps one of the same source that is held.
    pub(super) fn overlaps(&self, record: &SleepRecord) -> bool {
        let (start, end) = (record.time_in_bed().start(), record.time_in_bed().end());
        let earliest = start.checked_sub_signed(LONGEST).unwrap_or(DateTime::<Utc>::MIN_UTC);
        let near = self.by_start.range((earliest, u64::MIN)..=(end, u64::MAX));
        near.filter_map(|(_, number)| self.records.get(number)).any(|HeldRecord { session, .. }| {
            let held = &session.record;
            held.source() == record.source() && held.time_in_bed().overlaps(record.time_in_bed())
        })
    }

    /// Takes out the records that wanted the place of a session which came again; returns where they stand.
    pub(super) fn give_way_to(&mut self, id: SleepSessionId) -> Vec<String> {
        let numbers = self.by_wanted.remove(&id).unwrap_or_default();
        numbers.into_iter().filter_map(|number| self.remove(number)).map(|session| session.place).collect()
    }

    /// Adds what another holds, behind.
    pub(super) fn append(&mut self, other: Self) {
        for HeldRecord { session, wants } in other.records.into_values() {
            self.add(session, wants);
        }
    }

    /// Gives the records in their order.
    pub(super) fn into_records(self) -> impl Iterator<Item = ImportedSession> {
        self.records.into_values().map(|held| held.session)
    }

    fn remove(&mut self, number: u64) -> Option<ImportedSession> {
        let HeldRecord { session, wants } = self.records.remove(&number)?;
        self.by_start.remove(&(session.record.time_in_bed().start(), number));
        for id in &wants {
            if let Some(others) = self.by_wanted.get_mut(id) {
                others.retain(|other| *other != number);
            }
        }
        Some(session)
    }
}

/// Lists the sessions whose place a record takes when it was decided so. None for a record with a key of its source, which
/// is one night whatever else comes.
pub(super) fn wanted(decision: &Reconciliation, record: &SleepRecord) -> Vec<SleepSessionId> {
    match decision {
        _ if record.key().is_given() => Vec::new(),
        Reconciliation::Unchanged(_) => Vec::new(),
        Reconciliation::Replace { id, removes } => {
            std::iter::once(*id).chain(removes.iter().copied()).collect()
        }
        Reconciliation::Insert { removes } => removes.clone(),
    }
}

/// Notes that a record is not stored, because the store has a later one of the same file in its place.
pub(super) fn given_way(place: String) -> Rejection {
    let reason = "a later record of this file that it overlaps has its place already";
    Rejection { place, reason: reason.to_owned() }
}
