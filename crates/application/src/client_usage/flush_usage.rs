//! Stores the usage that the process holds.

use crate::ports::storage::{ClientUsageStore, StorageError};
use crate::ports::system::UsageLedger;
use derive_more::Constructor;
use std::sync::Arc;

/// Flushes usage; run it every second, and once at shutdown.
#[derive(Constructor)]
pub struct FlushUsage {
    ledger: Arc<dyn UsageLedger>,
    store: Arc<dyn ClientUsageStore>,
}

impl FlushUsage {
    /// Stores the sums of the ledger. If the store fails, they return to the ledger; after a failure with an
    /// unknown outcome they may count twice.
    pub async fn run(&self) -> Result<(), StorageError> {
        let mut taken = self.ledger.take();
        // All processes use the same order, which avoids deadlocks.
        taken.sort_unstable_by_key(|usage| usage.key);
        let stored = self.store.add_usage(&taken).await;
        if stored.is_err() {
            for usage in taken {
                self.ledger.add(usage);
            }
        }
        stored
    }
}
