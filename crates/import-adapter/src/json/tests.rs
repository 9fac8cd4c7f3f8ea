use super::{Bounded, Document, Layout, LooseScalar, decode};
use crate::input::Cursor;
use application::ports::import_source::ImportRefusal;
use proptest::prelude::{any, prop, prop_assert, proptest};
use serde::Deserialize;

fn records(text: &[u8], layout: Layout) -> Result<Vec<String>, ImportRefusal> {
    let cursor = Cursor::new(Box::new(std::io::Cursor::new(text.to_vec())))?;
    let mut document = Document::new(cursor, layout);
    let mut records = Vec::new();
    while let Some(record) = document.next_record()? {
        records.push(record.text.to_owned());
    }
    Ok(records)
}

fn refusal(text: &str, layout: Layout) -> (String, String) {
    match records(text.as_bytes(), layout) {
        Err(ImportRefusal::Damaged { place, reason }) => (place, reason),
        other => panic!("{other:?}"),
    }
}

const WRAPPED: Layout = Layout::Wrapped("sleep");

#[test]
fn a_list_is_a_row_of_records() {
    assert_eq!(records(b" [1 , {\"a\":[]},\"x\"]\n", Layout::List).unwrap(), ["1", "{\"a\":[]}", "\"x\""]);
    assert!(records(b"[]", Layout::List).unwrap().is_empty());
}

#[test]
fn a_wrapped_list_is_found_among_other_members() {
    let text = br#"{"before":{"sleep":[9]},"sleep":[1,2],"after":null}"#;
    assert_eq!(records(text, WRAPPED).unwrap(), ["1", "2"]);
    assert_eq!(records(br#"{"sleep":{"a":1}}"#, WRAPPED).unwrap(), [r#"{"a":1}"#]);
    assert_eq!(records(br#"{"sl\u0065ep":[7]}"#, WRAPPED).unwrap(), ["7"]);
}

#[test]
fn malformed_json_is_refused_with_its_place() {
    for (text, place) in [
        ("[1,]", "line 1, column 4"),
        ("[1 2]", "line 1, column 4"),
        ("[\n {\"a\": 1} // note\n]", "line 2, column 11"),
        ("[{\"a\": NaN}]", "line 1, column 8"),
        ("[1] x", "line 1, column 5"),
        ("[1]]", "line 1, column 4"),
    ] {
        assert_eq!(refusal(text, Layout::List).0, place, "{text}");
    }
    let (_, reason) = refusal("{\"sleep\" [1]}", WRAPPED);
    assert_eq!(reason, "not valid JSON: expected `:`");
}

#[test]
fn a_truncated_file_is_rejected_with_its_place() {
    for text in ["[", "[1", "[1,", "[{\"a\":", "[{\"a\": \"b", "[{\"a\": 1}"] {
        let (place, reason) = refusal(text, Layout::List);
        assert_eq!(
            (place, reason.as_str()),
            (format!("line 1, column {}", text.len() + 1), "the file is truncated")
        );
    }
}

#[test]
fn records_one_level_deeper_are_found_whatever_surrounds_them() {
    let nested = Layout::Nested("body", "series");
    let text = br#"{"series":[0],"body":{"body":{"series":[0]},"series":[1,2],"more":[3]},"series":[4]}"#;
    assert_eq!(records(text, nested).unwrap(), ["1", "2"]);
    for text in [&b"{\"body\":{}}"[..], b"{\"body\":[1]}", b"{}", b"{\"body\":{\"series\":7}}"] {
        assert_eq!(records(text, nested).unwrap(), Vec::<String>::new());
    }
    assert!(records(br#"{"body":{"series":[1]}"#, nested).is_err());
}

#[test]
fn content_around_the_records_may_be_longer_than_a_record() {
    let long = format!("\"{}\"", "a".repeat(1024 * 1024));
    let beside = vec![long.as_str(); 17].join(",");
    let text = format!(r#"{{"before":[{beside}],"sleep":[7],"after":{{"list":[{beside}]}}}}"#);
    assert_eq!(records(text.as_bytes(), WRAPPED).unwrap(), ["7"]);
    let too_deep = format!(r#"{{"before":{}1{}}}"#, "[".repeat(101), "]".repeat(101));
    assert_eq!(refusal(&too_deep, WRAPPED).1, "nested more than 100 levels deep");
}

#[test]
fn invalid_utf_8_is_refused_with_its_place() {
    let refused = records(b"[\n\"a\xff\"]", Layout::List);
    let expected =
        ImportRefusal::Damaged { place: "line 2, column 3".into(), reason: "not valid UTF-8".into() };
    assert_eq!(refused, Err(expected));
}

#[derive(Debug, Deserialize)]
struct Members {
    #[serde(default)]
    id: LooseScalar,
    #[expect(dead_code, reason = "only its type matters")]
    name: String,
}

#[test]
fn an_error_about_members_repeats_no_value() {
    let typed = decode::<Members>(r#"{"name": 4711}"#).unwrap_err();
    assert!(!typed.contains("4711") && typed.contains("line 1, column"), "{typed}");
    assert_eq!(decode::<Members>("{}").unwrap_err(), "missing field `name`");
    let twice = decode::<Members>(r#"{"name":"a","name":"b"}"#).unwrap_err();
    assert_eq!(twice, "duplicate member: `name`");
}

#[test]
fn an_identifier_is_the_same_as_a_number_and_as_a_text() {
    for text in ["32150400420430", "\"32150400420430\"", "3.2150400420430e13"] {
        let scalar: LooseScalar = serde_json::from_str(text).unwrap();
        assert_eq!(scalar.identifier().unwrap(), "32150400420430", "{text}");
    }
    for text in ["1.5", "\" \"", "null", "true", "[1]", "1e300"] {
        assert_eq!(serde_json::from_str::<LooseScalar>(text).unwrap().identifier(), None, "{text}");
    }
    let members: Members = decode(r#"{"name":"","id":{"a":[1]}}"#).unwrap();
    assert_eq!(members.id, LooseScalar::Nested);
}

#[derive(Debug, Default, Deserialize)]
struct Empty {}

#[derive(Debug, Deserialize)]
struct Nested {
    many: Bounded<Empty>,
}

#[test]
fn a_list_is_neither_a_record_nor_an_entry_of_one() {
    for text in ["[]", "[[{}]]", r#"{"many":[[]]}"#, r#"{"many":[{},[]]}"#] {
        let reason = decode::<Nested>(text).unwrap_err();
        let expected = "a member has the wrong type, expected an object, at line 1, column ";
        assert!(reason.starts_with(expected), "{text}: {reason}");
    }
    assert_eq!(decode::<Nested>(r#"{"many":[{},{}]}"#).unwrap().many.0.len(), 2);
}

#[test]
fn a_list_of_millions_does_not_fit_into_a_record() {
    let text = format!("{{\"many\":[{}{{}}]}}", "{},".repeat(20_160));
    let refused = decode::<Nested>(&text).unwrap_err();
    assert_eq!(refused, "a list has more than 20160 entries");
}

proptest! {
    #[test]
    fn a_document_is_accepted_exactly_when_serde_accepts_it(text in r#"[\[\]{},:"\\a1 \n]{0,12}"#) {
        let valid = serde_json::from_str::<Vec<serde::de::IgnoredAny>>(&text);
        let read = records(text.as_bytes(), Layout::List);
        prop_assert!(valid.is_ok() == read.is_ok(), "{:?}", read);
    }

    #[test]
    fn content_around_the_records_is_accepted_exactly_when_serde_accepts_it(text in r#"[\[\]{},:"\\a1 \n]{0,14}"#) {
        let text = format!(r#"{{"before":{text}}}"#);
        let valid = serde_json::from_str::<serde::de::IgnoredAny>(&text);
        let read = records(text.as_bytes(), WRAPPED);
        prop_assert!(valid.is_ok() == read.is_ok(), "{:?}", read);
    }

    #[test]
    fn no_bytes_make_a_document_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        for layout in [Layout::List, Layout::Single, Layout::Row, WRAPPED, Layout::Nested("body", "a")] {
            let _outcome = records(&bytes, layout);
        }
    }
}
