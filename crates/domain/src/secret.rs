//! Secrets that Restwell issues: text form, checksum and stored hash.
//!
//! A secret consists of a prefix for its kind, 43 base62 characters with 256 random bits, and 6 base62
//! characters of a CRC-32 over the rest (security.md "Refresh tokens"; decisions 3). Typing errors and random
//! guesses are rejected without a lookup, and leaked secrets can be recognised. The store holds SHA-256
//! hashes, separated by kind, so that a refresh token is not found if it is presented as a code.

use sha2::{Digest, Sha256};
use std::fmt;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// Implements `Debug` as the name of the type, because logs and panics must not show the value: `Email(..)`.
macro_rules! hide_in_debug {
    ($type:ident) => {
        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(concat!(stringify!($type), "(..)"))
            }
        }
    };
}
pub(crate) use hide_in_debug;

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_CHARACTERS: usize = 43;
const CHECKSUM_CHARACTERS: usize = 6;

/// Kind of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SecretKind {
    /// An authorization code (RFC 6749 section 4.1): `rwc_`.
    AuthorizationCode,
    /// A refresh token: `rwr_`.
    RefreshToken,
    /// A refresh token that each use replaces: `rwt_`.
    RotatingRefreshToken,
    /// The secret of a client: `rws_`.
    ClientSecret,
    /// A personal access token: `rwp_`.
    PersonalAccessToken,
    /// Session cookie of a signed-in browser: `rwe_`.
    Session,
    /// Cookie of a browser before sign-in: `rwv_`. Never stored.
    Visit,
    /// A one-time link to choose a password: `rwl_`.
    PasswordLink,
    /// Cookie of a known browser: `rwb_`. Never stored.
    KnownBrowser,
    /// Challenge of a passkey ceremony: `rwa_`.
    PasskeyChallenge,
    /// Cookie of a browser whose sign-in waits for its second step: `rwn_`.
    PendingSignIn,
}

impl SecretKind {
    /// Every kind.
    pub const ALL: [Self; 11] = [
        Self::AuthorizationCode,
        Self::RefreshToken,
        Self::RotatingRefreshToken,
        Self::ClientSecret,
        Self::PersonalAccessToken,
        Self::Session,
        Self::Visit,
        Self::PasswordLink,
        Self::KnownBrowser,
        Self::PasskeyChallenge,
        Self::PendingSignIn,
    ];

    /// Returns the prefix by which people and secret scanners recognise the kind.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::AuthorizationCode => "rwc_",
            Self::RefreshToken => "rwr_",
            Self::RotatingRefreshToken => "rwt_",
            Self::ClientSecret => "rws_",
            Self::PersonalAccessToken => "rwp_",
            Self::Session => "rwe_",
            Self::Visit => "rwv_",
            Self::PasswordLink => "rwl_",
            Self::KnownBrowser => "rwb_",
            Self::PasskeyChallenge => "rwa_",
            Self::PendingSignIn => "rwn_",
        }
    }

    /// Returns the bytes hashed before the text, so that equal texts of two kinds have different hashes.
    const fn hash_domain(self) -> &'static [u8] {
        match self {
            Self::AuthorizationCode => b"code:",
            Self::RefreshToken => b"refresh:",
            Self::RotatingRefreshToken => b"rotating-refresh:",
            Self::ClientSecret => b"client-secret:",
            Self::PersonalAccessToken => b"personal-access-token:",
            Self::Session => b"session:",
            Self::Visit => b"visit:",
            Self::PasswordLink => b"password-link:",
            Self::KnownBrowser => b"known-browser-cookie:",
            Self::PasskeyChallenge => b"passkey-challenge:",
            Self::PendingSignIn => b"pending-sign-in:",
        }
    }
}

/// 256 random bits from the `Entropy` port; wiped on drop and never printed.
pub struct SecretBytes(Zeroizing<[u8; 32]>);

impl SecretBytes {
    /// Wraps random bytes.
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

hide_in_debug!(SecretBytes);

/// A well-formed secret in its text form; wiped on drop and never printed by accident.
#[derive(Clone)]
pub struct Secret {
    kind: SecretKind,
    text: Zeroizing<String>,
}

impl Secret {
    /// Creates a secret of this kind from random bytes.
    pub fn from_bytes(kind: SecretKind, bytes: &SecretBytes) -> Self {
        let mut random = Zeroizing::new(String::with_capacity(64));
        push_base62(&mut random, &bytes.0);
        Self::from_random_part(kind, &random)
    }

    /// Creates a secret of this kind from its random characters.
    pub(crate) fn from_random_part(kind: SecretKind, random: &str) -> Self {
        let mut text = Zeroizing::new(String::with_capacity(64));
        text.push_str(kind.prefix());
        text.push_str(random);
        let checksum = crc32fast::hash(text.as_bytes());
        push_checksum(&mut text, checksum);
        Self { kind, text }
    }

    /// Parses a secret of this kind: checks prefix, length, alphabet and checksum.
    ///
    /// Does not check whether the secret was ever issued.
    pub fn parse(kind: SecretKind, text: &str) -> Result<Self, MalformedSecret> {
        let length = kind.prefix().len() + RANDOM_CHARACTERS + CHECKSUM_CHARACTERS;
        let well_formed = text.len() == length
            && text.strip_prefix(kind.prefix()).is_some_and(|rest| rest.bytes().all(is_base62));
        let (body, checksum) = text.split_at_checked(length - CHECKSUM_CHARACTERS).ok_or(MalformedSecret)?;
        let mut expected = String::with_capacity(CHECKSUM_CHARACTERS);
        push_checksum(&mut expected, crc32fast::hash(body.as_bytes()));
        if well_formed && checksum == expected {
            Ok(Self { kind, text: Zeroizing::new(text.to_owned()) })
        } else {
            Err(MalformedSecret)
        }
    }

    /// Returns the random characters, without prefix and checksum.
    pub(crate) fn random_part(&self) -> &str {
        let start = self.kind.prefix().len();
        self.text.get(start..start + RANDOM_CHARACTERS).unwrap_or_default()
    }

    /// Returns the kind.
    pub const fn kind(&self) -> SecretKind {
        self.kind
    }

    /// Returns the text, for the only response that contains it. Every call is a place where a secret leaves
    /// the program.
    pub fn expose(&self) -> &str {
        &self.text
    }

    /// Returns the hash that is stored.
    pub fn hash(&self) -> SecretHash {
        let mut hasher = Sha256::new();
        hasher.update(self.kind.hash_domain());
        hasher.update(self.text.as_bytes());
        SecretHash(hasher.finalize().into())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({}..)", self.kind.prefix())
    }
}

/// The text is not a well-formed secret of the requested kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a well-formed secret")]
pub struct MalformedSecret;

/// Stored SHA-256 of a secret, separated by kind. Compared in constant time.
#[derive(Clone, Copy)]
pub struct SecretHash([u8; 32]);

impl SecretHash {
    /// Wraps 32 bytes from the store.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes to store.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl PartialEq for SecretHash {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for SecretHash {}

hide_in_debug!(SecretHash);

const fn is_base62(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

/// Writes 32 bytes as a big-endian number with exactly 43 base62 digits (62^43 > 2^256).
fn push_base62(text: &mut String, bytes: &[u8; 32]) {
    let mut number = Zeroizing::new(*bytes);
    let mut digits = Zeroizing::new([0u8; RANDOM_CHARACTERS]);
    for digit in digits.iter_mut().rev() {
        let mut remainder = 0u32;
        for byte in number.iter_mut() {
            let value = (remainder << 8) | u32::from(*byte);
            *byte = u8::try_from(value / 62).unwrap_or(u8::MAX);
            remainder = value % 62;
        }
        *digit = base62_digit(remainder);
    }
    text.extend(digits.iter().map(|digit| char::from(*digit)));
}

fn push_checksum(text: &mut String, checksum: u32) {
    let mut rest = checksum;
    let mut digits = [0u8; CHECKSUM_CHARACTERS];
    for digit in digits.iter_mut().rev() {
        *digit = base62_digit(rest % 62);
        rest /= 62;
    }
    text.extend(digits.iter().map(|digit| char::from(*digit)));
}

fn base62_digit(value: u32) -> u8 {
    usize::try_from(value).ok().and_then(|index| ALPHABET.get(index)).copied().unwrap_or(b'0')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn secret(kind: SecretKind, bytes: [u8; 32]) -> Secret {
        Secret::from_bytes(kind, &SecretBytes::new(bytes))
    }

    #[test]
    fn a_secret_has_its_prefix_43_random_characters_and_a_checksum_of_6() {
        for kind in SecretKind::ALL {
            let secret = secret(kind, [0xff; 32]);
            assert!(secret.expose().starts_with(kind.prefix()));
            assert_eq!(secret.expose().len(), 4 + 43 + 6);
        }
    }

    #[test]
    fn debug_output_never_shows_the_value() {
        let secret = secret(SecretKind::RefreshToken, [7; 32]);
        assert_eq!(format!("{secret:?}"), "Secret(rwr_..)");
        assert_eq!(format!("{:?}", secret.hash()), "SecretHash(..)");
        assert_eq!(format!("{:?}", SecretBytes::new([7; 32])), "SecretBytes(..)");
    }

    #[test]
    fn the_same_random_bytes_hash_differently_for_each_kind() {
        let hashes: HashSet<[u8; 32]> =
            SecretKind::ALL.iter().map(|kind| *secret(*kind, [1; 32]).hash().as_bytes()).collect();
        assert_eq!(hashes.len(), SecretKind::ALL.len());
    }

    #[test]
    fn a_secret_of_one_kind_is_not_one_of_another() {
        let code = secret(SecretKind::AuthorizationCode, [3; 32]);
        assert!(Secret::parse(SecretKind::RefreshToken, code.expose()).is_err());
    }

    #[test]
    fn ten_thousand_texts_from_different_bytes_are_different() {
        let texts: HashSet<String> = (0u32..10_000)
            .map(|number| {
                let mut bytes = [0; 32];
                bytes[28..].copy_from_slice(&number.to_be_bytes());
                secret(SecretKind::AuthorizationCode, bytes).expose().to_owned()
            })
            .collect();
        assert_eq!(texts.len(), 10_000);
    }

    proptest! {
        #[test]
        fn an_issued_secret_parses_to_the_same_hash(bytes in any::<[u8; 32]>()) {
            let issued = secret(SecretKind::RefreshToken, bytes);
            let parsed = Secret::parse(SecretKind::RefreshToken, issued.expose()).unwrap();
            prop_assert_eq!(parsed.hash(), issued.hash());
        }

        #[test]
        fn one_changed_character_is_noticed(bytes in any::<[u8; 32]>(), at in 4usize..53, to in 0usize..62) {
            let issued = secret(SecretKind::RefreshToken, bytes);
            let mut text = issued.expose().as_bytes().to_vec();
            prop_assume!(text[at] != ALPHABET[to]);
            text[at] = ALPHABET[to];
            prop_assert!(Secret::parse(SecretKind::RefreshToken, std::str::from_utf8(&text).unwrap()).is_err());
        }
    }
}
