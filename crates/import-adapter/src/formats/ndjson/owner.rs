//! Check that a line belongs to the owner of the file.
//!
//! A file with a single line about another person is rejected as a whole before anything is stored, because
//! the health data of two people in one account could hardly be separated again.

use crate::input::Position;
use application::ports::import_source::ImportRefusal;
use domain::id::UserId;
use memchr::memmem;
use serde::Deserialize;
use std::borrow::Cow;

/// The member as an export writes it.
const MEMBER: &str = "\"user_id\"";

#[derive(Deserialize)]
struct Owner<'a> {
    #[serde(default, borrow)]
    user_id: Option<Cow<'a, str>>,
}

/// Rejects the file if this well-formed line is about another person. An invalid `user_id` is left to the
/// line's parser.
pub(super) fn refuse_other(
    text: &str,
    start: Position,
    expected: Option<UserId>,
) -> Result<(), ImportRefusal> {
    let Some(expected) = expected else { return Ok(()) };
    if is_plainly_of(text, expected) {
        return Ok(());
    }
    let named = serde_json::from_str::<Owner<'_>>(text).ok().and_then(|line| line.user_id);
    match named.and_then(|named| UserId::parse(&named).ok()) {
        Some(named) if named != expected => {
            Err(ImportRefusal::OtherPerson { place: format!("line {}", start.line) })
        }
        _ => Ok(()),
    }
}

/// Returns whether inspecting the bytes suffices, as for nearly every line: the member is absent in any
/// spelling, or exactly as an export writes it for this person.
fn is_plainly_of(text: &str, expected: UserId) -> bool {
    // Names may contain escapes.
    if memchr::memchr(b'\\', text.as_bytes()).is_some() {
        return false;
    }
    let mut members = memmem::find_iter(text.as_bytes(), MEMBER);
    let Some(first) = members.next() else { return true };
    let value = text.get(first.saturating_add(MEMBER.len())..).unwrap_or_default();
    let value = value.strip_prefix(":\"").and_then(|value| value.get(..36));
    members.next().is_none() && value.and_then(|value| UserId::parse(value).ok()) == Some(expected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;

    const OTHER: &str = "1a2b3c4d-0000-4000-8000-000000004711";

    fn me() -> UserId {
        UserId::from_uuid(Uuid::from_u128(7))
    }

    fn is_refused(text: &str) -> bool {
        refuse_other(text, Position::START, Some(me())).is_err()
    }

    #[test]
    fn a_line_of_another_person_in_any_spelling_rejects_the_file() {
        let mine = me();
        for line in [
            format!(r#"{{"user_id":"{OTHER}"}}"#),
            format!(r#"{{ "user_id" : "{OTHER}" }}"#),
            format!(r#"{{"user\u005fid":"{OTHER}"}}"#),
            format!(r#"{{"x":{{"user_id":"{mine}"}},"user_id":"{OTHER}"}}"#),
            format!(r#"{{"x":{{"user_id":"{mine}"}},"user\u005fid":"{OTHER}"}}"#),
            format!(r#"{{"user_id":"{}"}}"#, OTHER.to_uppercase()),
        ] {
            assert!(is_refused(&line), "{line}");
        }
    }

    #[test]
    fn a_line_of_this_person_or_without_a_person_is_accepted() {
        let mine = me();
        for line in [
            format!(r#"{{"user_id":"{mine}"}}"#),
            format!(r#"{{"user_id":"{}"}}"#, mine.to_string().to_uppercase()),
            format!(r#"{{"user_id":"{mine}","x":{{"user_id":"{OTHER}"}}}}"#),
            format!(r#"{{"name":"\"user_id\":\"{OTHER}\""}}"#),
            r#"{"user_id":null}"#.to_owned(),
            r#"{"user_id":4711}"#.to_owned(),
            r#"{"user_id":"4711"}"#.to_owned(),
            r#"{"name":"\u00e9"}"#.to_owned(),
            "[1]".to_owned(),
        ] {
            assert!(!is_refused(&line), "{line}");
        }
        assert!(refuse_other(&format!(r#"{{"user_id":"{OTHER}"}}"#), Position::START, None).is_ok());
    }

    proptest! {
        #[test]
        fn the_byte_scan_and_the_parser_agree(
            before in "[a-z\"\\\\{}:,_é]{0,12}",
            nested in prop::bool::ANY,
            is_mine in prop::bool::ANY,
        ) {
            let id = if is_mine { me().to_string() } else { OTHER.to_owned() };
            let inner = if nested { serde_json::json!({ "user_id": OTHER, "n": before }) } else { before.clone().into() };
            let line = serde_json::json!({ "a": inner, "user_id": id, "z": before }).to_string();
            prop_assert_eq!(is_refused(&line), !is_mine);
        }
    }
}
