//! Damaged and malicious archives.

use super::raw_entry::{RawEntry, write};
use super::{archive, deflated, month, places, read, refusal, stored};
use application::ports::import_source::ImportRefusal;
use proptest::prelude::{any, prop, prop_assert, proptest};

fn entry(name: &str, ids: [u32; 2]) -> RawEntry {
    RawEntry::stored(name, month(ids).as_bytes())
}

fn is_damaged_at(bytes: &[u8], name: &str) -> bool {
    matches!(read(bytes), Err(ImportRefusal::Damaged { place, .. }) if place == name)
}

#[test]
fn an_archive_of_either_width_of_numbers_is_read() {
    for long in [false, true] {
        let (_, items) = read(&write(&[entry("b", [3, 4]), entry("a", [1, 2])], long)).unwrap();
        assert_eq!(places(&items), ["a: record 1", "a: record 2", "b: record 1", "b: record 2"]);
    }
}

#[test]
fn a_wrong_checksum_is_damage_and_so_is_a_wrong_size() {
    let good = entry("a", [1, 2]);
    for bad in [
        RawEntry { crc: good.crc ^ 1, ..good.clone() },
        RawEntry { size: good.size + 1, ..good.clone() },
        RawEntry { size: good.size - 1, ..good.clone() },
        RawEntry { method: 8, ..good.clone() },
    ] {
        let bytes = write(&[entry("0", [3, 4]), bad.clone()], false);
        assert!(is_damaged_at(&bytes, "a"), "{bad:?} {:?}", read(&bytes));
    }
}

#[test]
fn an_archive_truncated_anywhere_is_rejected() {
    let (text, other) = (month(1..9), month(9..12));
    let files = [("a.json", text.as_bytes()), ("b.json", other.as_bytes())];
    for bytes in [archive(&files, deflated()), archive(&files, stored()), write(&[entry("a", [1, 2])], true)]
    {
        for length in 4..bytes.len() {
            let refused = read(&bytes[..length]).unwrap_err();
            assert!(matches!(refused, ImportRefusal::Damaged { .. }), "{length}: {refused}");
        }
        assert!(read(&bytes).is_ok());
    }
}

#[test]
fn an_entry_that_is_cut_is_damaged() {
    let text = month(1..9);
    let mut cut = RawEntry::stored("a", text.as_bytes());
    cut.packed.truncate(100);
    assert!(is_damaged_at(&write(&[cut], false), "a"));
    let mut bomb = RawEntry::bomb("a", text.as_bytes(), 1);
    bomb.packed.truncate(bomb.packed.len() / 2);
    assert!(is_damaged_at(&write(&[bomb], false), "a"));
}

#[test]
fn encrypted_entries_and_unknown_compression_methods_are_reported() {
    let encrypted = RawEntry { flags: 1, ..entry("a", [1, 2]) };
    assert_eq!(
        refusal(&write(&[encrypted], false)),
        "cannot be read: a: it is encrypted: unpack the archive with its password first"
    );
    let unknown = RawEntry { method: 14, ..entry("a", [1, 2]) };
    assert_eq!(
        refusal(&write(&[unknown], false)),
        "cannot be read: a: its compression method is not supported: unpack the archive first"
    );
}

#[test]
fn entries_that_share_bytes_or_a_name_are_refused() {
    let twice = [entry("a", [1, 2]), RawEntry { offset: Some(0), ..entry("b", [1, 2]) }];
    assert_eq!(refusal(&write(&twice, false)), "damaged at the archive: entries overlap");
    let one_name = [entry("a", [1, 2]), entry("a", [1, 2])];
    assert_eq!(refusal(&write(&one_name, false)), "damaged at the archive: two entries have the same name");
    let beyond = RawEntry { offset: Some(u64::MAX - 10), ..entry("a", [1, 2]) };
    assert!(is_damaged_at(&write(&[beyond], true), "a"));
    let elsewhere = RawEntry { offset: Some(1), ..entry("a", [1, 2]) };
    assert!(is_damaged_at(&write(&[elsewhere], false), "a"));
}

#[test]
fn an_archive_that_unpacks_to_far_more_than_its_size_is_rejected() {
    let bomb = RawEntry::bomb("a.json", month([1]).as_bytes(), 70);
    let refused = refusal(&write(&[bomb], false));
    assert_eq!(refused, "cannot be read: a.json unpacks to far more than any export does");
}

#[test]
fn many_small_bombs_are_rejected_together() {
    let bombs: Vec<_> =
        (0..20).map(|id| RawEntry::bomb(&format!("{id}.json"), month([id]).as_bytes(), 4)).collect();
    let refused = refusal(&write(&bombs, false));
    assert_eq!(refused, "cannot be read: its files unpack to far more than any export does");
}

#[test]
fn an_archive_of_too_many_files_is_refused() {
    let entries: Vec<_> = (0..300_001).map(|number| RawEntry::stored(&number.to_string(), b"")).collect();
    for long in [false, true] {
        assert_eq!(refusal(&write(&entries, long)), "cannot be read: it contains more than 300000 files");
    }
}

#[test]
fn a_directory_that_claims_more_than_the_archive_has_is_rejected() {
    let good = write(&[entry("a", [1, 2])], true);
    let end = good.len() - 22;
    for (at, bytes) in [
        (end - 20 - 56 + 32, u64::MAX.to_le_bytes()),
        (end - 20 - 56 + 32, 2_u64.to_le_bytes()),
        (end - 20 - 56 + 40, u64::MAX.to_le_bytes()),
        (end - 20 - 56 + 48, u64::MAX.to_le_bytes()),
        (end - 20 + 8, u64::MAX.to_le_bytes()),
    ] {
        let mut bad = good.clone();
        bad[at..at + 8].copy_from_slice(&bytes);
        assert!(read(&bad).is_err(), "{at}");
    }
}

proptest! {
    #[test]
    fn a_damaged_archive_never_causes_a_panic(
        long in any::<bool>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = write(&[entry("a.json", [1, 2]), entry("b.json", [3, 4])], long);
        for (index, byte) in edits {
            let index = index.index(bytes.len());
            bytes[index] = byte;
        }
        if let Ok((_, items)) = read(&bytes) {
            prop_assert!(items.len() < 10);
        }
    }
}
