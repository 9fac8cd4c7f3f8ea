//! Forgets what is older than the audit is kept for.

use super::AuditRetention;
use crate::ports::storage::{ReadTallyStore, StorageError, UnitOfWorkFactory};
use crate::ports::system::Clock;
use chrono::{DateTime, Utc};
use std::sync::Arc;

/// How many rows are deleted at a time, so that no other writer waits long.
const BATCH: u32 = 500;

/// What was forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrunedAudit {
    /// How many events.
    pub events: u64,
    /// How many sums of reads.
    pub reads: u64,
}

/// Prunes the audit; meant to run every now and then, in as many processes as like to.
pub struct PruneAudit {
    units: Arc<dyn UnitOfWorkFactory>,
    reads: Arc<dyn ReadTallyStore>,
    clock: Arc<dyn Clock>,
    retention: AuditRetention,
}

impl PruneAudit {
    /// Takes the ports and how long is kept.
    pub fn new(
        units: Arc<dyn UnitOfWorkFactory>,
        reads: Arc<dyn ReadTallyStore>,
        clock: Arc<dyn Clock>,
        retention: AuditRetention,
    ) -> Self {
        Self { units, reads, clock, retention }
    }

    /// Deletes events and sums of reads that are too old, in small steps, and returns how many there were.
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
