//! Ids as text.

use serde::Deserialize as _;
use serde::de::Error as _;
use serde::{Deserializer, Serializer};
use uuid::Uuid;

pub(super) fn serialize<S: Serializer>(id: &Uuid, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(id)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Uuid, D::Error> {
    Uuid::try_parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}
