//! Counts a read that was answered.

use crate::ports::system::{Clock, ReadLedger};
use domain::id::UserId;
use domain::read_tally::{AskedRange, ReadKind, ReadTally, Reader, TallyKey};
use std::sync::Arc;

/// A read that was answered: who read what of whom, and how much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnsweredRead {
    /// Whose data.
    pub user_id: UserId,
    /// Who read.
    pub reader: Reader,
    /// What was read.
    pub kind: ReadKind,
    /// How many records the answer carries.
    pub items: usize,
    /// The span of time that was asked for.
    pub range: AskedRange,
}

/// Counts reads in the ledger of the process; never waits, never fails.
#[derive(Clone)]
pub struct ReadRecorder {
    ledger: Arc<dyn ReadLedger>,
    clock: Arc<dyn Clock>,
}

impl ReadRecorder {
    /// Creates the use case.
    pub fn new(ledger: Arc<dyn ReadLedger>, clock: Arc<dyn Clock>) -> Self {
        Self { ledger, clock }
    }

    /// Counts a read under this minute.
    pub fn record(&self, read: AnsweredRead) {
        let AnsweredRead { user_id, reader, kind, items, range } = read;
        let key = TallyKey::at(self.clock.now(), user_id, reader, kind);
        let items = u64::try_from(items).unwrap_or(u64::MAX);
        self.ledger.add(ReadTally { key, requests: 1, items, range });
    }
}
