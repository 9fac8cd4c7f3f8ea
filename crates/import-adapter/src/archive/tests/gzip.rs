//! Gzip files.

use super::{month, places, read, read_as, refusal};
use crate::Format;
use application::ports::import_source::ImportRefusal;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write as _;

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_compressed_file_is_read_as_its_content() {
    let (format, items) = read(&packed(month([1, 2]).as_bytes())).unwrap();
    assert_eq!((format, places(&items)), ("fitbit", vec!["record 1", "record 2"]));
    assert!(read_as(&packed(month([1]).as_bytes()), Format::Dsld).is_err());
    assert_eq!(refusal(&packed(b"words")), "unsupported file: a text file in no supported format");
}

#[test]
fn a_truncated_or_damaged_compressed_file_is_rejected() {
    let good = packed(month(1..9).as_bytes());
    for length in 2..good.len() {
        assert!(matches!(read(&good[..length]), Err(ImportRefusal::Damaged { .. })), "{length}");
    }
    let mut bad = good.clone();
    let crc = good.len() - 8;
    bad[crc] ^= 1;
    assert_eq!(refusal(&bad), "damaged at the compressed data: it cannot be decompressed");
}

#[test]
fn more_than_one_packed_file_is_refused() {
    let two = [packed(month([1]).as_bytes()), packed(month([2]).as_bytes())].concat();
    let expected =
        "damaged at the compressed data: there is more data after the compressed file: unpack it first";
    assert_eq!(refusal(&two), expected);
}

#[test]
fn a_packed_archive_is_not_opened() {
    let archive = super::archive(&[("a.json", month([1]).as_bytes())], super::deflated());
    assert!(refusal(&packed(&archive)).contains("a zip archive"));
}
