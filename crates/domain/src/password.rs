//! Passwords, their rules, and their stored hash (NIST SP 800-63B-4 section 3.1.1; security.md T84 to T86).

use crate::secret::hide_in_debug;
use unicode_normalization::UnicodeNormalization;
use zeroize::Zeroizing;

/// Maximum length in bytes of UTF-8 as typed; checked before hashing (security.md T84).
pub const MAX_BYTES: usize = 1024;

/// Minimum length of a new password in Unicode characters, as long as there is no second factor.
pub const MIN_CHARACTERS: usize = 15;

/// The password is empty or longer than [`MAX_BYTES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a password has 1 to 1024 bytes")]
pub struct InvalidPassword;

/// A password as typed, in Unicode normalisation form C, so that keyboards that compose letters differently
/// produce the same password. Wiped on drop, never printed.
#[derive(Clone)]
pub struct Password(Zeroizing<String>);

impl Password {
    /// Parses a password. Every character is significant; nothing is trimmed.
    pub fn parse(text: &str) -> Result<Self, InvalidPassword> {
        if text.is_empty() || text.len() > MAX_BYTES {
            return Err(InvalidPassword);
        }
        // Form C is at most three times as long (Unicode, Annex 15). Reserve that, so that a reallocation
        // leaves no copy behind.
        let mut normalised = Zeroizing::new(String::with_capacity(text.len().saturating_mul(3)));
        normalised.extend(text.nfc());
        Ok(Self(normalised))
    }

    /// Returns the text for hashing and strength checks.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns whether a new password is long enough. Its content is not checked here.
    pub fn is_long_enough(&self) -> bool {
        self.0.chars().count() >= MIN_CHARACTERS
    }
}

hide_in_debug!(Password);

/// Password hash as a PHC string (`$argon2id$v=19$m=..,t=..,p=..$salt$hash`) with its parameters. Never
/// printed, because it allows offline guessing.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(String);

impl PasswordHash {
    /// Wraps a PHC string from the hashing port or the store.
    pub fn from_phc(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the PHC string.
    pub fn as_phc(&self) -> &str {
        &self.0
    }
}

hide_in_debug!(PasswordHash);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn two_spellings_of_one_letter_are_one_password() {
        let composed = Password::parse("caf\u{e9}").unwrap();
        let decomposed = Password::parse("cafe\u{301}").unwrap();
        assert_eq!(composed.expose(), decomposed.expose());
    }

    #[test]
    fn length_is_counted_in_characters_not_in_bytes() {
        assert!(Password::parse(&"\u{1f634}".repeat(15)).unwrap().is_long_enough());
        assert!(!Password::parse(&"\u{1f634}".repeat(14)).unwrap().is_long_enough());
    }

    #[test]
    fn empty_passwords_and_those_over_1024_bytes_are_rejected() {
        assert_eq!(Password::parse("").unwrap_err(), InvalidPassword);
        assert_eq!(Password::parse(&"x".repeat(1025)).unwrap_err(), InvalidPassword);
        assert!(Password::parse(&"x".repeat(1024)).is_ok());
    }

    #[test]
    fn debug_output_never_shows_a_password_or_its_hash() {
        let password = Password::parse("a quiet night in the hills").unwrap();
        assert_eq!(format!("{password:?}"), "Password(..)");
        assert_eq!(format!("{:?}", PasswordHash::from_phc("$argon2id$x")), "PasswordHash(..)");
    }

    proptest! {
        #[test]
        fn blanks_and_every_other_character_count(text in "\\PC{1,60}") {
            let password = Password::parse(&text).unwrap();
            let again = Password::parse(password.expose()).unwrap();
            prop_assert_eq!(password.expose(), again.expose());
        }
    }
}
