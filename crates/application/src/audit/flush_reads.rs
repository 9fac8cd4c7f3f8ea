//! Stores the read tallies that the process has collected.

use crate::ports::storage::{ReadTallyStore, StorageError};
use crate::ports::system::ReadLedger;
use derive_more::Constructor;
use domain::read_tally::ReadTally;
use std::sync::Arc;

/// Number of tallies per transaction, which limits how long it holds locks.
const BATCH: usize = 500;

/// Flushes read tallies; run it every second, and once at shutdown.
#[derive(Constructor)]
pub struct FlushReads {
    ledger: Arc<dyn ReadLedger>,
    store: Arc<dyn ReadTallyStore>,
}

impl FlushReads {
    /// Stores the tallies of the ledger and returns their number.
    ///
    /// If the store fails or the call is cancelled, unstored tallies return to the ledger. A batch with an
    /// unknown outcome returns too: it may count twice, but no read is lost.
    pub async fn run(&self) -> Result<usize, StorageError> {
        let mut taken = PendingTallies { ledger: self.ledger.as_ref(), left: self.ledger.take() };
        // All processes use the same order, which avoids deadlocks.
        taken.left.sort_unstable_by_key(|tally| std::cmp::Reverse(order(tally)));
        let all = taken.left.len();
        while !taken.left.is_empty() {
            // Reversed, so that a stored batch can be truncated from the end cheaply.
            let kept = taken.left.len().saturating_sub(BATCH);
            let batch: Vec<ReadTally> = taken.left.iter().skip(kept).rev().copied().collect();
            self.store.add(&batch).await?;
            taken.left.truncate(kept);
        }
        Ok(all)
    }
}

/// Sort order of keys: by user first, as in the store.
fn order(tally: &ReadTally) -> impl Ord + use<> {
    let key = tally.key;
    (key.user_id, key.minute, key.reader, key.kind)
}

/// Tallies taken from the ledger; on drop, the rest returns to it.
struct PendingTallies<'a> {
    ledger: &'a dyn ReadLedger,
    left: Vec<ReadTally>,
}

impl Drop for PendingTallies<'_> {
    fn drop(&mut self) {
        for tally in self.left.drain(..) {
            self.ledger.add(tally);
        }
    }
}
