//! Size of answers.

use serde_json::{Value, json};

/// Maximum size of an answer as JSON in bytes.
///
/// A token of a byte-level tokenizer is at least one byte, so that an answer has fewer than 8,000 tokens for
/// every model.
pub(super) const MAX_BYTES: usize = 7_500;

/// Room for `cut`, which is known last.
const RESERVED: usize = 500;

/// Bytes left in an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room(usize);

impl Room {
    /// Returns the room beside the members that are in every answer.
    pub(super) fn beside(answer: &Value) -> Self {
        Self(MAX_BYTES.saturating_sub(RESERVED).saturating_sub(size(answer)))
    }

    /// Takes the room of an item and its comma; returns whether it fits.
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

/// Says that an answer is incomplete, and which arguments return the rest.
pub(super) fn cut(note: &str, next: &[Value]) -> Value {
    json!({ "note": note, "next": next })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_taken_until_the_answer_is_full() {
        let head = json!({ "nights": [] });
        let mut room = Room::beside(&head);
        let item = json!({ "date": "2026-03-08", "asleep_minutes": 431.5 });
        let items: Vec<Value> =
            std::iter::repeat_with(|| item.clone()).take_while(|item| room.take(item)).collect();
        assert!(items.len() > 100);
        let answer = json!({ "nights": items, "cut": null });
        assert!((MAX_BYTES - RESERVED - 60..MAX_BYTES).contains(&size(&answer)), "{}", size(&answer));
    }
}
