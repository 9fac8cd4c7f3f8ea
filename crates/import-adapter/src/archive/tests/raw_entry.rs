//! Handcrafted archives with contradictory headers.

use flate2::{Compress, Compression, Crc, FlushCompress};

/// One entry with all its header fields.
#[derive(Debug, Clone)]
pub(super) struct RawEntry {
    pub(super) name: String,
    pub(super) method: u16,
    pub(super) flags: u16,
    pub(super) crc: u32,
    pub(super) size: u64,
    pub(super) packed: Vec<u8>,
    /// Offset in the directory, if it differs from the real one.
    pub(super) offset: Option<u64>,
}

impl RawEntry {
    /// An uncompressed entry.
    pub(super) fn stored(name: &str, content: &[u8]) -> Self {
        let mut crc = Crc::new();
        crc.update(content);
        Self {
            name: name.to_owned(),
            method: 0,
            flags: 0,
            crc: crc.sum(),
            size: content.len() as u64,
            packed: content.to_vec(),
            offset: None,
        }
    }

    /// A compressed entry that begins with a text, followed by this many mebibytes of line feeds.
    pub(super) fn bomb(name: &str, text: &[u8], mebibytes: usize) -> Self {
        let mut compressor = Compress::new(Compression::best(), false);
        let mut pack = |bytes: &[u8], flush| {
            let mut out = Vec::with_capacity(8192);
            compressor.compress_vec(bytes, &mut out, flush).unwrap();
            assert!(out.len() < 8192);
            out
        };
        let feeds = vec![b'\n'; 1024 * 1024];
        let mut packed = pack(text, FlushCompress::Full);
        let part = pack(&feeds, FlushCompress::Full);
        let mut crc = Crc::new();
        crc.update(text);
        for _ in 0..mebibytes {
            packed.extend_from_slice(&part);
            crc.update(&feeds);
        }
        packed.extend(pack(b"", FlushCompress::Finish));
        let size = (text.len() + mebibytes * feeds.len()) as u64;
        Self { method: 8, crc: crc.sum(), size, packed, ..Self::stored(name, b"") }
    }
}

/// Writes an archive; `long` uses zip64 fields.
pub(super) fn write(entries: &[RawEntry], long: bool) -> Vec<u8> {
    let (mut bytes, mut list) = (Vec::new(), Vec::new());
    for entry in entries {
        let offset = entry.offset.unwrap_or(bytes.len() as u64);
        numbers(&mut bytes, &[(4, 0x0403_4b50), (2, 20), (2, entry.flags.into()), (2, entry.method.into())]);
        let length = entry.name.len() as u64;
        let packed_size = entry.packed.len() as u64;
        numbers(&mut bytes, &[(4, 0), (4, entry.crc.into()), (4, packed_size), (4, entry.size)]);
        numbers(&mut bytes, &[(2, length), (2, 0)]);
        bytes.extend_from_slice(entry.name.as_bytes());
        bytes.extend_from_slice(&entry.packed);
        numbers(&mut list, &[(4, 0x0201_4b50), (2, 20), (2, 20), (2, entry.flags.into())]);
        numbers(&mut list, &[(2, entry.method.into()), (4, 0), (4, entry.crc.into())]);
        let short = |number| if long { u64::from(u32::MAX) } else { number };
        numbers(&mut list, &[(4, short(packed_size)), (4, short(entry.size)), (2, length)]);
        numbers(&mut list, &[(2, if long { 28 } else { 0 }), (2, 0), (2, 0), (2, 0), (4, 0)]);
        numbers(&mut list, &[(4, short(offset))]);
        list.extend_from_slice(entry.name.as_bytes());
        if long {
            numbers(&mut list, &[(2, 1), (2, 24), (8, entry.size), (8, packed_size), (8, offset)]);
        }
    }
    let (count, start, length) = (entries.len() as u64, bytes.len() as u64, list.len() as u64);
    bytes.extend(list);
    if long {
        let at = bytes.len() as u64;
        numbers(&mut bytes, &[(4, 0x0606_4b50), (8, 44), (2, 45), (2, 45), (4, 0), (4, 0)]);
        numbers(&mut bytes, &[(8, count), (8, count), (8, length), (8, start)]);
        numbers(&mut bytes, &[(4, 0x0706_4b50), (4, 0), (8, at), (4, 1)]);
    }
    let (count, most) = if long { (0xffff, 0xffff_ffff) } else { (count, u64::MAX) };
    numbers(&mut bytes, &[(4, 0x0605_4b50), (2, 0), (2, 0), (2, count), (2, count)]);
    numbers(&mut bytes, &[(4, length.min(most).max(if long { most } else { 0 }))]);
    numbers(&mut bytes, &[(4, if long { most } else { start }), (2, 0)]);
    bytes
}

fn numbers(bytes: &mut Vec<u8>, fields: &[(usize, u64)]) {
    for (width, number) in fields {
        bytes.extend_from_slice(&number.to_le_bytes()[..*width]);
    }
}
