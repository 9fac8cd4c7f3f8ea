//! How much of bodies there is at once: those in memory by their bytes, those in files by their number.

use crate::problem::{Fault, Problem};
use std::io::{self, ErrorKind};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many bodies that do not fit into memory are worked on at once.
const FILES: usize = 8;
/// How much all bodies in memory may have together: 128 MiB, which is 32 of the longest.
const MEMORY: usize = 128 * 1024 * 1024;
/// What memory is counted in, rounded up, so that a body of a few bytes takes hardly more than its request does.
const UNIT: usize = 4 * 1024;

/// Room for the bodies of all requests. There is no queue for it: who finds none is told to come again, and holds
/// nothing meanwhile.
#[derive(Clone)]
pub(super) struct Room {
    memory: Arc<Semaphore>,
    files: Arc<Semaphore>,
}

impl Default for Room {
    fn default() -> Self {
        Self::new(MEMORY, FILES)
    }
}

impl Room {
    /// Makes room for so many bytes in memory, and so many files.
    pub(super) fn new(memory: usize, files: usize) -> Self {
        Self { memory: Arc::new(Semaphore::new(memory / UNIT)), files: Arc::new(Semaphore::new(files)) }
    }
}

/// What one body has of it, given back when this is dropped.
#[derive(Debug, Default)]
pub(super) struct Share {
    memory: Option<OwnedSemaphorePermit>,
    file: Option<OwnedSemaphorePermit>,
}

impl Share {
    /// Takes what a body in memory needs that has so many bytes by now.
    pub(super) fn grow(&mut self, room: &Room, bytes: usize) -> Result<(), Problem> {
        let held = self.memory.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let missing = u32::try_from(bytes.div_ceil(UNIT).saturating_sub(held)).map_err(Problem::internal)?;
        if missing == 0 {
            return Ok(());
        }
        let more = room.memory.clone().try_acquire_many_owned(missing).map_err(|_| busy())?;
        match &mut self.memory {
            Some(held) => held.merge(more),
            None => self.memory = Some(more),
        }
        Ok(())
    }

    /// Takes the place of a file and gives back what the body had in memory.
    pub(super) fn move_to_file(&mut self, room: &Room) -> Result<(), Problem> {
        self.file = Some(room.files.clone().try_acquire_owned().map_err(|_| busy())?);
        self.memory = None;
        Ok(())
    }
}

fn busy() -> Problem {
    Problem::new(Fault::IngestBusy)
}

/// Says what a disk that fails means for the caller: a full one may have room again soon, anything else is the
/// operator's to look at.
pub(super) fn disk_problem(error: io::Error) -> Problem {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => busy().because(error),
        _ => Problem::internal(error),
    }
}
