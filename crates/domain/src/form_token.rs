//! Token that proves that a form was served to this browser (security.md T27).

use crate::secret::Secret;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use std::fmt;
use subtle::ConstantTimeEq;

/// Form token, derived from the browser's cookie, which other sites cannot read.
///
/// A new cookie (sign-in, sign-out) invalidates the forms of all earlier pages.
#[derive(Clone)]
pub struct FormToken(String);

impl FormToken {
    /// Derives the token from the browser's cookie.
    pub fn derive(cookie: &Secret) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(b"form-token:");
        hasher.update(cookie.expose().as_bytes());
        Self(URL_SAFE_NO_PAD.encode(hasher.finalize()))
    }

    /// Returns the value of the hidden field.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Compares a submitted value with this token in constant time.
    pub fn is(&self, submitted: &str) -> bool {
        self.0.as_bytes().ct_eq(submitted.as_bytes()).into()
    }
}

impl fmt::Debug for FormToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FormToken(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::{SecretBytes, SecretKind};

    fn cookie(kind: SecretKind, byte: u8) -> Secret {
        Secret::from_bytes(kind, &SecretBytes::new([byte; 32]))
    }

    #[test]
    fn a_token_belongs_to_one_cookie() {
        let token = FormToken::derive(&cookie(SecretKind::Session, 1));
        assert!(token.is(FormToken::derive(&cookie(SecretKind::Session, 1)).expose()));
        assert!(!token.is(FormToken::derive(&cookie(SecretKind::Session, 2)).expose()));
        assert!(!token.is(FormToken::derive(&cookie(SecretKind::Visit, 1)).expose()));
        assert!(!token.is(""));
    }

    #[test]
    fn a_token_is_not_what_the_store_knows_the_cookie_by() {
        let cookie = cookie(SecretKind::Session, 1);
        let stored = URL_SAFE_NO_PAD.encode(cookie.hash().as_bytes());
        assert!(!FormToken::derive(&cookie).is(&stored));
    }
}
