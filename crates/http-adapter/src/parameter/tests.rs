//! Rows T90 to T93 of the security page, at the parser.

use super::*;
use crate::problem::FieldError;
use proptest::prelude::*;

const KNOWN: &[&str] = &["code", "page"];

fn fields(query: &str) -> Vec<FieldError> {
    match Parameters::read(query, KNOWN) {
        Err(ParameterError::Fields(fields)) => fields,
        other => panic!("{query}: {other:?}"),
    }
}

// T90
#[test]
fn a_repeated_known_name_is_rejected_whatever_its_value_or_encoding() {
    for query in ["code=a&code=b", "code=a&code=a", "code=a&c%6fde=a", "code=a&x=1&code=b&code=c"] {
        assert_eq!(fields(query), [FieldError::new("code", "must be given at most once")], "{query}");
    }
}

// T90
#[test]
fn unknown_names_are_ignored_however_often_they_occur() {
    let parameters = Parameters::read("x=1&x=2&code[]=a&Code=b&x=%00&y&=z&page=2", KNOWN).unwrap();
    assert_eq!(parameters.get("code"), None);
    assert_eq!(parameters.get("page"), Some("2"));
    assert_eq!(parameters.iter().count(), 1);
}

// T91
#[test]
fn an_empty_value_is_refused() {
    for query in ["code=", "code", "page=1&code=&", "%63ode"] {
        assert_eq!(fields(query), [FieldError::new("code", "must not be empty")], "{query}");
    }
}

// T92
#[test]
fn control_characters_are_refused_in_known_values() {
    for query in ["code=a%00", "code=%0a", "code=a%1Fb", "code=%0D%0ASet-Cookie"] {
        assert_eq!(
            fields(query),
            [FieldError::new("code", "must not contain control characters")],
            "{query}"
        );
    }
}

// T93
#[test]
fn invalid_encoding_anywhere_rejects_the_whole_text() {
    for query in ["code=%2", "code=%", "x=%zz", "%g0=1", "code=a&x=%+1", "x=%2\u{661}"] {
        let error = Parameters::read(query, KNOWN).unwrap_err();
        assert_eq!(error, ParameterError::Malformed(Malformed::PercentEncoding), "{query}");
    }
    for query in ["code=%ff%fe", "x=%c3", "%c3%28=1", "code=%ed%a0%80", "code=%c0%80"] {
        let error = Parameters::read(query, KNOWN).unwrap_err();
        assert_eq!(error, ParameterError::Malformed(Malformed::Utf8), "{query}");
    }
}

#[test]
fn every_invalid_field_is_reported_once() {
    let wrong = fields("page=&code=a&code=b&page=&code=");
    assert_eq!(
        wrong,
        [FieldError::new("page", "must not be empty"), FieldError::new("code", "must be given at most once")]
    );
}

#[test]
fn values_are_returned_decoded_and_as_sent() {
    let parameters = Parameters::read("page=2026-01-01T00:00:00+02%3A00&code=%C3%A9=", KNOWN).unwrap();
    let given: Vec<_> = parameters.iter().map(|p| (p.name, p.value.as_ref(), p.raw)).collect();
    assert_eq!(
        given,
        [
            ("page", "2026-01-01T00:00:00 02:00", "page=2026-01-01T00:00:00+02%3A00"),
            ("code", "\u{e9}=", "code=%C3%A9="),
        ]
    );
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in ".*") {
        let _ = Parameters::read(&text, KNOWN);
    }

    #[test]
    fn no_text_of_special_characters_makes_the_parser_panic(text in "[%&=+0-9a-fcodepag\u{0}\u{e9}]{0,60}") {
        let _ = Parameters::read(&text, KNOWN);
    }

    #[test]
    fn an_encoded_value_is_read_back(value in "[^\u{0}-\u{1f}]{1,40}") {
        let query = value.bytes().fold("x=1&code=".to_owned(), |query, byte| format!("{query}%{byte:02x}"));
        let parameters = Parameters::read(&query, KNOWN).unwrap();
        prop_assert_eq!(parameters.get("code"), Some(value.as_str()));
    }
}
