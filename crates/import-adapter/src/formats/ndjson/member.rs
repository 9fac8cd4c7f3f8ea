//! Member names of line types.

use serde::de::{Deserialize, Deserializer, Error as _, Visitor, value::Error};
use serde::forward_to_deserialize_any;

/// Returns the member names that a type's deserializer accepts.
pub(super) fn members_of<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    let mut members: &'static [&'static str] = &[];
    // Always fails: there is no input, only the request for members.
    let _ = T::deserialize(FieldNameRecorder(&mut members));
    members
}

/// Deserializer that records which members a type requests.
struct FieldNameRecorder<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for FieldNameRecorder<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("nothing"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        members: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Error> {
        *self.0 = members;
        Err(Error::custom("nothing"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::members_of;
    use serde::Deserialize;
    use std::borrow::Cow;

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only the names matter")]
    struct Members<'a> {
        #[serde(rename = "type")]
        kind: bool,
        #[serde(borrow)]
        name: Cow<'a, str>,
    }

    #[test]
    fn the_members_are_those_that_the_reader_asks_for() {
        assert_eq!(members_of::<Members<'_>>(), ["type", "name"]);
        assert!(members_of::<bool>().is_empty());
    }
}
