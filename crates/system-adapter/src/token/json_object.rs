//! JSON objects without duplicate names.
//!
//! Parsers disagree on which of two members with one name is valid (RFC 8259 section 4), so a token with
//! duplicates could mean two things and is rejected (RFC 8725 section 3.12).

use application::ports::system::InvalidToken;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::Value;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

/// Members by name.
pub(super) struct JsonObject(BTreeMap<String, Value>);

impl JsonObject {
    /// Parses a text that is exactly one object.
    pub(super) fn parse(text: &[u8]) -> Result<Self, InvalidToken> {
        serde_json::from_slice(text).map_err(|_| InvalidToken)
    }

    /// Returns a member of any type.
    pub(super) fn find(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Returns a required string.
    pub(super) fn text(&self, name: &str) -> Result<&str, InvalidToken> {
        self.find(name).and_then(Value::as_str).ok_or(InvalidToken)
    }
}

impl<'de> Deserialize<'de> for JsonObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = JsonObject;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonObject, A::Error> {
        let mut members = BTreeMap::new();
        while let Some(name) = map.next_key::<String>()? {
            match members.entry(name) {
                Entry::Vacant(place) => place.insert(map.next_value()?),
                Entry::Occupied(_) => return Err(A::Error::custom("duplicate name")),
            };
        }
        Ok(JsonObject(members))
    }
}
