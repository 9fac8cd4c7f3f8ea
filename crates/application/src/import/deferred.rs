//! Records that are deferred to the end of their file, because a later record may match what the store
//! already has.
//!
//! A folder may contain two versions of a night, of which an import keeps one. Without deferral, each further
//! import would store the other one again, only to replace it shortly after.

use crate::ports::import_source::ImportedSession;
use chrono::{DateTime, TimeDelta, Utc};
use domain::id::SleepSessionId;
use domain::import::RecordPosition;
use domain::sleep::{Reconciliation, SleepRecord, TimeInBed};
use std::cmp::Reverse;
use std::collections::BTreeMap;

const MAX_SESSION_LENGTH: TimeDelta = TimeDelta::milliseconds(TimeInBed::MAX_MILLIS);

/// Records of a file that are not stored yet, by start and position.
#[derive(Debug, Default)]
pub(super) struct DeferredRecords(BTreeMap<(DateTime<Utc>, RecordPosition), ImportedSession>);

impl DeferredRecords {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn add(&mut self, session: ImportedSession) {
        self.0.insert((session.record.time_in_bed().start(), session.position), session);
    }

    /// Returns whether a record overlaps a deferred one of the same source.
    pub(super) fn overlaps(&self, record: &SleepRecord) -> bool {
        let (start, end) = (record.time_in_bed().start(), record.time_in_bed().end());
        let earliest = start.checked_sub_signed(MAX_SESSION_LENGTH).unwrap_or(DateTime::<Utc>::MIN_UTC);
        let last = RecordPosition { file: u32::MAX, number: u64::MAX };
        self.0.range((earliest, RecordPosition::default())..=(end, last)).any(
            |(_, ImportedSession { record: other, .. })| {
                other.source() == record.source() && other.time_in_bed().overlaps(record.time_in_bed())
            },
        )
    }

    pub(super) fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    /// Returns the records, longer ones first.
    pub(super) fn into_records(self) -> Vec<ImportedSession> {
        let mut records: Vec<_> = self.0.into_values().collect();
        records.sort_by_key(|session| (Reverse(session.record.time_in_bed().millis()), session.position));
        records
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
