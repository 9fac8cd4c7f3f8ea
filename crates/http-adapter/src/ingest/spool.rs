//! Receives a body of up to 64 MiB: a small one stays in memory, a large one goes to an unnamed file.

use super::permit::{BodyPermit, BodyPermits, disk_problem};
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
    /// Permits, buffered as long as the body.
    _permit: BodyPermit,
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
pub(super) async fn receive(
    request: &HttpRequest,
    payload: Payload,
    permits: &BodyPermits,
) -> Result<Spool, Problem> {
    let announced = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    if announced.and_then(|length| length.parse().ok()).is_some_and(|length: u64| length > MAX_BODY) {
        return Err(too_large());
    }
    tokio::time::timeout(MAX_WAIT, collect(payload, permits))
        .await
        .unwrap_or_else(|_| Err(Problem::new(Fault::RequestTimeout)))
}

fn too_large() -> Problem {
    Problem::new(Fault::PayloadTooLarge)
        .detail("A body can have at most 64 MiB here: split the items into several requests.")
}

async fn collect(mut payload: Payload, permits: &BodyPermits) -> Result<Spool, Problem> {
    let mut incoming = IncomingBody::default();
    let mut total = 0_u64;
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_| {
            Problem::new(Fault::InvalidRequest).detail("the body is incomplete or incorrectly framed")
        })?;
        total = total.saturating_add(u64::try_from(chunk.len()).unwrap_or(u64::MAX));
        if total > MAX_BODY {
            return Err(too_large());
        }
        incoming.add(&chunk, permits).await?;
    }
    incoming.end().await
}

/// Body being received.
#[derive(Default)]
struct IncomingBody {
    hash: Sha256,
    /// Bytes not written to a file.
    buffered: Vec<u8>,
    file: Option<File>,
    permit: BodyPermit,
}

impl IncomingBody {
    async fn add(&mut self, chunk: &[u8], permits: &BodyPermits) -> Result<(), Problem> {
        self.hash.update(chunk);
        let length = self.buffered.len().saturating_add(chunk.len());
        let limit = if self.file.is_some() { CHUNK } else { IN_MEMORY };
        if self.file.is_none() && length <= limit {
            self.permit.grow(permits, length)?;
        }
        self.buffered.extend_from_slice(chunk);
        if length <= limit {
            return Ok(());
        }
        if self.file.is_none() {
            self.permit.move_to_file(permits)?;
            self.file = Some(blocking(tempfile::tempfile).await?);
        }
        self.write().await
    }

    /// Writes the bytes buffered in memory to the file, on a blocking thread.
    async fn write(&mut self) -> Result<(), Problem> {
        let Some(mut file) = self.file.take() else { return Ok(()) };
        let buffered = std::mem::take(&mut self.buffered);
        let (file, buffered) = blocking(move || {
            file.write_all(&buffered)?;
            Ok((file, buffered))
        })
        .await?;
        self.buffered = buffered;
        self.buffered.clear();
        self.file = Some(file);
        Ok(())
    }

    async fn end(mut self) -> Result<Spool, Problem> {
        self.write().await?;
        let digest = self.hash.finalize().into();
        let storage = match self.file {
            Some(file) => SpoolStorage::File(Arc::new(Mutex::new(file))),
            None => SpoolStorage::Memory(self.buffered.into()),
        };
        Ok(Spool { storage, digest, _permit: self.permit })
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
