//! Stores the sums of reads that the process holds.

use crate::ports::storage::{ReadTallyStore, StorageError};
use crate::ports::system::ReadLedger;
use domain::read_tally::{ReadKind, ReadTally};
use std::sync::Arc;

/// How many sums are stored in one transaction, so that none holds its locks for long.
const BATCH: usize = 500;

/// Flushes reads; meant to run every second, and once more when the process ends.
pub struct FlushReads {
    ledger: Arc<dyn ReadLedger>,
    store: Arc<dyn ReadTallyStore>,
}

impl FlushReads {
    /// Creates the use case.
    pub fn new(ledger: Arc<dyn ReadLedger>, store: Arc<dyn ReadTallyStore>) -> Self {
        Self { ledger, store }
    }

    /// Stores what the ledger holds and returns how many sums that were.
    ///
    /// What is not stored, because the store failed or the call was given up, goes back into the ledger for the next
    /// time. A batch of which the store did not say whether it is stored goes back as well: it may count twice, but
    /// no read is missing.
    pub async fn run(&self) -> Result<usize, StorageError> {
        let mut taken = Taken { ledger: self.ledger.as_ref(), left: self.ledger.take() };
        // The same order in every process: two that add to the same sums wait for each other, but not in a circle.
        taken.left.sort_unstable_by_key(|tally| std::cmp::Reverse(order(tally)));
        let all = taken.left.len();
        while !taken.left.is_empty() {
            // The last of the list come first in order, so that a batch that is stored is cut off cheaply.
            let kept = taken.left.len().saturating_sub(BATCH);
            let batch: Vec<ReadTally> = taken.left.iter().skip(kept).rev().copied().collect();
            self.store.add(&batch).await?;
            taken.left.truncate(kept);
        }
        Ok(all)
    }
}

/// The order of keys: by person first, as they lie in the store.
fn order(tally: &ReadTally) -> impl Ord + use<> {
    let key = tally.key;
    let kind = ReadKind::ALL.iter().position(|kind| *kind == key.kind);
    (key.user_id, key.minute, key.reader, kind)
}

/// Sums that were taken out of the ledger; those that are left when it is dropped go back.
struct Taken<'a> {
    ledger: &'a dyn ReadLedger,
    left: Vec<ReadTally>,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        for tally in self.left.drain(..) {
            self.ledger.add(tally);
        }
    }
}
