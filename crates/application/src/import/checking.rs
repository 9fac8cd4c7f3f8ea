//! The first reading of a file, and what goes on beside it.

use super::progress::{Progress, Reading, go_on};
use super::reading::ReadAhead;
use super::storing::BATCH;
use crate::ports::import_source::{ImportFile, ImportRefusal};
use domain::import::FileDigest;
use std::thread;

/// How many bytes of a file are checked before its records are read beside. A smaller file is checked sooner than a
/// second thread would be of use, and one that is refused at its beginning was not read in vain.
const LARGE: u64 = 1024 * 1024;

/// A file that is whole.
pub(super) struct Checked {
    /// Its records from the first one on; of a large file the first batches are there already.
    pub(super) reading: ReadAhead,
    /// The hash of its bytes, where it was asked for.
    pub(super) digest: Option<FileDigest>,
}

/// Reads a file to its end, so that what must be refused is refused before anything is stored.
///
/// What else can be done before the store is asked goes on meanwhile, in threads of their own: the hash, and the reading
/// of the first batches. When this returns, only the latter goes on.
pub(super) fn check(
    file: &dyn ImportFile,
    with_digest: bool,
    progress: Progress<'_>,
) -> Result<Checked, ImportRefusal> {
    thread::scope(|scope| {
        let digest = with_digest.then(|| scope.spawn(|| file.digest()));
        let reading = read_to_the_end(file, progress)?;
        let digest = digest.map(|digest| {
            let gone = |_| Err(ImportRefusal::Unreadable("the reader stopped".to_owned()));
            digest.join().unwrap_or_else(gone)
        });
        Ok(Checked { reading, digest: digest.transpose()? })
    })
}

fn read_to_the_end(file: &dyn ImportFile, progress: Progress<'_>) -> Result<ReadAhead, ImportRefusal> {
    let begin = || ReadAhead::begin(file.open()?, BATCH);
    let mut source = file.open()?;
    let mut ahead = None;
    source.check_telling(&mut |bytes| {
        if bytes >= LARGE && ahead.is_none() {
            ahead = Some(begin());
        }
        progress(Reading::Checking, bytes)
    })?;
    go_on(progress(Reading::Checking, source.bytes_read()))?;
    ahead.unwrap_or_else(begin)
}
