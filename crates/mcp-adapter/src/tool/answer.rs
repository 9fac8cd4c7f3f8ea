//! Size of answers.

use domain::deceptive_text::without_deceptive;
use serde_json::{Value, json};
use std::borrow::Cow;

/// Maximum size of an answer as JSON in bytes.
///
/// A token of a byte-level tokenizer is at least one byte, so that an answer has fewer than 8,000 tokens for
/// every model.
pub(super) const MAX_BYTES: usize = 7_500;

/// Bytes reserved for `cut`, which is added last.
const RESERVED: usize = 500;

/// Bytes left in an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room(usize);

impl Room {
    /// Returns the bytes left after the members that every answer has.
    pub(super) fn beside(answer: &Value) -> Self {
        Self(MAX_BYTES.saturating_sub(RESERVED).saturating_sub(size(answer)))
    }

    /// Reserves the bytes of an item and its comma; returns whether it fits.
    pub(super) fn take(&mut self, item: &Value) -> bool {
        let left = self.0.checked_sub(size(item) + 1);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}

fn size(value: &Value) -> usize {
    value.to_string().len()
}

/// Sets a member of an answer.
pub(super) fn put(answer: &mut Value, name: &str, value: Value) {
    if let Some(members) = answer.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
}

/// Returns a note that an answer is incomplete, with the arguments that return the rest.
pub(super) fn cut(note: &str, next: &[Value]) -> Value {
    json!({ "note": note, "next": next })
}

/// Removes deceptive characters from all texts. The names of sources and products come from imported files.
pub(super) fn sanitize(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(clean) = without_deceptive(text) {
                *text = clean;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(sanitize),
        Value::Object(members) => members.values_mut().for_each(sanitize),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_added_until_the_response_is_full() {
        let head = json!({ "nights": [] });
        let mut room = Room::beside(&head);
        let item = json!({ "date": "2026-03-08", "asleep_minutes": 431.5 });
        let items: Vec<Value> =
            std::iter::repeat_with(|| item.clone()).take_while(|item| room.take(item)).collect();
        assert!(items.len() > 100);
        let answer = json!({ "nights": items, "cut": null });
        assert!((MAX_BYTES - RESERVED - 60..MAX_BYTES).contains(&size(&answer)), "{}", size(&answer));
    }

    /// MCP 2026-07-28, Tools, Security Considerations.
    #[test]
    fn texts_lose_their_deceptive_characters() {
        let doctor = "\u{1f469}\u{200d}\u{2695}\u{fe0f}";
        let mut answer = json!({
            "nights": [{ "source": "ri\u{200b}ng", "n": 1 }],
            "products": ["\u{202e}gaM\u{2069} \u{feff}Night\n", doctor, null, true],
        });
        sanitize(&mut answer);
        let expected = json!({
            "nights": [{ "source": "ring", "n": 1 }],
            "products": ["gaM Night", doctor, null, true],
        });
        assert_eq!(answer, expected);
    }
}
