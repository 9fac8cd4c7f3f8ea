//! Natural key by which an import recognises a session: its source, and its key there.

use crate::time::whole_millis;
use chrono::{DateTime, SecondsFormat, Utc};

/// The source is empty, longer than 100 characters, or contains a control character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a source has 1 to 100 characters and no control characters")]
pub struct InvalidSleepSource;

/// Device or app that recorded a session, such as `fitbit`; 1 to 100 characters without control characters.
///
/// Sessions of different sources are never merged or summed (decisions 6).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SleepSource(String);

impl SleepSource {
    /// Maximum length of a name in characters.
    pub const MAX_CHARS: usize = 100;

    /// Parses a name; keeps it unchanged.
    pub fn parse(text: &str) -> Result<Self, InvalidSleepSource> {
        let characters = text.chars().count();
        if characters == 0 || characters > Self::MAX_CHARS || text.chars().any(char::is_control) {
            return Err(InvalidSleepSource);
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The key is empty, longer than 200 characters, or contains a control character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a session's key has 1 to 200 characters and no control characters")]
pub struct InvalidSessionKey;

/// Origin of a session's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SessionKeyKind {
    /// The source's own id, such as Fitbit's `logId`.
    Given,
    /// Derived from the session's start, because the source has no id.
    Derived,
}

/// Key of a session within one person and source.
///
/// A given and a derived key differ even if their texts are equal. [`Self::to_stored`] combines kind and
/// text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionKey {
    kind: SessionKeyKind,
    text: String,
}

impl SessionKey {
    /// Maximum length of a key in characters.
    pub const MAX_CHARS: usize = 200;

    /// Creates a key from the source's own id, unchanged.
    pub fn from_source(text: &str) -> Result<Self, InvalidSessionKey> {
        Self::from_parts(SessionKeyKind::Given, text)
    }

    /// Creates a key from the session's start in UTC, with milliseconds.
    pub fn derived_from(start: DateTime<Utc>) -> Self {
        let text = whole_millis(start).to_rfc3339_opts(SecondsFormat::Millis, true);
        Self { kind: SessionKeyKind::Derived, text }
    }

    /// Creates a key from its [`Self::kind`] and [`Self::as_str`].
    pub fn from_parts(kind: SessionKeyKind, text: &str) -> Result<Self, InvalidSessionKey> {
        let characters = text.chars().count();
        if characters == 0 || characters > Self::MAX_CHARS || text.chars().any(char::is_control) {
            return Err(InvalidSessionKey);
        }
        Ok(Self { kind, text: text.to_owned() })
    }

    /// Returns the origin of the key.
    pub const fn kind(&self) -> SessionKeyKind {
        self.kind
    }

    /// Returns the key without its kind.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns whether the source provided the key.
    pub const fn is_given(&self) -> bool {
        matches!(self.kind, SessionKeyKind::Given)
    }

    /// Formats kind and key as one unique text: `given:` or `derived:`, then the key.
    pub fn to_stored(&self) -> String {
        let kind = if self.is_given() { "given" } else { "derived" };
        format!("{kind}:{}", self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::{SessionKey, SleepSource};
    use chrono::DateTime;

    #[test]
    fn a_derived_key_is_the_start_in_milliseconds() {
        let start = DateTime::from_timestamp_nanos(1_773_011_400_123_999_999);
        let key = SessionKey::derived_from(start);
        assert_eq!(key.as_str(), "2026-03-08T23:10:00.123Z");
        assert!(!key.is_given());
    }

    #[test]
    fn equal_texts_of_different_kinds_are_different_keys() {
        let derived = SessionKey::derived_from(DateTime::UNIX_EPOCH);
        let given = SessionKey::from_source(derived.as_str()).unwrap();
        assert_ne!(given, derived);
        assert_ne!(given.to_stored(), derived.to_stored());
    }

    #[test]
    fn a_key_has_one_to_two_hundred_characters_and_no_control_character() {
        assert!(SessionKey::from_source(&"k".repeat(200)).is_ok());
        for rejected in ["", "a\tb", &"k".repeat(201)] {
            assert!(SessionKey::from_source(rejected).is_err());
        }
    }

    #[test]
    fn a_name_has_one_to_a_hundred_characters_and_no_control_character() {
        assert_eq!(
            SleepSource::parse("Anna\u{2019}s\u{a0}Watch").unwrap().as_str(),
            "Anna\u{2019}s\u{a0}Watch"
        );
        assert!(SleepSource::parse(&"\u{e9}".repeat(100)).is_ok());
        for rejected in ["", "a\nb", "a\u{0}", "\u{85}", &"a".repeat(101)] {
            assert!(SleepSource::parse(rejected).is_err());
        }
    }
}
