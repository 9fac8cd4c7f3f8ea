//! Origin of a label.

use super::InvalidText;
use super::text::name;
use std::fmt;

/// Natural key of a label: its catalogue and its key there, by which the next import recognises it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CatalogueKey {
    source: String,
    key: String,
}

/// Why a catalogue key is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidCatalogueKey {
    /// The source is not 1 to 50 of the characters a to z, 0 to 9, `-` and `_`.
    #[error("the source of a catalogue key is 1 to 50 of a-z, 0-9, - and _")]
    Source,
    /// The key is blank, too long, or contains a control character.
    #[error(transparent)]
    Key(#[from] InvalidText),
}

impl CatalogueKey {
    /// Source of labels from the NIH Dietary Supplement Label Database.
    pub const DSLD: &'static str = "dsld";
    /// Source of labels with a Restwell id, as written by its export.
    pub const RESTWELL: &'static str = "restwell";
    /// Maximum length of a source in characters.
    pub const MAX_SOURCE: usize = 50;
    /// Maximum length of a key in characters.
    pub const MAX_KEY: usize = 200;

    /// Creates a key: the source is a short lower-case name, the key any non-blank text of at most 200
    /// characters without control characters.
    pub fn new(source: String, key: String) -> Result<Self, InvalidCatalogueKey> {
        let plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_';
        if source.is_empty() || source.len() > Self::MAX_SOURCE || !source.bytes().all(plain) {
            return Err(InvalidCatalogueKey::Source);
        }
        let key = name("key", key, Self::MAX_KEY)?;
        Ok(Self { source, key })
    }

    /// Returns the catalogue, such as `dsld`.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the key within the catalogue.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Splits the key into source and key.
    pub fn into_parts(self) -> (String, String) {
        (self.source, self.key)
    }
}

/// Prints `source:key`, which is unambiguous because a source contains no colon.
impl fmt::Display for CatalogueKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.source, self.key)
    }
}

#[cfg(test)]
mod tests;
