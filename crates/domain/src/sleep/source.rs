//! The source of a session.

/// Says that a text names no source: it is empty, longer than 100 characters, or holds a control character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a source has 1 to 100 characters and no control characters")]
pub struct InvalidSleepSource;

/// Names the device or app that recorded a session, such as `fitbit`; 1 to 100 characters, none of them a
/// control character.
///
/// Sessions of different sources are never merged or summed (decisions 6).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SleepSource(String);

impl SleepSource {
    /// The most characters of a name.
    pub const MAX_CHARS: usize = 100;

    /// Parses a name, kept exactly as it is written.
    pub fn parse(text: &str) -> Result<Self, InvalidSleepSource> {
        let characters = text.chars().count();
        if characters == 0 || characters > Self::MAX_CHARS || text.chars().any(char::is_control) {
            return Err(InvalidSleepSource);
        }
        Ok(Self(text.to_owned()))
    }

    /// Gives the name.
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
        for refused in ["", "a\nb", "a\u{0}", "\u{85}", &"a".repeat(101)] {
            assert!(SleepSource::parse(refused).is_err());
        }
    }
}
