//! Properties of exports of several tables, with the made-up export of each format.

use crate::Format;
use crate::test_support::ExportFile;
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

/// Formats whose export consists of tables with one header each.
fn tables() -> Vec<Format> {
    let is_table = |format: &Format| {
        let export = format.fixtures().export;
        !export.is_empty() && export.iter().all(|file| file.name.contains(".csv"))
    };
    Format::ALL.into_iter().filter(|format| is_table(format) && *format != Format::SleepAsAndroid).collect()
}

/// Orders the rows of a table by a hash of each.
fn shuffled(file: &ExportFile, content: &[u8], seed: u64) -> Vec<u8> {
    let text = std::str::from_utf8(content).unwrap();
    let rows = text.strip_prefix(file.before).unwrap().strip_suffix(file.after).unwrap();
    let mut rows: Vec<_> = rows.split_inclusive('\n').collect();
    let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3).rotate_left(17);
    rows.sort_by_key(|row| row.bytes().fold(seed, hash));
    format!("{}{}{}", file.before, rows.concat(), file.after).into_bytes()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn rows_of_a_table_may_be_in_any_order(format in prop::sample::select(tables()), seed in any::<u64>()) {
        let files = export(format, 3);
        let tables = format.fixtures().export.iter().zip(&files);
        let mixed: Vec<_> =
            tables.map(|(table, (name, content))| (name.clone(), shuffled(table, content, seed))).collect();
        let [expected, found] = [read(format, &files), read(format, &mixed)].map(Result::unwrap);
        prop_assert_eq!(sorted(&found), sorted(&expected), "{:?}", format);
    }
}
