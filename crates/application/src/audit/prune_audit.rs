//! Deletes audit data past its retention.

use super::AuditRetention;
use crate::batches::{BATCH, in_batches};
use crate::ports::storage::{ReadTallyStore, StorageError};
use crate::store::{Store, transact};
use std::sync::Arc;

/// Numbers of deleted rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrunedAudit {
    /// Number of events.
    pub events: u64,
    /// Number of read tallies.
    pub reads: u64,
}

/// Prunes the audit; run it periodically, in any number of processes.
pub struct PruneAudit {
    /// The store.
    pub store: Store,
    /// Tallies of reads.
    pub reads: Arc<dyn ReadTallyStore>,
    /// How long both are retained.
    pub retention: AuditRetention,
}

impl PruneAudit {
    /// Deletes expired events and read tallies in small batches, and returns their numbers.
    pub async fn run(&self) -> Result<PrunedAudit, StorageError> {
        let now = self.store.now();
        let (events_before, reads_before) =
            (now - self.retention.of_events(), now - self.retention.of_reads());
        let events = in_batches(async || {
            transact!(self.store, |tx| { tx.audit().delete_before(events_before, BATCH).await }).await
        });
        let events = events.await?;
        let reads = in_batches(async || self.reads.delete_before(reads_before, BATCH).await).await?;
        Ok(PrunedAudit { events, reads })
    }
}
