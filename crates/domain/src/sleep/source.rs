//! Source of a session.

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

#[cfg(test)]
mod tests {
    use super::SleepSource;

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
