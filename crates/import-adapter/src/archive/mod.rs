//! Several files in one: folders, zip archives, and a file that gzip packed.
//!
//! Nothing is unpacked to disk: an entry is read as a stream, and its name is only shown. Every entry is recognised by
//! its content, as a file alone is; what is recognised is read one after the other, sorted by name. Archives inside of
//! archives and folders are not opened.

mod container;
mod entry;
mod folder;
mod gzip;
mod members;
mod reader;
mod survey;
mod unpacking;
mod zip;

pub(crate) use container::Container;

use crate::format::Format;
use crate::open::FileContext;
use application::ports::import_source::ImportRefusal;
use entry::Entry;
use std::path::Path;
use std::sync::Arc;

/// The most entries of one folder or archive.
const ENTRY_LIMIT: usize = 300_000;

/// What a folder or an archive holds.
#[derive(Debug)]
struct Listing {
    /// The folder, or the archive.
    path: Arc<Path>,
    /// Files, in the order of their names.
    entries: Vec<Entry>,
    /// The names of what is never read: links, and what is no file.
    others: Vec<String>,
}

/// Opens a folder; files in its folders belong to it, links are not followed.
pub(crate) fn open_folder(
    path: &Path,
    format: Format,
    context: FileContext,
) -> Result<Container, ImportRefusal> {
    survey::survey("the folder", folder::list(path)?, format, context)
}

/// Opens an archive or a packed file that begins with these bytes; nothing when it is neither.
pub(crate) fn open_packed(
    begins: &[u8],
    path: &Path,
    format: Format,
    context: FileContext,
) -> Option<Result<Container, ImportRefusal>> {
    if zip::is_zip(begins) {
        return Some(zip::list(path).and_then(|list| survey::survey("the archive", list, format, context)));
    }
    gzip::is_gzip(begins).then(|| survey::single(gzip::entry(path)?, format, context))
}

/// Refuses what holds too many entries.
fn too_many() -> ImportRefusal {
    ImportRefusal::Unreadable(format!("it holds more than {ENTRY_LIMIT} files"))
}

#[cfg(test)]
mod tests;
