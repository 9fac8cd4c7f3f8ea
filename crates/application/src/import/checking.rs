//! The first pass over a file, and the work done in parallel.

use super::batch_writer::BATCH;
use super::reading::{ImportPass, Progress, ReadAhead, stop_on_break};
use crate::ports::import_source::{ImportFile, ImportRefusal};
use domain::import::FileDigest;
use std::thread;

/// Size from which records are read in parallel with the check. A second thread is not worth it for smaller
/// files, and would be wasted on a file that is rejected early.
const PARALLEL_READ_SIZE: u64 = 1024 * 1024;

/// A completely checked file.
pub(super) struct CheckedFile {
    /// Its records from the start; of a large file the first batches are already read.
    pub(super) reading: ReadAhead,
    /// Hash of its bytes, if requested.
    pub(super) digest: Option<FileDigest>,
}

/// Reads a file to its end, so that invalid files are rejected before anything is stored.
///
/// Hashing and reading the first batches run in separate threads meanwhile. On return, only the latter
/// continues.
pub(super) fn check(
    file: &dyn ImportFile,
    with_digest: bool,
    progress: Progress<'_>,
) -> Result<CheckedFile, ImportRefusal> {
    thread::scope(|scope| {
        let digest = with_digest.then(|| scope.spawn(|| file.digest()));
        let reading = read_to_the_end(file, progress)?;
        let digest = digest.map(|digest| {
            let gone = |_| Err(ImportRefusal::Unreadable("the reader stopped".to_owned()));
            digest.join().unwrap_or_else(gone)
        });
        Ok(CheckedFile { reading, digest: digest.transpose()? })
    })
}

fn read_to_the_end(file: &dyn ImportFile, progress: Progress<'_>) -> Result<ReadAhead, ImportRefusal> {
    let begin = || ReadAhead::begin(file.open()?, BATCH);
    let mut source = file.open()?;
    let mut ahead = None;
    source.check(&mut |bytes| {
        if bytes >= PARALLEL_READ_SIZE && ahead.is_none() {
            ahead = Some(begin());
        }
        progress(ImportPass::Checking, bytes)
    })?;
    stop_on_break(progress(ImportPass::Checking, source.bytes_read()))?;
    ahead.unwrap_or_else(begin)
}
