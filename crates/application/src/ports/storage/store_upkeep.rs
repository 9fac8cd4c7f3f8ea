//! What a server does for the store itself.

use super::{DiskFault, StorageError};
use async_trait::async_trait;
#[cfg(feature = "test-support")]
use mockall::automock;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Keeps the files of a store as they should be, and reports whether it accepts writes.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait StoreUpkeep: Send + Sync {
    /// Returns why a write was refused; `None` if none was since a probe last succeeded. MUST NOT wait.
    fn write_refusal(&self) -> Option<DiskFault>;
    /// Writes enough to need space on the disk, and takes it back; MUST leave nothing that any port returns.
    /// Once it succeeds, [`write_refusal`](Self::write_refusal) is `None`.
    async fn probe_writes(&self) -> Result<(), StorageError>;
    /// Removes what is left in the files of people who were erased, if an erasure could not: a reader or a
    /// full disk stood in the way. Returns whether nothing is left that the store can remove.
    async fn finish_erasures(&self) -> Result<bool, StorageError>;
    /// Moves everything from a write-ahead log of the process's own into the store's file and empties the
    /// log. Returns whether it is empty; a store whose server keeps the log leaves that to the server.
    async fn empty_log(&self) -> Result<bool, StorageError>;
}

/// Whether a store accepts writes, as its adapter last saw.
#[derive(Debug, Default)]
pub struct WriteState(Mutex<Option<DiskFault>>);

impl WriteState {
    /// Notes that a write was refused.
    pub fn refused(&self, fault: DiskFault) {
        *self.lock() = Some(fault);
    }

    /// Notes that a probe was stored.
    pub fn accepted(&self) {
        *self.lock() = None;
    }

    /// Returns why the last write that failed was refused; `None` if a probe succeeded since.
    pub fn refusal(&self) -> Option<DiskFault> {
        *self.lock()
    }

    fn lock(&self) -> MutexGuard<'_, Option<DiskFault>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
