//! Assertions on audit events and read tallies.

use super::ReadRecorder;
use crate::ports::storage::test_support::RecordedEvents;
use crate::ports::system::ReadLedger;
use crate::testing::{clock, noon};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::AuditEventId;
use domain::read_tally::ReadTally;
use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use uuid::Uuid;

/// An event at noon; its id is random, and [`assert_events`] ignores it.
pub(crate) fn event(actor: AuditActor, kind: AuditKind) -> AuditEvent {
    AuditEvent::new(AuditEventId::from_uuid(Uuid::nil()), noon(), kind, actor)
}

/// Asserts that exactly these events were appended, in this order, with distinct ids.
#[track_caller]
pub(crate) fn assert_events(recorded: &RecordedEvents, expected: &[AuditEvent]) {
    let appended = recorded.all();
    let ids: HashSet<_> = appended.iter().map(|event| event.id.as_uuid()).collect();
    assert_eq!(ids.len(), appended.len(), "two events share an id");
    assert!(!ids.contains(&Uuid::nil()), "an id was not drawn");
    let nameless = AuditEventId::from_uuid(Uuid::nil());
    let appended: Vec<_> = appended.into_iter().map(|event| AuditEvent { id: nameless, ..event }).collect();
    assert_eq!(appended, expected);
}

/// A ledger that keeps every tally separately, in order.
#[derive(Default)]
pub(crate) struct RecordedReads(Mutex<Vec<ReadTally>>);

impl RecordedReads {
    pub(crate) fn all(&self) -> Vec<ReadTally> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn recorder(self: &Arc<Self>) -> ReadRecorder {
        ReadRecorder::new(self.clone(), clock())
    }
}

impl ReadLedger for RecordedReads {
    fn add(&self, tally: ReadTally) {
        self.0.lock().unwrap().push(tally);
    }

    fn take(&self) -> Vec<ReadTally> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}
