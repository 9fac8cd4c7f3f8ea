//! Deletes audit data past its retention.

use super::AuditRetention;
use crate::batches::{BATCH, in_batches};
use crate::ports::storage::{ReadTallyStore, StorageError, UnitOfWorkFactory};
use crate::ports::system::Clock;
use derive_more::Constructor;
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
#[derive(Constructor)]
pub struct PruneAudit {
    units: Arc<dyn UnitOfWorkFactory>,
    reads: Arc<dyn ReadTallyStore>,
    clock: Arc<dyn Clock>,
    retention: AuditRetention,
}

impl PruneAudit {
    /// Deletes expired events and read tallies in small batches, and returns their numbers.
    pub async fn run(&self) -> Result<PrunedAudit, StorageError> {
        let now = self.clock.now();
        let (events_before, reads_before) =
            (now - self.retention.of_events(), now - self.retention.of_reads());
        let events = in_batches(async || {
            let mut unit = self.units.begin().await?;
            let deleted = unit.audit().delete_before(events_before, BATCH).await?;
            unit.commit().await?;
            Ok(deleted)
        });
        let events = events.await?;
        let reads = in_batches(async || self.reads.delete_before(reads_before, BATCH).await).await?;
        Ok(PrunedAudit { events, reads })
    }
}
