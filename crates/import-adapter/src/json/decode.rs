//! Parsing of records without repeating a value in an error.

use super::bounded::TOO_LONG;
use super::object::Object;
use crate::input::{Position, damaged};
use application::ports::import_source::ImportRefusal;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::error::Category;

/// Checks that bytes are one JSON value in UTF-8; `start` is the position of the first byte.
pub(crate) fn check(bytes: &[u8], start: Position) -> Result<&str, ImportRefusal> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
        damaged(place_after(start, valid), "not valid UTF-8")
    })?;
    match serde_json::from_str::<IgnoredAny>(text) {
        Ok(_) => Ok(text),
        Err(error) if error.classify() == Category::Eof => {
            Err(damaged(place_after(start, bytes), "the record is truncated"))
        }
        Err(error) => {
            let place = start.within(error.line(), error.column());
            Err(damaged(place, format!("not valid JSON: {}", without_position(&error))))
        }
    }
}

/// Parses the members of a checked record, or returns what is wrong with their types.
pub(crate) fn decode<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T, String> {
    serde_json::from_str(text).map(|Object(members)| members).map_err(|error| reason(&error))
}

/// Describes a type error for people, without any value.
pub(crate) fn reason(error: &serde_json::Error) -> String {
    let message = without_position(error);
    let place = Position::START.within(error.line(), error.column());
    if message == TOO_LONG || message.starts_with("missing field ") {
        message
    } else if message.starts_with("duplicate field ") {
        message.replacen("duplicate field ", "duplicate member: ", 1)
    } else {
        let expected =
            expected(&message).map(|expected| format!(", expected {expected}")).unwrap_or_default();
        format!("a member has the wrong type{expected}, at {place} of the record")
    }
}

/// Returns the expected type. serde's message begins with a value, so only known words at its end are used.
fn expected(message: &str) -> Option<&'static str> {
    let (_, expected) = message.rsplit_once(", expected ")?;
    match expected {
        "a string" | "a borrowed string" | "str" => Some("a string"),
        "f64" | "f32" => Some("a number"),
        "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "usize" => Some("a whole number"),
        "a boolean" => Some("true or false"),
        "a list" | "a sequence" => Some("a list"),
        "a map" => Some("an object"),
        structure if structure.starts_with("struct ") => Some("an object"),
        _ => None,
    }
}

/// Removes the position, which serde counts from the start of the record.
fn without_position(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let suffix = format!(" at line {} column {}", error.line(), error.column());
    message.strip_suffix(&suffix).map(str::to_owned).unwrap_or(message)
}

fn place_after(start: Position, passed: &[u8]) -> Position {
    let mut place = start;
    for byte in passed {
        place.advance(*byte);
    }
    place
}
