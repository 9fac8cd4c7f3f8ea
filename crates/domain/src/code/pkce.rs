//! Proof key for code exchange, method `S256` only (RFC 7636; decisions 8).

use crate::secret::{SecretBytes, hide_in_debug};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// The challenge or verifier does not have the form of RFC 7636 section 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not in the format of RFC 7636 section 4")]
pub struct InvalidPkce;

/// `S256` challenge: the SHA-256 of a verifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PkceChallenge([u8; 32]);

impl PkceChallenge {
    /// Parses the 43 characters of `code_challenge`.
    pub fn parse(text: &str) -> Result<Self, InvalidPkce> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| InvalidPkce)?;
        bytes.try_into().map(Self).map_err(|_| InvalidPkce)
    }

    /// Wraps 32 bytes from the store.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes to store.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns whether the verifier matches the challenge, in constant time.
    pub fn is_met_by(&self, verifier: &CodeVerifier) -> bool {
        verifier.challenge().0.ct_eq(&self.0).into()
    }
}

/// A `code_verifier`: 43 to 128 unreserved characters. Secret, so it is never printed.
pub struct CodeVerifier(Zeroizing<String>);

impl CodeVerifier {
    /// Parses the `code_verifier` parameter.
    pub fn parse(text: &str) -> Result<Self, InvalidPkce> {
        let unreserved = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'~');
        if (43..=128).contains(&text.len()) && text.bytes().all(unreserved) {
            Ok(Self(Zeroizing::new(text.to_owned())))
        } else {
            Err(InvalidPkce)
        }
    }
}

impl CodeVerifier {
    /// Encodes 32 random bytes as 43 characters.
    pub fn from_bytes(bytes: &SecretBytes) -> Self {
        Self(Zeroizing::new(URL_SAFE_NO_PAD.encode(bytes.as_bytes())))
    }

    /// Returns the challenge that this verifier meets.
    pub fn challenge(&self) -> PkceChallenge {
        PkceChallenge(Sha256::digest(self.0.as_bytes()).into())
    }

    /// Returns the text for the one response that shows it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

hide_in_debug!(CodeVerifier);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_rfc_7636_appendix_b_fits() {
        let challenge = PkceChallenge::parse("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM").unwrap();
        let verifier = CodeVerifier::parse("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk").unwrap();
        assert!(challenge.is_met_by(&verifier));
        let other = CodeVerifier::parse("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXl").unwrap();
        assert!(!challenge.is_met_by(&other));
    }

    /// RFC 7636 section 4.1.
    #[test]
    fn verifiers_of_the_wrong_length_or_alphabet_are_rejected() {
        for text in ["x".repeat(42), "x".repeat(129), format!("{}+", "x".repeat(43)), String::new()] {
            assert!(CodeVerifier::parse(&text).is_err());
        }
        assert!(CodeVerifier::parse(&"x".repeat(128)).is_ok());
    }

    /// RFC 7636 section 4.2.
    #[test]
    fn a_challenge_is_43_characters_of_base64url() {
        for text in ["", "short", &"A".repeat(44), &format!("{}=", "A".repeat(43)), &"+".repeat(43)] {
            assert!(PkceChallenge::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_verifier_from_random_bytes_is_valid_and_meets_its_challenge() {
        let verifier = CodeVerifier::from_bytes(&SecretBytes::new([0xfb; 32]));
        assert_eq!(verifier.expose().len(), 43);
        let parsed = CodeVerifier::parse(verifier.expose()).unwrap();
        assert!(verifier.challenge().is_met_by(&parsed));
        let other = CodeVerifier::from_bytes(&SecretBytes::new([1; 32]));
        assert!(!verifier.challenge().is_met_by(&other));
    }
}
