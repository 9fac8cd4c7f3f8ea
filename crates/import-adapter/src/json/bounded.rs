//! Lists of objects, bounded by the length of a night.

use super::object::Object;
use domain::sleep::Hypnogram;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// Error of a list that is too long.
pub(super) const TOO_LONG: &str = "a list has more than 20160 entries";

/// A list of at most [`Hypnogram::MAX_ENTRIES`] objects; `null` is empty.
#[derive(Debug)]
pub(crate) struct Bounded<T>(pub(crate) Vec<T>);

impl<T> Default for Bounded<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Bounded<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Entries(PhantomData))
    }
}

struct Entries<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
    type Value = Bounded<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Bounded::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(Object(entry)) = list.next_element()? {
            if entries.len() >= Hypnogram::MAX_ENTRIES {
                return Err(A::Error::custom(TOO_LONG));
            }
            entries.push(entry);
        }
        Ok(Bounded(entries))
    }
}
