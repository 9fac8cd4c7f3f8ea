//! Records that are deferred to the end of their file, because a later record may match what the store
//! already has.
//!
//! A folder may contain a night twice, without an id and with different ends. The first import keeps the last
//! one. Without deferral, each further import would store the first one again, only to replace it shortly
//! after.

use super::rejection::Rejection;
use crate::ports::import_source::ImportedSession;
use chrono::{DateTime, TimeDelta, Utc};
use domain::id::SleepSessionId;
use domain::sleep::{Reconciliation, SleepRecord, TimeInBed};
use std::collections::{BTreeMap, BTreeSet, HashMap};

const MAX_SESSION_LENGTH: TimeDelta = TimeDelta::milliseconds(TimeInBed::MAX_MILLIS);

/// Records of a file that are not stored yet, in file order.
#[derive(Debug, Default)]
pub(super) struct DeferredRecords {
    records: BTreeMap<u64, DeferredRecord>,
    by_start: BTreeSet<(DateTime<Utc>, u64)>,
    by_wanted: HashMap<SleepSessionId, Vec<u64>>,
    next: u64,
}

/// A record and the sessions it would replace.
#[derive(Debug)]
struct DeferredRecord {
    session: ImportedSession,
    wants: Vec<SleepSessionId>,
}

impl DeferredRecords {
    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    /// Adds a record after the deferred ones.
    pub(super) fn add(&mut self, session: ImportedSession, wants: Vec<SleepSessionId>) {
        let number = self.next;
        self.next = number.saturating_add(1);
        self.by_start.insert((session.record.time_in_bed().start(), number));
        for id in &wants {
            self.by_wanted.entry(*id).or_default().push(number);
        }
        self.records.insert(number, DeferredRecord { session, wants });
    }

    /// Returns whether a record overlaps a deferred one of the same source.
    pub(super) fn overlaps(&self, record: &SleepRecord) -> bool {
        let (start, end) = (record.time_in_bed().start(), record.time_in_bed().end());
        let earliest = start.checked_sub_signed(MAX_SESSION_LENGTH).unwrap_or(DateTime::<Utc>::MIN_UTC);
        let near = self.by_start.range((earliest, u64::MIN)..=(end, u64::MAX));
        near.filter_map(|(_, number)| self.records.get(number)).any(|DeferredRecord { session, .. }| {
            let other = &session.record;
            other.source() == record.source() && other.time_in_bed().overlaps(record.time_in_bed())
        })
    }

    /// Removes the records that would replace a session that the file contains too; returns their locations.
    pub(super) fn remove_replaced_by(&mut self, id: SleepSessionId) -> Vec<String> {
        let numbers = self.by_wanted.remove(&id).unwrap_or_default();
        numbers.into_iter().filter_map(|number| self.remove(number)).map(|session| session.place).collect()
    }

    /// Appends another list of deferred records.
    pub(super) fn append(&mut self, other: Self) {
        for DeferredRecord { session, wants } in other.records.into_values() {
            self.add(session, wants);
        }
    }

    /// Returns the records in order.
    pub(super) fn into_records(self) -> impl Iterator<Item = ImportedSession> {
        self.records.into_values().map(|record| record.session)
    }

    fn remove(&mut self, number: u64) -> Option<ImportedSession> {
        let DeferredRecord { session, wants } = self.records.remove(&number)?;
        self.by_start.remove(&(session.record.time_in_bed().start(), number));
        for id in &wants {
            if let Some(others) = self.by_wanted.get_mut(id) {
                others.retain(|other| *other != number);
            }
        }
        Some(session)
    }
}

/// Returns the sessions that a record replaces by this decision. Empty for a record with a source key, which
/// is always the same night.
pub(super) fn affected_sessions(decision: &Reconciliation, record: &SleepRecord) -> Vec<SleepSessionId> {
    match decision {
        _ if record.key().is_given() => Vec::new(),
        Reconciliation::Unchanged(_) => Vec::new(),
        Reconciliation::Replace { id, removes } => {
            std::iter::once(*id).chain(removes.iter().copied()).collect()
        }
        Reconciliation::Insert { removes } => removes.clone(),
    }
}

/// Returns the note for a record that is not stored, because a later one of the file replaces it.
pub(super) fn superseded_note(place: String) -> Rejection {
    let reason = "a later record of this file overlaps it and was stored instead";
    Rejection { place, reason: reason.to_owned() }
}
