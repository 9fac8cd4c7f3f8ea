//! Zip archives: their entries, and where the bytes of each are.
//!
//! The central directory is parsed here rather than by a library: its statements are verified before use,
//! there is exactly one way to find it, and no two entries share a byte.

mod directory;
mod end;
mod fields;
mod header;

use super::Listing;
use super::entry::{Entry, display_name};
use super::reader::{Expected, Packing};
use application::ports::import_source::ImportRefusal;
use fields::Fields;
use header::Header;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::Arc;

/// Length of a local header before the name.
const LOCAL_HEADER: usize = 30;
const LOCAL_SIGNATURE: u32 = 0x0403_4b50;

/// Returns whether a file that begins with these bytes is a zip archive; an empty one has only an end record.
pub(super) fn is_zip(begins: &[u8]) -> bool {
    begins.starts_with(b"PK\x03\x04") || begins.starts_with(b"PK\x05\x06")
}

/// Lists the files of an archive by name.
pub(super) fn list(path: &Path) -> Result<Listing, ImportRefusal> {
    let mut archive = Archive { file: File::open(path).map_err(|error| unreadable(&error))? };
    let (mut headers, end_of_entries) = directory::read(&mut archive)?;
    headers.sort_by(|one, other| one.name.cmp(&other.name));
    if headers.windows(2).any(|pair| matches!(pair, [one, other] if one.name == other.name)) {
        return Err(damaged("two entries have the same name"));
    }
    let path: Arc<Path> = path.into();
    let entries = Vec::with_capacity(headers.len());
    let mut listing = Listing { path: Arc::clone(&path), entries, others: Vec::new() };
    let mut taken = Vec::with_capacity(headers.len());
    for header in headers {
        let start = archive.start_of(&header)?;
        let end = start.checked_add(header.packed_size).filter(|end| *end <= end_of_entries);
        taken.push((header.offset, end.ok_or_else(|| header.damaged("it extends beyond the archive"))?));
        if header.is_link() {
            listing.others.push(display_name(&header.name));
        } else if !header.is_folder() {
            listing.entries.push(entry(&header, start, &path)?);
        }
    }
    taken.sort_unstable();
    if taken.windows(2).any(|pair| matches!(pair, [one, other] if one.1 > other.0)) {
        return Err(damaged("entries overlap"));
    }
    Ok(listing)
}

fn entry(header: &Header, start: u64, path: &Arc<Path>) -> Result<Entry, ImportRefusal> {
    if header.is_encrypted() {
        return Err(header.unreadable("it is encrypted: unpack the archive with its password first"));
    }
    let packing = match header.method {
        0 => Packing::Stored,
        8 => Packing::Deflated,
        _ => {
            return Err(
                header.unreadable("its compression method is not supported: unpack the archive first")
            );
        }
    };
    Ok(Entry {
        name: display_name(&header.name),
        packed_size: header.packed_size,
        path: Arc::clone(path),
        start,
        packing,
        expected: Some(Expected { size: header.size, crc: header.crc }),
    })
}

/// An archive on disk.
struct Archive {
    file: File,
}

impl Archive {
    fn len(&self) -> Result<u64, ImportRefusal> {
        self.file.metadata().map(|metadata| metadata.len()).map_err(|error| unreadable(&error))
    }

    /// Reads this many bytes; the caller ensures that they exist.
    fn bytes_at(&mut self, start: u64, length: usize) -> Result<Vec<u8>, ImportRefusal> {
        let mut bytes = vec![0; length];
        self.file.seek(SeekFrom::Start(start)).map_err(|error| unreadable(&error))?;
        self.file.read_exact(&mut bytes).map_err(|_| damaged("it is truncated"))?;
        Ok(bytes)
    }

    /// Returns the offset of an entry's data, after its local header.
    fn start_of(&mut self, header: &Header) -> Result<u64, ImportRefusal> {
        let bytes =
            self.bytes_at(header.offset, LOCAL_HEADER).map_err(|_| header.damaged("it is truncated"))?;
        let start = local_header(Fields::new(&bytes), header.method)
            .and_then(|names| header.offset.checked_add(names)?.checked_add(LOCAL_HEADER as u64));
        start.ok_or_else(|| header.damaged("it does not begin where the archive says"))
    }
}

/// Returns the length of the fields between a local header and the data; `None` if it does not match the
/// entry.
fn local_header(mut fields: Fields<'_>, method: u16) -> Option<u64> {
    (fields.u32()? == LOCAL_SIGNATURE).then_some(())?;
    fields.skip(4)?;
    (fields.u16()? == method).then_some(())?;
    fields.skip(16)?;
    Some(u64::from(fields.u16()?).saturating_add(u64::from(fields.u16()?)))
}

/// Rejects an archive with an invalid directory.
fn damaged(reason: &str) -> ImportRefusal {
    ImportRefusal::Damaged { place: "the archive".to_owned(), reason: reason.to_owned() }
}

fn unreadable(error: &std::io::Error) -> ImportRefusal {
    ImportRefusal::Unreadable(error.kind().to_string())
}
