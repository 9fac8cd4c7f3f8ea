//! A JSON object in which no name comes twice.
//!
//! Of two members with one name, readers disagree which one counts (RFC 8259 section 4); in a token that
//! would be two tokens in one, so it is refused (RFC 8725 section 3.12 asks for no less).

use application::ports::system::InvalidToken;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::Value;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

/// The members of an object.
pub(super) struct JsonObject(BTreeMap<String, Value>);

impl JsonObject {
    /// Parses a text that is one object and nothing else.
    pub(super) fn parse(text: &[u8]) -> Result<Self, InvalidToken> {
        serde_json::from_slice(text).map_err(|_| InvalidToken)
    }

    /// Returns a member, if it is there, whatever it is.
    pub(super) fn find(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Returns a member that must be there and be a string.
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
                Entry::Occupied(_) => return Err(A::Error::custom("a name comes twice")),
            };
        }
        Ok(JsonObject(members))
    }
}
