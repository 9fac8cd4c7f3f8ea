//! A setting with several values.

use super::section::SettingValue;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// List of texts: an array in a file, values separated by commas in the environment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct TextList(pub(crate) Vec<String>);

impl SettingValue for TextList {
    const KIND: &'static str = "a list of strings, or one comma-separated string";

    fn format_value(&self) -> String {
        if self.0.is_empty() { "(none)".to_owned() } else { self.0.join(", ") }
    }
}

impl<'de> Deserialize<'de> for TextList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListVisitor)
    }
}

struct ListVisitor;

impl<'de> Visitor<'de> for ListVisitor {
    type Value = TextList;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(TextList::KIND)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<TextList, E> {
        Ok(TextList(
            text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect(),
        ))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<TextList, A::Error> {
        let mut texts = Vec::new();
        while let Some(text) = sequence.next_element::<String>()? {
            texts.push(text);
        }
        Ok(TextList(texts))
    }
}
