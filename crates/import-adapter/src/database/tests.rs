use super::{Database, Schema};
use crate::source::Items;
use crate::test_support::database;
use application::ports::import_source::ImportRefusal;
use std::io::Read as _;

fn schema(bytes: Vec<u8>) -> Result<Schema, ImportRefusal> {
    Database::open(Box::new(std::io::Cursor::new(bytes)), None)?.schema()
}

#[test]
fn only_an_ordinary_table_is_read_without_its_generated_columns() {
    let sql = "CREATE TABLE night (id INTEGER PRIMARY KEY, start INTEGER); CREATE VIEW nap AS SELECT 1 AS id;
        CREATE VIRTUAL TABLE word USING fts5(id);
        CREATE TABLE made (id INTEGER, twice INTEGER AS (id * 2));
        CREATE TRIGGER after INSERT ON night BEGIN DELETE FROM night; END;";
    let found = schema(database(sql)).unwrap();
    assert_eq!(found.require("night", &["id", "START"]), Ok(()));
    assert_eq!(found.require("made", &["id"]), Ok(()));
    for (table, column, expected) in [
        ("nap", "id", "nap is not an ordinary table"),
        ("word", "id", "word is not an ordinary table"),
        ("made", "twice", "the table made has no column twice"),
        ("night", "end", "the table night has no column end"),
        ("week", "id", "the database has no table week"),
    ] {
        let refused = found.require(table, &[column]).unwrap_err().to_string();
        assert!(refused.ends_with(expected), "{refused}");
    }
}

#[test]
fn a_damaged_database_is_refused_without_a_value_of_it() {
    let whole = database("CREATE TABLE secret (id INTEGER PRIMARY KEY, note TEXT);");
    for damage in [&b"SQLite format 3\0"[..], &whole[..300], &[&whole[..100], &[0xff; 3000]].concat()] {
        let refused = schema(damage.to_vec()).unwrap_err();
        assert!(matches!(refused, ImportRefusal::Damaged { .. }), "{refused}");
        assert!(!refused.to_string().contains("secret"), "{refused}");
    }
}

#[test]
fn a_database_damaged_in_the_middle_is_refused_when_that_is_read() {
    let row = "INSERT INTO night (note) VALUES (hex(randomblob(2000)));".repeat(50);
    let mut bytes = database(&format!("CREATE TABLE night (id INTEGER PRIMARY KEY, note TEXT); {row}"));
    let middle = bytes.len() / 2;
    bytes[middle..middle + 9000].fill(0xff);
    let opened = Database::open(Box::new(std::io::Cursor::new(bytes)), None).unwrap();
    let mut rows = 0;
    let outcome = opened.each_row("SELECT note FROM night", &mut |_| {
        rows += 1;
        Ok(())
    });
    assert!(matches!(outcome, Err(ImportRefusal::Damaged { .. })), "{outcome:?} after {rows} rows");
}

#[test]
fn a_value_of_another_type_than_the_expected_one_is_absent() {
    let sql =
        "CREATE TABLE night (a INTEGER, b); INSERT INTO night VALUES ('x', 7), (8, 'y'), (NULL, x'ff');";
    let opened = Database::open(Box::new(std::io::Cursor::new(database(sql))), None).unwrap();
    let mut found = Vec::new();
    let mut read = |row: &super::Row<'_>| {
        found.push((row.integer(0), row.text(1).map(str::to_owned), row.blob(1).map(<[u8]>::to_vec)));
        Ok(())
    };
    opened.each_row("SELECT a, b FROM night", &mut read).unwrap();
    let expected =
        [(None, None, None), (Some(8), Some("y".to_owned()), None), (None, None, Some(vec![0xff]))];
    assert_eq!(found, expected);
}

#[test]
fn the_copy_of_a_database_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = database("CREATE TABLE night (id INTEGER);");
    let opened = Database::open(Box::new(std::io::Cursor::new(bytes)), Some(folder.path())).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    assert!(opened.schema().unwrap().has("night"));
}

#[test]
fn a_database_larger_than_the_limit_is_refused() {
    let copy =
        |size| super::copy_within(1 << 20, Box::new(std::io::repeat(0).take(size)), &mut std::io::sink());
    assert_eq!(copy(1 << 20), Ok(1 << 20));
    assert_eq!(copy(u64::MAX).unwrap_err().to_string(), "cannot be read: the database is larger than 1 MiB");
}

#[test]
fn only_a_database_with_a_write_ahead_log_has_a_note_about_it() {
    let mut bytes = database("CREATE TABLE night (id INTEGER);");
    for (version, expected) in [(1, 0), (2, 1)] {
        bytes[18..20].fill(version);
        let opened = Database::open(Box::new(std::io::Cursor::new(bytes.clone())), None).unwrap();
        let mut items = Items::default();
        opened.note_no_record(&mut items);
        assert_eq!(items.take().len(), expected);
        assert!(opened.schema().unwrap().has("night"));
    }
}
