//! End record of a zip archive, which locates the central directory.

use super::fields::Fields;
use super::{Archive, damaged};
use application::ports::import_source::ImportRefusal;

const SIGNATURE: &[u8] = b"PK\x05\x06";
const LENGTH: usize = 22;
/// Maximum length of the comment after it.
const COMMENT_LIMIT: usize = 0xffff;
const LONG_LOCATOR: u32 = 0x0706_4b50;
const LONG_LOCATOR_LENGTH: usize = 20;
const LONG_SIGNATURE: u32 = 0x0606_4b50;
const LONG_LENGTH: usize = 56;

/// Location of the directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct End {
    /// Number of entries; the lower 16 bits in the short form.
    pub(super) entries: u64,
    /// Whether `entries` is the full number.
    pub(super) is_long: bool,
    pub(super) list_size: u64,
    pub(super) list_offset: u64,
    /// Upper bound of the directory's end.
    pub(super) limit: u64,
}

impl End {
    /// Finds the last end record that is followed by its comment and nothing else.
    pub(super) fn find(archive: &mut Archive) -> Result<Self, ImportRefusal> {
        let missing = || damaged("its list of entries is missing: the archive is truncated or damaged");
        let length = archive.len()?;
        let tail_length = length.min((LENGTH + COMMENT_LIMIT) as u64);
        let tail_start = length.saturating_sub(tail_length);
        let tail = archive.bytes_at(tail_start, usize::try_from(tail_length).map_err(|_| missing())?)?;
        let at = memchr::memmem::rfind_iter(&tail, SIGNATURE).find(|at| is_end(tail.get(*at..)));
        let at = at.ok_or_else(missing)?;
        let limit = tail_start.saturating_add(at as u64);
        let short =
            tail.get(at..).and_then(|record| short(Fields::new(record), limit)).ok_or_else(missing)?;
        let is_short = short.entries != 0xffff
            && short.list_size != u64::from(u32::MAX)
            && short.list_offset != u64::from(u32::MAX);
        if is_short { Ok(short) } else { Self::long(archive, short) }
    }

    /// Reads the zip64 record, which an archive with exactly 65,535 entries may lack.
    fn long(archive: &mut Archive, short: Self) -> Result<Self, ImportRefusal> {
        let Some(locator) = short.limit.checked_sub(LONG_LOCATOR_LENGTH as u64) else {
            return Ok(short);
        };
        let bytes = archive.bytes_at(locator, LONG_LOCATOR_LENGTH)?;
        let mut fields = Fields::new(&bytes);
        if fields.u32() != Some(LONG_LOCATOR) {
            return Ok(short);
        }
        let wrong = || damaged("its list of entries is damaged");
        let at = fields.skip(4).and_then(|()| fields.u64()).filter(|at| *at < locator).ok_or_else(wrong)?;
        let bytes = archive.bytes_at(at, LONG_LENGTH)?;
        long(Fields::new(&bytes), at).ok_or_else(wrong)
    }
}

fn is_end(record: Option<&[u8]>) -> bool {
    let comment = record.and_then(|record| {
        let mut fields = Fields::new(record);
        fields.skip(LENGTH - 2)?;
        Some(usize::from(fields.u16()?))
    });
    comment.is_some_and(|comment| record.is_some_and(|record| record.len() == LENGTH + comment))
}

fn short(mut fields: Fields<'_>, limit: u64) -> Option<End> {
    fields.skip(8)?;
    let (here, entries) = (fields.u16()?, u64::from(fields.u16()?));
    (u64::from(here) == entries).then_some(())?;
    let (list_size, list_offset) = (u64::from(fields.u32()?), u64::from(fields.u32()?));
    Some(End { entries, is_long: false, list_size, list_offset, limit })
}

fn long(mut fields: Fields<'_>, limit: u64) -> Option<End> {
    (fields.u32()? == LONG_SIGNATURE).then_some(())?;
    fields.skip(20)?;
    let (here, entries) = (fields.u64()?, fields.u64()?);
    (here == entries).then_some(())?;
    Some(End { entries, is_long: true, list_size: fields.u64()?, list_offset: fields.u64()?, limit })
}
