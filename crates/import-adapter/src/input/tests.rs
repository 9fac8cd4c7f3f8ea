use super::{Bytes, Cursor, LineEnd, Position, RECORD_LIMIT, Rows, Separator};
use application::ports::import_source::ImportRefusal;
use proptest::prelude::{prop_assert, prop_assert_eq, proptest};
use std::io::Read;

fn cursor(text: &'static str) -> Cursor {
    Cursor::new(Box::new(text.as_bytes())).unwrap()
}

fn place_of(refusal: ImportRefusal) -> String {
    match refusal {
        ImportRefusal::Damaged { place, .. } => place,
        other => panic!("{other}"),
    }
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    let mut cursor = cursor("\u{feff} [");
    assert_eq!(cursor.peek_token(), Ok(Some(b'[')));
    assert_eq!(cursor.place(), Position { line: 1, column: 2 });
}

#[test]
fn a_value_is_used_as_written() {
    let mut cursor = cursor(r#" {"a":["}\"]", {}]} , 12 "#);
    let mut out = Vec::new();
    cursor.read_value(&mut out).unwrap();
    assert_eq!(out, br#"{"a":["}\"]", {}]}"#);
    cursor.expect(b',').unwrap();
    cursor.read_value(&mut out).unwrap();
    assert_eq!(out, b"12");
    assert_eq!(cursor.peek_token(), Ok(None));
}

/// Returns one byte per read, so that every byte ends a chunk once.
struct Trickle(&'static [u8]);

impl Read for Trickle {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(&mut out[..1])
    }
}

#[test]
fn the_end_of_a_value_does_not_depend_on_chunk_borders() {
    for (value, rest) in [
        (r#"{"a":["}\\\"]", {"\u00e9":[[],{}]}]}"#, b','),
        (r#""a\\""#, b']'),
        ("[\n\n 1.5e3 ]", b'"'),
        ("-12.5", b'}'),
        ("null", b'\n'),
    ] {
        let text: &'static str = format!("{value}{}", char::from(rest)).leak();
        let (mut at_once, mut bytewise) =
            (cursor(text), Cursor::new(Box::new(Trickle(text.as_bytes()))).unwrap());
        for cursor in [&mut at_once, &mut bytewise] {
            let mut out = Vec::new();
            cursor.read_value(&mut out).unwrap();
            assert_eq!(out, value.as_bytes());
            assert_eq!(cursor.peek(), Ok(Some(rest)));
        }
        assert_eq!(at_once.place(), bytewise.place());
    }
}

#[test]
fn positions_count_lines_and_characters() {
    let mut cursor = cursor("[\n  \u{e9}\u{e9}");
    assert_eq!(place_of(cursor.skip_value().unwrap_err()), "line 2, column 5");
}

#[test]
fn a_string_without_end_is_refused_with_bounded_memory() {
    let endless = std::io::Cursor::new(b"\"").chain(std::io::repeat(b'a'));
    let mut cursor = Cursor::new(Box::new(endless)).unwrap();
    let mut out = Vec::new();
    let refusal = cursor.read_value(&mut out).unwrap_err();
    assert!(refusal.to_string().contains("longer than 16 MiB"));
    assert!(out.len() <= RECORD_LIMIT);
}

#[test]
fn a_line_without_end_is_refused_with_bounded_memory() {
    let mut cursor = Cursor::new(Box::new(std::io::repeat(b' '))).unwrap();
    let mut out = Vec::new();
    assert!(cursor.read_line(&mut out).is_err());
    assert!(out.len() <= RECORD_LIMIT);
}

#[test]
fn nesting_without_end_is_refused() {
    let mut cursor = Cursor::new(Box::new(std::io::repeat(b'['))).unwrap();
    let refusal = cursor.skip_value().unwrap_err();
    assert!(refusal.to_string().contains("nested more than 100 levels deep"));
}

#[test]
fn lines_end_with_a_feed_or_with_the_file() {
    let mut cursor = cursor("a\r\n\nb");
    let mut out = Vec::new();
    assert_eq!(cursor.read_line(&mut out), Ok(Some(LineEnd::Newline)));
    assert_eq!(out, b"a");
    assert_eq!(cursor.read_line(&mut out), Ok(Some(LineEnd::Newline)));
    assert!(out.is_empty());
    assert_eq!(cursor.read_line(&mut out), Ok(Some(LineEnd::EndOfFile)));
    assert_eq!(out, b"b");
    assert_eq!(cursor.read_line(&mut out), Ok(None));
}

/// Returns the lines of a text, each with the number at which it begins, and the place at the end.
fn lines(text: &'static str) -> (Vec<(u64, String)>, String) {
    let (mut cursor, mut out, mut lines) = (cursor(text), Vec::new(), Vec::new());
    loop {
        let start = cursor.place();
        if cursor.read_line(&mut out).unwrap().is_none() {
            return (lines, start.to_string());
        }
        lines.push((start.line, String::from_utf8(out.clone()).unwrap()));
    }
}

#[test]
fn lines_end_with_a_return_if_the_first_one_does() {
    let line = |number, text: &str| (number, text.to_owned());
    for (text, expected, end) in [
        ("a\rb\rc", vec![line(1, "a"), line(2, "b"), line(3, "c")], "line 3, column 2"),
        ("a\r\rb\r", vec![line(1, "a"), line(2, ""), line(3, "b")], "line 4, column 1"),
        ("a\rb\r\nc\nd", vec![line(1, "a"), line(2, "b"), line(3, "c"), line(4, "d")], "line 4, column 2"),
        // A return within a line of a file with line feeds is a part of it.
        ("a\nb\rc\n", vec![line(1, "a"), line(2, "b\rc")], "line 3, column 1"),
        ("a\r\nb\rc\r\n", vec![line(1, "a"), line(2, "b\rc")], "line 3, column 1"),
        ("a\r", vec![line(1, "a")], "line 2, column 1"),
    ] {
        assert_eq!(lines(text), (expected, end.to_owned()), "{text:?}");
    }
}

#[test]
fn every_return_outside_quotes_ends_a_row_of_a_table() {
    for text in ["a,1\nb,2\rc,3\nd,4\n", "a,1\r\nb,2\rc,3\r\nd,4", "a,1\rb,2\nc,3\r\nd,4\r"] {
        let mut rows = rows(Box::new(text.as_bytes())).unwrap();
        let mut found = Vec::new();
        while let Some(row) = rows.next_row().unwrap() {
            found.push((row.start.line, row.fields.concat()));
        }
        let expected = [(1, "a1"), (2, "b2"), (3, "c3"), (4, "d4")];
        assert_eq!(found, expected.map(|(line, text)| (line, text.to_owned())), "{text:?}");
    }
    let mut rows = rows(Box::new(&b"a\n\"b\rc\",d\n"[..])).unwrap();
    rows.next_row().unwrap();
    assert_eq!(rows.next_row().unwrap().unwrap().fields, ["b\nc", "d"]);
}

fn rows(bytes: Bytes) -> Result<Rows, ImportRefusal> {
    Rows::new(bytes, Separator::Comma)
}

/// Returns the fields of all rows.
fn rows_of(text: String) -> Vec<Vec<String>> {
    let mut rows = rows(Box::new(std::io::Cursor::new(text))).unwrap();
    std::iter::from_fn(|| rows.next_row().unwrap()).map(|row| row.fields).collect()
}

#[test]
fn a_quote_within_a_field_hides_no_later_row() {
    let text = "5\" tape,1\nb,2\n6\" tape,3\n\"7\"\" tape\",4\n\"8\"\"\n\",5\n\"9\" \"tape,6\n";
    let expected = [
        ["5\" tape", "1"],
        ["b", "2"],
        ["6\" tape", "3"],
        ["7\" tape", "4"],
        ["8\"", "5"],
        ["9 \"tape", "6"],
    ];
    assert_eq!(rows_of(text.to_owned()), expected);
}

#[test]
fn a_quote_that_is_never_closed_is_reported_where_its_row_begins() {
    for (text, expected) in [
        ("a,b\n1,\"2\n3,4\n", "damaged at line 2, column 1: a quoted field is not closed"),
        ("a,b\n1,\"2", "damaged at line 2, column 5: the file is truncated"),
    ] {
        let mut rows = rows(Box::new(text.as_bytes())).unwrap();
        rows.next_row().unwrap();
        assert_eq!(rows.next_row().unwrap_err().to_string(), expected);
    }
}

proptest! {
    #[test]
    fn each_row_of_a_table_is_that_of_the_csv_library(text in r#"[a",\n]{0,24}"#) {
        let mut library = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
        let expected: Vec<Vec<String>> = library
            .records()
            .map(|record| record.unwrap().iter().map(|field| field.trim().to_owned()).collect())
            .collect();
        let mut rows = rows(Box::new(std::io::Cursor::new(text))).unwrap();
        let mut found = Vec::new();
        let outcome = loop {
            match rows.next_row() {
                Ok(Some(row)) => found.push(row.fields),
                Ok(None) => break Ok(()),
                Err(refusal) => break Err(refusal),
            }
        };
        // The library closes an open field at the end of the text.
        let whole = expected.get(..found.len());
        prop_assert_eq!(whole, Some(found.as_slice()));
        prop_assert!(outcome.is_err() || found.len() == expected.len());
    }
}
