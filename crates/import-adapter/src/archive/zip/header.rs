//! Directory entries.

use super::fields::Fields;
use crate::archive::entry::display_name;
use application::ports::import_source::ImportRefusal;

const SIGNATURE: u32 = 0x0201_4b50;
/// Extra field with 64-bit numbers.
const LONG_NUMBERS: u16 = 1;
/// Systems whose attributes have a Unix file mode in the upper half: Unix and macOS.
const UNIX_LIKE: [u16; 2] = [3, 19];

/// One directory entry.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// Raw name, for display only.
    pub(super) name: String,
    pub(super) method: u16,
    pub(super) crc: u32,
    pub(super) packed_size: u64,
    pub(super) size: u64,
    /// Offset of the local header.
    pub(super) offset: u64,
    flags: u16,
    /// Unix file mode; 0 if absent.
    mode: u32,
}

impl Header {
    /// Reads the next entry.
    pub(super) fn take(list: &mut Fields<'_>) -> Option<Self> {
        (list.u32()? == SIGNATURE).then_some(())?;
        let system = list.u16()? >> 8;
        list.skip(2)?;
        let (flags, method) = (list.u16()?, list.u16()?);
        list.skip(4)?;
        let (crc, packed_size, size) = (list.u32()?, list.u32()?, list.u32()?);
        let [name, extra, comment] = [list.u16()?, list.u16()?, list.u16()?].map(usize::from);
        list.skip(4)?;
        let (attributes, offset) = (list.u32()?, list.u32()?);
        let name = String::from_utf8_lossy(list.bytes(name)?).into_owned();
        let mut long = long_numbers(Fields::new(list.bytes(extra)?));
        list.skip(comment)?;
        Some(Self {
            name,
            method,
            crc,
            // The order in the extra field.
            size: read_u32_or_u64(size, &mut long)?,
            packed_size: read_u32_or_u64(packed_size, &mut long)?,
            offset: read_u32_or_u64(offset, &mut long)?,
            flags,
            mode: if UNIX_LIKE.contains(&system) { attributes >> 16 } else { 0 },
        })
    }

    pub(super) fn is_folder(&self) -> bool {
        self.name.ends_with(['/', '\\'])
    }

    pub(super) const fn is_link(&self) -> bool {
        self.mode & 0o170_000 == 0o120_000
    }

    pub(super) const fn is_encrypted(&self) -> bool {
        self.flags & 1 != 0
    }

    pub(super) fn damaged(&self, reason: &str) -> ImportRefusal {
        ImportRefusal::Damaged { place: display_name(&self.name), reason: reason.to_owned() }
    }

    pub(super) fn unreadable(&self, reason: &str) -> ImportRefusal {
        ImportRefusal::Unreadable(format!("{}: {reason}", display_name(&self.name)))
    }
}

/// Returns the zip64 extra field; empty if there is none.
fn long_numbers(mut extra: Fields<'_>) -> Fields<'_> {
    loop {
        let (Some(id), Some(length)) = (extra.u16(), extra.u16()) else { return Fields::new(&[]) };
        match extra.bytes(usize::from(length)) {
            Some(field) if id == LONG_NUMBERS => return Fields::new(field),
            Some(_) => {}
            None => return Fields::new(&[]),
        }
    }
}

/// Returns a number, from the extra field if it exceeds 32 bits.
fn read_u32_or_u64(short: u32, long: &mut Fields<'_>) -> Option<u64> {
    if short == u32::MAX { long.u64() } else { Some(u64::from(short)) }
}
