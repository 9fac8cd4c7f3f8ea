//! Single files packed with gzip.

use super::entry::Entry;
use super::reader::Packing;
use application::ports::import_source::ImportRefusal;
use std::path::Path;

/// Returns whether a file that begins with these bytes is packed with gzip.
pub(super) fn is_gzip(begins: &[u8]) -> bool {
    begins.starts_with(&[0x1f, 0x8b])
}

/// Returns the file inside; it needs no name.
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
