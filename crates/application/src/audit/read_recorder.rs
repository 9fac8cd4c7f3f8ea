//! Records completed reads.

use crate::access::GrantedAccess;
use crate::ports::system::{Clock, ReadLedger};
use derive_more::Constructor;
use domain::data_kind::DataKind;
use domain::id::UserId;
use domain::read_tally::{ReadKind, ReadTally, Reader, RequestedRange, TallyKey};
use std::sync::Arc;

/// A completed read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompletedRead {
    /// User whose data was read.
    pub user_id: UserId,
    /// Client or token that read it.
    pub reader: Reader,
    /// Kind of read.
    pub kind: ReadKind,
    /// Number of records in the response.
    pub items: usize,
    /// Requested time range.
    pub range: RequestedRange,
}

/// Records reads in the process's ledger; never blocks, never fails.
#[derive(Clone, Constructor)]
pub struct ReadRecorder {
    ledger: Arc<dyn ReadLedger>,
    clock: Arc<dyn Clock>,
}

impl ReadRecorder {
    /// Records that an authorized request read this many records.
    pub fn record_data(&self, access: &GrantedAccess, kind: DataKind, items: usize, range: RequestedRange) {
        let (user_id, reader, kind) = (access.user_id, access.reader, ReadKind::Data(kind));
        self.record(CompletedRead { user_id, reader, kind, items, range });
    }

    /// Records a read in the current minute.
    pub fn record(&self, read: CompletedRead) {
        let CompletedRead { user_id, reader, kind, items, range } = read;
        let key = TallyKey::at(self.clock.now(), user_id, reader, kind);
        let items = u64::try_from(items).unwrap_or(u64::MAX);
        self.ledger.add(ReadTally { key, requests: 1, items, range });
    }
}
