//! Central directory of a zip archive.

use super::end::End;
use super::fields::Fields;
use super::header::Header;
use super::{Archive, damaged};
use crate::archive::{ENTRY_LIMIT, too_many};
use application::ports::import_source::ImportRefusal;

/// Maximum size in bytes: 300,000 entries with names and extra fields of 170 bytes.
const LIST_LIMIT: u64 = 64 * 1024 * 1024;
/// Minimum size of an entry in bytes.
const ENTRY_LENGTH: u64 = 46;

/// Reads the directory; also returns its offset, before which all entries lie.
pub(super) fn read(archive: &mut Archive) -> Result<(Vec<Header>, u64), ImportRefusal> {
    let end = End::find(archive)?;
    let wrong = || damaged("its list of entries is damaged");
    if end.list_offset.checked_add(end.list_size).is_none_or(|end_of_list| end_of_list > end.limit) {
        return Err(damaged(
            "its list of entries is not where the archive says: the archive is incomplete or split into \
             several files",
        ));
    }
    if end.list_size > LIST_LIMIT || end.is_long && end.entries > ENTRY_LIMIT as u64 {
        return Err(too_many());
    }
    let bytes = archive.bytes_at(end.list_offset, usize::try_from(end.list_size).map_err(|_| wrong())?)?;
    let mut list = Fields::new(&bytes);
    let capacity = usize::try_from(end.list_size / ENTRY_LENGTH).unwrap_or(0).min(ENTRY_LIMIT);
    let mut headers = Vec::with_capacity(capacity);
    while !list.is_empty() {
        if headers.len() >= ENTRY_LIMIT {
            return Err(too_many());
        }
        headers.push(Header::take(&mut list).ok_or_else(wrong)?);
    }
    let count = headers.len() as u64;
    let counted = if end.is_long { count } else { count & 0xffff };
    if counted != end.entries {
        return Err(wrong());
    }
    Ok((headers, end.list_offset))
}
