//! Parser of a flat JSON object of strings and numbers with unique names.
//!
//! The usual deserializer keeps the last of two equal names. Two parsers that keep different ones can be
//! exploited, so duplicates are rejected here.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use std::collections::HashSet;
use std::fmt;

/// Error for any other text. The deserializer's message is not repeated: it may quote the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotFlatJson;

/// Parses names and values in order. A number becomes its decimal text.
pub(super) fn parse(text: &str) -> Result<Vec<(String, String)>, NotFlatJson> {
    serde_json::from_str::<FlatObject>(text).map(|object| object.0).map_err(|_| NotFlatJson)
}

struct FlatObject(Vec<(String, String)>);

impl<'de> Deserialize<'de> for FlatObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FlatVisitor)
    }
}

struct FlatVisitor;

impl<'de> Visitor<'de> for FlatVisitor {
    type Value = FlatObject;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of strings and numbers with unique names")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<FlatObject, A::Error> {
        let mut names = HashSet::new();
        let mut pairs = Vec::new();
        while let Some((name, Scalar(value))) = map.next_entry::<String, Scalar>()? {
            if !names.insert(name.clone()) {
                return Err(A::Error::custom("duplicate name"));
            }
            pairs.push((name, value));
        }
        Ok(FlatObject(pairs))
    }
}

struct Scalar(String);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

/// Other types (arrays, objects, booleans, null) are rejected.
impl Visitor<'_> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a number")
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Scalar, E> {
        Ok(Scalar(value.to_owned()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Scalar, E> {
        Ok(Scalar(value.to_string()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Scalar, E> {
        Ok(Scalar(value.to_string()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Scalar, E> {
        Ok(Scalar(value.to_string()))
    }
}
