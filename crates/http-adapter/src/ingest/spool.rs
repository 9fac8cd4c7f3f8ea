//! Receives a body of up to 64 MiB: a small one stays in memory, a large one goes to an unnamed file.

use super::room::{Room, Share, disk_problem};
use crate::problem::{Fault, Problem};
use actix_web::HttpRequest;
use actix_web::http::header::CONTENT_LENGTH;
use actix_web::web::{Bytes, Payload};
use application::import::ingest::IngestBody;
use futures_util::StreamExt as _;
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{self, Cursor, Read, Seek as _, SeekFrom, Write as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Maximum size of a body in bytes.
pub(crate) const MAX_BODY: u64 = 64 * 1024 * 1024;
/// Maximum size of a body in memory.
const IN_MEMORY: usize = 4 * 1024 * 1024;
/// Bytes per write to the file.
const CHUNK: usize = 1024 * 1024;
/// Timeout for receiving a body.
pub(crate) const MAX_WAIT: Duration = Duration::from_mins(2);

/// Completely received body.
pub(super) struct Spool {
    storage: SpoolStorage,
    digest: [u8; 32],
    /// Permits, held as long as the body.
    _share: Share,
}

enum SpoolStorage {
    Memory(Bytes),
    File(Arc<Mutex<File>>),
}

impl Spool {
    /// Returns the SHA-256 of the body.
    pub(super) const fn digest(&self) -> [u8; 32] {
        self.digest
    }
}

impl IngestBody for Spool {
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(match &self.storage {
            SpoolStorage::Memory(bytes) => Box::new(Cursor::new(bytes.clone())),
            SpoolStorage::File(file) => Box::new(FileReader { file: file.clone(), at: 0 }),
        })
    }
}

/// Reads a file from its beginning, independently of other readers.
struct FileReader {
    file: Arc<Mutex<File>>,
    at: u64,
}

impl Read for FileReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.at))?;
        let count = file.read(buffer)?;
        self.at = self.at.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
        Ok(count)
    }
}

/// Receives the body of a request.
pub(super) async fn receive(request: &HttpRequest, payload: Payload, room: &Room) -> Result<Spool, Problem> {
    let announced = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    if announced.and_then(|length| length.parse().ok()).is_some_and(|length: u64| length > MAX_BODY) {
        return Err(too_large());
    }
    tokio::time::timeout(MAX_WAIT, collect(payload, room))
        .await
        .unwrap_or_else(|_| Err(Problem::new(Fault::RequestTimeout)))
}

fn too_large() -> Problem {
    Problem::new(Fault::PayloadTooLarge)
        .detail("A body may have at most 64 MiB here: send the items in several.")
}

async fn collect(mut payload: Payload, room: &Room) -> Result<Spool, Problem> {
    let mut receiving = Receiving::default();
    let mut total = 0_u64;
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_| {
            Problem::new(Fault::InvalidRequest).detail("the body broke off or is not framed properly")
        })?;
        total = total.saturating_add(u64::try_from(chunk.len()).unwrap_or(u64::MAX));
        if total > MAX_BODY {
            return Err(too_large());
        }
        receiving.add(&chunk, room).await?;
    }
    receiving.end().await
}

/// Body being received.
#[derive(Default)]
struct Receiving {
    hash: Sha256,
    /// Bytes not written to a file.
    held: Vec<u8>,
    file: Option<File>,
    share: Share,
}

impl Receiving {
    async fn add(&mut self, chunk: &[u8], room: &Room) -> Result<(), Problem> {
        self.hash.update(chunk);
        let length = self.held.len().saturating_add(chunk.len());
        let limit = if self.file.is_some() { CHUNK } else { IN_MEMORY };
        if self.file.is_none() && length <= limit {
            self.share.grow(room, length)?;
        }
        self.held.extend_from_slice(chunk);
        if length <= limit {
            return Ok(());
        }
        if self.file.is_none() {
            self.share.move_to_file(room)?;
            self.file = Some(blocking(tempfile::tempfile).await?);
        }
        self.write().await
    }

    /// Writes the bytes held in memory to the file, on a blocking thread.
    async fn write(&mut self) -> Result<(), Problem> {
        let Some(mut file) = self.file.take() else { return Ok(()) };
        let held = std::mem::take(&mut self.held);
        let (file, held) = blocking(move || {
            file.write_all(&held)?;
            Ok((file, held))
        })
        .await?;
        self.held = held;
        self.held.clear();
        self.file = Some(file);
        Ok(())
    }

    async fn end(mut self) -> Result<Spool, Problem> {
        self.write().await?;
        let digest = self.hash.finalize().into();
        let storage = match self.file {
            Some(file) => SpoolStorage::File(Arc::new(Mutex::new(file))),
            None => SpoolStorage::Memory(self.held.into()),
        };
        Ok(Spool { storage, digest, _share: self.share })
    }
}

/// Runs blocking work.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, Problem> {
    let done = tokio::task::spawn_blocking(work).await.map_err(Problem::internal)?;
    done.map_err(disk_problem)
}

#[cfg(test)]
mod tests;
