//! Why a line or an item is rejected.

use super::member::members_of;
use crate::input::Position;
use crate::json::reason;
use application::ports::ingest_source::{ItemCode, ItemRefusal};
use serde::Deserialize;
use std::fmt::Display;

/// Reason of a rejection, and the member at fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InvalidItem {
    code: ItemCode,
    field: Option<&'static str>,
    /// Message for people; never contains a value.
    pub(super) reason: String,
}

/// Describes an error that names its member.
pub(super) fn at<E: Display>(field: &'static str) -> impl Fn(E) -> InvalidItem {
    move |error| {
        let (code, field) = (ItemCode::InvalidMember, Some(field));
        InvalidItem { code, field, reason: error.to_string() }
    }
}

/// Describes an error that does not name its member.
pub(super) fn named<E: Display>(field: &'static str) -> impl Fn(E) -> InvalidItem {
    move |error| at(field)(format!("{field}: {error}"))
}

impl InvalidItem {
    pub(crate) fn not_an_object() -> Self {
        Self { code: ItemCode::NotAnObject, field: None, reason: "not an object".to_owned() }
    }

    pub(super) fn missing(field: &'static str) -> Self {
        let reason = format!("missing field `{field}`");
        Self { code: ItemCode::MissingMember, ..at(field)(reason) }
    }

    pub(super) fn other_person() -> Self {
        let reason = "user_id names another person";
        Self { code: ItemCode::OtherUser, ..at("user_id")(reason) }
    }

    /// Describes a type error. Only known members are named, because any other name is the sender's text.
    pub(super) fn of_types<'de, T: Deserialize<'de>>(error: &serde_json::Error, text: &str) -> Self {
        let place = Position::START.within(error.line(), error.column());
        let known = |name: &str| members_of::<T>().iter().copied().find(|member| *member == name);
        let inside = member_at(text, place).and_then(known);
        let reason = reason(error);
        let quoted = |before: &str| known(reason.strip_prefix(before)?.strip_prefix('`')?.strip_suffix('`')?);
        if reason.starts_with("missing field ") {
            // For an entry of a list, the list is at fault.
            let field = inside.or_else(|| quoted("missing field "));
            return Self { code: ItemCode::MissingMember, field, reason };
        }
        let field = inside.or_else(|| quoted("duplicate member: "));
        Self { code: ItemCode::InvalidMember, field, reason }
    }
}

impl From<InvalidItem> for ItemRefusal {
    fn from(InvalidItem { code, field, reason }: InvalidItem) -> Self {
        Self { code, field, detail: reason }
    }
}

/// Returns the member of an object whose value contains a position; `None` at the end of the object.
fn member_at(text: &str, place: Position) -> Option<&str> {
    let mut here = Position::START;
    let (mut depth, mut is_name, mut name) = (0_usize, false, None);
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => {
                here.advance(byte);
                let mut end = at;
                let mut escaped = false;
                for (next, byte) in bytes.by_ref() {
                    here.advance(byte);
                    end = next;
                    match byte {
                        _ if escaped => escaped = false,
                        b'\\' => escaped = true,
                        b'"' => break,
                        _ => {}
                    }
                }
                if depth == 1 && is_name {
                    name = text.get(at.saturating_add(1)..end);
                }
            }
            b'{' | b'[' => depth = depth.saturating_add(1),
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match byte {
            b'"' => is_name = false,
            b'{' | b',' if depth == 1 => is_name = true,
            _ => {}
        }
        if byte != b'"' {
            here.advance(byte);
        }
        if depth == 0 {
            return None;
        }
        if (here.line, here.column) > (place.line, place.column) {
            return name;
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::InvalidItem;
    use crate::formats::ndjson::line::read_members;
    use crate::source::Notes;
    use application::ports::ingest_source::{ItemCode, ItemRefusal};
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only the types matter")]
    struct Members {
        name: String,
        number: Option<f64>,
        list: Option<Vec<Entry>>,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only the types matter")]
    struct Entry {
        start: String,
    }

    fn refusal(text: &str) -> (ItemCode, Option<&'static str>) {
        let invalid: InvalidItem = read_members::<Members>(text, &mut Notes::default()).unwrap_err();
        let ItemRefusal { code, field, detail } = invalid.into();
        assert!(!detail.contains("secret"), "{detail}");
        (code, field)
    }

    #[test]
    fn a_wrong_type_is_reported_with_the_expected_type_and_never_with_the_value() {
        for (text, expected) in [
            (r#"{"name":7}"#, "a string"),
            (r#"{"name":"a","number":"secret, expected a list"}"#, "a number"),
            (r#"{"name":"a","number":{"secret":1}}"#, "a number"),
            (r#"{"name":"a","list":"secret"}"#, "a list"),
            (r#"{"name":"a","list":["secret"]}"#, "an object"),
        ] {
            let invalid: InvalidItem = read_members::<Members>(text, &mut Notes::default()).unwrap_err();
            let text = format!("a member has the wrong type, expected {expected}, at line 1, column ");
            assert!(invalid.reason.starts_with(&text), "{}", invalid.reason);
            assert!(!invalid.reason.contains("secret"), "{}", invalid.reason);
        }
    }

    #[test]
    fn a_refusal_names_the_member_at_fault_and_no_value() {
        use ItemCode::{InvalidMember, MissingMember};
        for (text, code, field) in [
            ("{}", MissingMember, "name"),
            (r#"{"number":1}"#, MissingMember, "name"),
            (r#"{"name":7}"#, InvalidMember, "name"),
            (r#"{"name":"a","number":"secret"}"#, InvalidMember, "number"),
            ("{\n \"name\": \"a\",\n \"number\": \"secret\"\n}", InvalidMember, "number"),
            (r#"{"number":"secret","name":"a"}"#, InvalidMember, "number"),
            (r#"{"number":[1],"name":"a"}"#, InvalidMember, "number"),
            (r#"{"name":"a","list":[{"start":"b"},{}]}"#, MissingMember, "list"),
            (r#"{"name":"ü","list":[{"start":7}],"number":1}"#, InvalidMember, "list"),
            (r#"{"list":7,"name":"a"}"#, InvalidMember, "list"),
        ] {
            assert_eq!(refusal(text), (code, Some(field)), "{text}");
        }
        assert_eq!(refusal(r#"{"name":"a","name":"b"}"#).0, InvalidMember);
        // An unknown name is never repeated.
        assert_eq!(refusal(r#"{"name":"a","secret":[}"#), (InvalidMember, None));
    }
}
