//! The store as a whole: its clock and its upkeep.

use super::{DiskFault, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The database's clock. Each process uses its own clock, and compares it with this one.
#[async_trait]
pub trait StoreClock: Send + Sync {
    /// Returns the store's time at a point between call and return, in microseconds.
    ///
    /// MUST be the primary's time, never a replica's, and MUST advance within a transaction. An embedded
    /// store has no clock and returns the process's time.
    async fn store_now(&self) -> Result<DateTime<Utc>, StorageError>;
}

/// Maintains the files of a store, and reports whether it accepts writes.
#[async_trait]
pub trait StoreUpkeep: Send + Sync {
    /// Returns why a write was rejected; `None` if none was since the last successful probe. MUST NOT block.
    fn write_refusal(&self) -> Option<DiskFault>;
    /// Writes enough to need disk space, then removes it; MUST leave nothing that a port returns. After a
    /// success [`write_refusal`](Self::write_refusal) is `None`.
    async fn probe_writes(&self) -> Result<(), StorageError>;
    /// Removes the remains of erased users from the files, if an erasure could not because of a reader or a
    /// full disk. Returns whether nothing removable is left.
    async fn finish_erasures(&self) -> Result<bool, StorageError>;
    /// Moves everything from the process's write-ahead log into the store's file and empties the log. Returns
    /// whether it is empty. A store whose server keeps the log does nothing.
    async fn empty_log(&self) -> Result<bool, StorageError>;
}

/// Whether a store accepts writes, as last seen by its adapter.
#[derive(Debug, Default)]
pub struct WriteState(Mutex<Option<DiskFault>>);

impl WriteState {
    /// Records a rejected write.
    pub fn record_refusal(&self, fault: DiskFault) {
        *self.lock() = Some(fault);
    }

    /// Records a successful probe.
    pub fn accepted(&self) {
        *self.lock() = None;
    }

    /// Returns why the last failed write was rejected; `None` if a probe succeeded since.
    pub fn refusal(&self) -> Option<DiskFault> {
        *self.lock()
    }

    fn lock(&self) -> MutexGuard<'_, Option<DiskFault>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
