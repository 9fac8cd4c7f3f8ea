//! Folders, zip archives, and gzip files.
//!
//! Nothing is unpacked to disk: entries are read as streams, and their names are only displayed. Each entry
//! is recognised by its content like a single file; recognised entries are read in order of their names,
//! tables of Google Health first. Archives within archives and folders are not opened.

mod container;
mod entry;
mod folder;
mod members;
mod reader;
mod survey;
mod unpacking;
mod zip;

pub(crate) use container::Container;

use crate::formats::Format;
use crate::open::FileContext;
use application::ports::import_source::ImportRefusal;
use entry::Entry;
use reader::Packing;
use std::path::Path;
use std::sync::Arc;

/// Maximum number of entries of a folder or archive.
const ENTRY_LIMIT: usize = 300_000;

/// Content of a folder or an archive.
#[derive(Debug)]
struct Listing {
    /// The folder, or the archive.
    path: Arc<Path>,
    /// Files by name.
    entries: Vec<Entry>,
    /// Names of entries that are never read: links, and what is not a file.
    others: Vec<String>,
}

/// Opens a folder, including subfolders; links are not followed.
pub(crate) fn open_folder(
    path: &Path,
    format: Option<Format>,
    context: FileContext,
) -> Result<Container, ImportRefusal> {
    survey::survey("the folder", folder::list(path)?, format, context)
}

/// Opens an archive or a packed file that begins with these bytes; `None` if it is neither.
pub(crate) fn open_packed(
    begins: &[u8],
    path: &Path,
    format: Option<Format>,
    context: FileContext,
) -> Option<Result<Container, ImportRefusal>> {
    if zip::is_zip(begins) {
        return Some(zip::list(path).and_then(|list| survey::survey("the archive", list, format, context)));
    }
    is_gzip(begins).then(|| survey::single(gzip_entry(path)?, format, context))
}

/// Rejects too many entries.
fn too_many() -> ImportRefusal {
    ImportRefusal::Unreadable(format!("it contains more than {ENTRY_LIMIT} files"))
}

/// Returns whether a file that begins with these bytes is packed with gzip.
fn is_gzip(begins: &[u8]) -> bool {
    begins.starts_with(&[0x1f, 0x8b])
}

/// Returns the file inside; it needs no name.
fn gzip_entry(path: &Path) -> Result<Entry, ImportRefusal> {
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

#[cfg(test)]
mod tests;
