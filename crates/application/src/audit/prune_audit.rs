//! Deletes audit data past its retention.

use super::AuditRetention;
use crate::ports::storage::{ReadTallyStore, StorageError, UnitOfWorkFactory};
use crate::ports::system::Clock;
use chrono::{DateTime, Utc};
use std::sync::Arc;

/// Rows per deletion, so that other writers do not wait long.
const BATCH: u32 = 500;

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
    units: Arc<dyn UnitOfWorkFactory>,
    reads: Arc<dyn ReadTallyStore>,
    clock: Arc<dyn Clock>,
    retention: AuditRetention,
}

impl PruneAudit {
    /// Creates the use case for this retention.
    pub fn new(
        units: Arc<dyn UnitOfWorkFactory>,
        reads: Arc<dyn ReadTallyStore>,
        clock: Arc<dyn Clock>,
        retention: AuditRetention,
    ) -> Self {
        Self { units, reads, clock, retention }
    }

    /// Deletes expired events and read tallies in small batches, and returns their numbers.
    pub async fn run(&self) -> Result<PrunedAudit, StorageError> {
        let now = self.clock.now();
        let events = self.prune_events(now - self.retention.of_events()).await?;
        let reads = self.prune_reads(now - self.retention.of_reads()).await?;
        Ok(PrunedAudit { events, reads })
    }

    async fn prune_events(&self, before: DateTime<Utc>) -> Result<u64, StorageError> {
        let mut deleted = 0;
        loop {
            let mut unit = self.units.begin().await?;
            let batch = unit.audit().delete_before(before, BATCH).await?;
            unit.commit().await?;
            deleted += batch;
            if batch < u64::from(BATCH) {
                return Ok(deleted);
            }
        }
    }

    async fn prune_reads(&self, before: DateTime<Utc>) -> Result<u64, StorageError> {
        let mut deleted = 0;
        loop {
            let batch = self.reads.delete_before(before, BATCH).await?;
            deleted += batch;
            if batch < u64::from(BATCH) {
                return Ok(deleted);
            }
        }
    }
}
