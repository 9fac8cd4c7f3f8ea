//! One file that gzip packed.

use super::entry::Entry;
use super::reader::Packing;
use application::ports::import_source::ImportRefusal;
use std::path::Path;

/// Returns whether a file that begins with these bytes is packed by gzip.
pub(super) fn is_gzip(begins: &[u8]) -> bool {
    begins.starts_with(&[0x1f, 0x8b])
}

/// Gives the file inside, which needs no name: there is no other.
pub(super) fn entry(path: &Path) -> Result<Entry, ImportRefusal> {
    let metadata = path.metadata().map_err(|error| ImportRefusal::Unreadable(error.kind().to_string()))?;
    Ok(Entry {
        name: String::new(),
        packed_size: metadata.len(),
        path: path.into(),
        start: 0,
        packing: Packing::Gzip,
        expected: None,
    })
}
