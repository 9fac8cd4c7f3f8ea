//! Records that are deferred to the end of their file, because a later record may match what the store
//! already has.
//!
//! A folder may contain two versions of a night, of which an import keeps one. Without deferral, each further
//! import would store the other one again, only to replace it shortly after.

use super::repetition;
use crate::ports::import_source::ImportedSession;
use chrono::{DateTime, TimeDelta, Utc};
use domain::id::SleepSessionId;
use domain::sleep::{Precedence, Reconciliation, SleepRecord, TimeInBed};
use std::cmp::Reverse;
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

/// A record, and the sessions that it would replace or to which it loses.
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

    /// Lists the records that concern a session but lose to the record that the file has of it.
    pub(super) fn superseded_by(&self, id: SleepSessionId, stored: &ImportedSession) -> Vec<u64> {
        let loses = |number: &&u64| {
            self.records.get(number).is_some_and(|DeferredRecord { session, .. }| {
                let (stored, session) = (repetition::positioned(stored), repetition::positioned(session));
                Precedence::of(stored, session) == Precedence::Session
            })
        };
        self.by_wanted.get(&id).into_iter().flatten().filter(loses).copied().collect()
    }

    /// Appends another list of deferred records.
    pub(super) fn append(&mut self, other: Self) {
        for DeferredRecord { session, wants } in other.records.into_values() {
            self.add(session, wants);
        }
    }

    /// Returns the records, longer ones first.
    pub(super) fn into_records(self) -> impl Iterator<Item = ImportedSession> {
        let mut records: Vec<_> = self.records.into_values().map(|record| record.session).collect();
        records.sort_by_key(|session| Reverse(session.record.time_in_bed().millis()));
        records.into_iter()
    }

    /// Removes a record; returns its location.
    pub(super) fn remove(&mut self, number: u64) -> Option<String> {
        let DeferredRecord { session, wants } = self.records.remove(&number)?;
        self.by_start.remove(&(session.record.time_in_bed().start(), number));
        for id in &wants {
            if let Some(others) = self.by_wanted.get_mut(id) {
                others.retain(|other| *other != number);
            }
        }
        Some(session.place)
    }
}

/// Returns the sessions that a record replaces by this decision, or to which it loses: a later record may
/// replace that session. A new record with a source key is stored in any case.
pub(super) fn affected_sessions(decision: &Reconciliation, record: &SleepRecord) -> Vec<SleepSessionId> {
    match decision {
        Reconciliation::Unchanged(id) => vec![*id],
        Reconciliation::Replace { id, removes } => {
            std::iter::once(*id).chain(removes.iter().copied()).collect()
        }
        Reconciliation::Insert { .. } if record.key().is_given() => Vec::new(),
        Reconciliation::Insert { removes } => removes.clone(),
    }
}
