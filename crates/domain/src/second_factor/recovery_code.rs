//! Recovery codes: each replaces the code of the authenticator app once.

use crate::id::UserId;
use crate::secret::{SecretBytes, SecretHash, hide_in_debug};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// Number of codes in a set.
pub const RECOVERY_CODES: u32 = 10;

/// From this number of unused codes on, people are asked to create a new set.
pub const FEW_RECOVERY_CODES: u32 = 3;

/// Crockford's base32: no character is mistaken for another.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Characters of a code: 80 random bits.
const CHARACTERS: usize = 16;
/// Characters in a group.
const GROUP: usize = 4;

/// A recovery code; wiped on drop and never printed.
#[derive(Clone)]
pub struct RecoveryCode(Zeroizing<String>);

impl RecoveryCode {
    /// Creates a code from random bytes.
    pub fn from_bytes(bytes: &SecretBytes) -> Self {
        let mut text = Zeroizing::new(String::with_capacity(CHARACTERS));
        for byte in bytes.as_bytes().iter().take(CHARACTERS) {
            // Each character takes five bits of a separate byte, so all are equally likely.
            text.push(ALPHABET.get(usize::from(byte & 31)).copied().map_or('0', char::from));
        }
        Self(text)
    }

    /// Parses a code as typed: case, blanks and hyphens are ignored, and look-alikes are accepted. `None` if
    /// it is no code.
    pub fn parse(text: &str) -> Option<Self> {
        let mut code = Zeroizing::new(String::with_capacity(CHARACTERS));
        for character in text.chars().filter(|c| !matches!(c, ' ' | '-')) {
            let character = match character.to_ascii_lowercase() {
                'o' => '0',
                'i' | 'l' => '1',
                other => other,
            };
            if code.len() == CHARACTERS || !ALPHABET.iter().any(|known| char::from(*known) == character) {
                return None;
            }
            code.push(character);
        }
        (code.len() == CHARACTERS).then_some(Self(code))
    }

    /// Returns the text to show once: `k7qm-2x9d-f4hp-8tnw`.
    pub fn expose(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(String::with_capacity(CHARACTERS + 3));
        for (position, character) in self.0.chars().enumerate() {
            if position > 0 && position % GROUP == 0 {
                text.push('-');
            }
            text.push(character);
        }
        text
    }

    /// Returns the hash that is stored. A fast hash suffices for 80 random bits.
    pub fn hash(&self, user_id: UserId) -> SecretHash {
        let mut hasher = Sha256::new();
        hasher.update(b"recovery-code:");
        hasher.update(user_id.as_uuid().as_bytes());
        hasher.update(self.0.as_bytes());
        SecretHash::from_bytes(hasher.finalize().into())
    }
}

hide_in_debug!(RecoveryCode);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;

    fn person(number: u128) -> UserId {
        UserId::from_uuid(Uuid::from_u128(number))
    }

    fn code(bytes: [u8; 32]) -> RecoveryCode {
        RecoveryCode::from_bytes(&SecretBytes::new(bytes))
    }

    #[test]
    fn a_code_has_sixteen_characters_of_five_random_bits() {
        let mut bytes = [0; 32];
        for (number, byte) in (0_u8..).zip(bytes.iter_mut()) {
            *byte = number * 2;
        }
        assert_eq!(code(bytes).expose().as_str(), "0246-8ace-gjmp-rtwy");
        assert_eq!(format!("{:?}", code(bytes)), "RecoveryCode(..)");
    }

    #[test]
    fn a_code_is_read_as_people_type_it() {
        let expected = RecoveryCode::parse("0111-8acf-gjmp-rtwy").unwrap().hash(person(1));
        for text in ["0111-8acf-gjmp-rtwy", "01118ACFGJMPRTWY", " oiL1 8acf gjmp rtwy "] {
            assert!(RecoveryCode::parse(text).unwrap().hash(person(1)) == expected, "{text}");
        }
        for text in
            ["", "0111-8acf-gjmp-rtw", "0111-8acf-gjmp-rtwy0", "0111-8acf-gjmp-rtwu", "é111-8acf-gjmp-rtwy"]
        {
            assert!(RecoveryCode::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn the_same_code_of_two_people_has_two_hashes() {
        assert!(code([9; 32]).hash(person(1)) != code([9; 32]).hash(person(2)));
    }

    proptest! {
        #[test]
        fn a_shown_code_parses_to_the_same_hash(bytes: [u8; 32]) {
            let parsed = RecoveryCode::parse(&code(bytes).expose()).unwrap();
            prop_assert!(parsed.hash(person(1)) == code(bytes).hash(person(1)));
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in ".*") {
            let _ = RecoveryCode::parse(&text);
        }
    }
}
