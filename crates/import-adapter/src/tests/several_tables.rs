//! Properties of exports of several tables, with the made-up export of each format.

use crate::Format;
use crate::testing::{notes, read_path, sessions};
use application::ports::import_source::{ImportItem, ImportRefusal};
use domain::sleep::SleepRecord;
use proptest::prelude::*;

/// A file: its name and its content.
type File = (String, Vec<u8>);

fn read(format: Format, files: &[File]) -> Result<Vec<ImportItem>, ImportRefusal> {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    read_path(folder.path(), format, "UTC").map(|(_, items)| items)
}

fn export(format: Format, nights: usize) -> Vec<File> {
    let files = format.fixtures().export(nights).into_iter();
    files.map(|(name, content)| (name.to_owned(), content)).collect()
}

fn sorted(items: &[ImportItem]) -> Vec<SleepRecord> {
    let mut records = sessions(items);
    records.sort_by_key(|record| record.time_in_bed().start());
    records
}

/// Formats of exports with several tables.
fn formats() -> impl Iterator<Item = Format> {
    Format::ALL.into_iter().filter(|format| format.fixtures().export.len() > 1)
}

#[test]
fn a_table_without_its_twin_is_read_with_a_note_or_refused_with_advice() {
    for format in formats() {
        for file in export(format, 3) {
            let name = file.0.clone();
            match read(format, &[file]) {
                Ok(items) => {
                    assert_eq!(sessions(&items).len(), 3, "{format:?} {name}");
                    assert!(!notes(&items).is_empty(), "{format:?} {name}");
                }
                Err(ImportRefusal::HoldsNoSleep(_) | ImportRefusal::NotInThisWay(_)) => {}
                Err(refusal) => panic!("{format:?} {name}: {refusal}"),
            }
        }
    }
}

#[test]
fn tables_that_an_import_has_twice_are_read_once() {
    for format in formats() {
        let files = export(format, 3);
        let copies = files.iter().map(|(name, content)| (format!("copy of {name}"), content.clone()));
        let twice: Vec<_> = files.iter().cloned().chain(copies).collect();
        let [once, twice] = [read(format, &files), read(format, &twice)].map(Result::unwrap);
        assert_eq!(sorted(&once), sorted(&twice), "{format:?}");
        assert!(notes(&twice).iter().any(|note| note.contains("were read once")), "{format:?}");
    }
}

proptest! {
    #[test]
    fn rows_of_a_table_may_be_in_any_order(seed in any::<u64>()) {
        for format in Format::ALL.into_iter().filter(|format| *format != Format::SleepAsAndroid) {
            let tables = format.fixtures().export;
            if !tables.iter().all(|table| table.name.contains(".csv")) || tables.is_empty() {
                continue;
            }
            let files = export(format, 3);
            let shuffled = tables.iter().zip(&files).map(|(table, (name, content))| {
                let text = std::str::from_utf8(content).unwrap();
                let rows = text.strip_prefix(table.before).unwrap().strip_suffix(table.after).unwrap();
                let mut rows: Vec<_> = rows.split_inclusive('\n').collect();
                rows.sort_by_key(|row| {
                    let bytes = row.bytes().fold(seed, |hash, byte| {
                        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
                    });
                    bytes.rotate_left(17)
                });
                (name.clone(), format!("{}{}{}", table.before, rows.concat(), table.after).into_bytes())
            });
            let shuffled: Vec<_> = shuffled.collect();
            let [expected, found] = [read(format, &files), read(format, &shuffled)].map(Result::unwrap);
            prop_assert_eq!(sorted(&found), sorted(&expected), "{:?}", format);
        }
    }
}
