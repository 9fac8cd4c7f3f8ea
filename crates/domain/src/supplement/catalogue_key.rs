//! Origin of a label.

use super::InvalidText;
use super::text::name;
use crate::id::UserId;
use std::fmt;
use uuid::Uuid;

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
    #[error("the source of a catalogue key has 1 to 50 characters from a-z, 0-9, - and _")]
    Source,
    /// The key is blank, too long, or contains a control character.
    #[error(transparent)]
    Key(#[from] InvalidText),
    /// The key of a person's own product does not consist of their id and the product's.
    #[error("the key of a person's own product is their id, a slash and the id of the product")]
    Own,
}

impl CatalogueKey {
    /// Source of labels from the NIH Dietary Supplement Label Database.
    pub const DSLD: &'static str = "dsld";
    /// Source of labels with a Restwell id, as written by its export.
    pub const RESTWELL: &'static str = "restwell";
    /// Source of products that a person created. The key begins with the person's id, so that no other table
    /// has to say whose product it is.
    pub const OWN: &'static str = "own";
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
        if source == Self::OWN && own_parts(&key).is_none() {
            return Err(InvalidCatalogueKey::Own);
        }
        Ok(Self { source, key })
    }

    /// Returns the key of a person's own product.
    pub fn own(owner: UserId, product: Uuid) -> Self {
        Self { source: Self::OWN.to_owned(), key: format!("{owner}/{}", product.as_hyphenated()) }
    }

    /// Returns the person whose own product has this key; `None` if the label belongs to the catalogue.
    pub fn owner(&self) -> Option<UserId> {
        if self.source == Self::OWN { own_parts(&self.key).map(|(owner, _)| owner) } else { None }
    }

    /// Returns whether a person may see and log the label: those of the catalogue and their own.
    pub fn is_visible_to(&self, person: UserId) -> bool {
        self.owner().is_none_or(|owner| owner == person)
    }

    /// Returns the same product as one of another person's own; keys of the catalogue stay as they are.
    #[must_use]
    pub fn owned_by(self, person: UserId) -> Self {
        match own_parts(&self.key) {
            Some((_, product)) if self.source == Self::OWN => Self::own(person, product),
            _ => self,
        }
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

/// Splits the key of an own product, which is in lower case, so that a product has one key.
fn own_parts(key: &str) -> Option<(UserId, Uuid)> {
    let (owner, product) = key.split_once('/')?;
    let owner = UserId::parse(owner).ok()?;
    let product = Uuid::try_parse(product).ok()?;
    (CatalogueKey::own(owner, product).key == key).then_some((owner, product))
}

#[cfg(test)]
mod tests;
