//! Limits on concurrent bodies: bytes in memory and number of files.

use crate::problem::{Fault, Problem};
use std::io::{self, ErrorKind};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum number of concurrent bodies in files.
const FILES: usize = 8;
/// Maximum bytes of all bodies in memory: 128 MiB, which is 32 of the largest.
const MEMORY: usize = 128 * 1024 * 1024;
/// Unit of memory permits. Bytes are rounded up to it.
const UNIT: usize = 4 * 1024;

/// Permits for the bodies of all requests. There is no queue: if the limit is reached, a request is rejected
/// and may be retried.
#[derive(Clone)]
pub(crate) struct BodyPermits {
    memory: Arc<Semaphore>,
    files: Arc<Semaphore>,
}

impl Default for BodyPermits {
    fn default() -> Self {
        Self::new(MEMORY, FILES)
    }
}

impl BodyPermits {
    /// Creates permits for this many bytes in memory and this many files.
    pub(super) fn new(memory: usize, files: usize) -> Self {
        Self { memory: Arc::new(Semaphore::new(memory / UNIT)), files: Arc::new(Semaphore::new(files)) }
    }
}

/// Permits of one body, returned on drop.
#[derive(Debug, Default)]
pub(super) struct BodyPermit {
    memory: Option<OwnedSemaphorePermit>,
    file: Option<OwnedSemaphorePermit>,
}

impl BodyPermit {
    /// Acquires the missing permits for a body in memory of this size.
    pub(super) fn grow(&mut self, permits: &BodyPermits, bytes: usize) -> Result<(), Problem> {
        let held = self.memory.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let missing = u32::try_from(bytes.div_ceil(UNIT).saturating_sub(held)).map_err(Problem::internal)?;
        if missing == 0 {
            return Ok(());
        }
        let more = permits.memory.clone().try_acquire_many_owned(missing).map_err(|_| busy())?;
        match &mut self.memory {
            Some(held) => held.merge(more),
            None => self.memory = Some(more),
        }
        Ok(())
    }

    /// Acquires the permit of a file and returns those of memory.
    pub(super) fn move_to_file(&mut self, permits: &BodyPermits) -> Result<(), Problem> {
        self.file = Some(permits.files.clone().try_acquire_owned().map_err(|_| busy())?);
        self.memory = None;
        Ok(())
    }
}

fn busy() -> Problem {
    Problem::new(Fault::IngestBusy)
}

/// Maps a disk error: a full disk may have space again soon; any other error needs the operator.
pub(super) fn disk_problem(error: io::Error) -> Problem {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => busy().with_cause(error),
        _ => Problem::internal(error),
    }
}
