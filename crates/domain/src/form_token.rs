//! Token that proves that a form was served to this browser (security.md T27).

use crate::id::UserId;
use crate::secret::{Secret, hide_in_debug};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
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

    /// Derives a token that also names the person who sees the form, so that a form that arrives after the
    /// session has ended still names its person: hash and id, separated by a dot.
    pub fn of_person(cookie: &Secret, user_id: UserId) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(b"form-token-of-person:");
        hasher.update(cookie.expose().as_bytes());
        hasher.update(user_id.as_uuid().as_bytes());
        Self(format!("{}.{user_id}", URL_SAFE_NO_PAD.encode(hasher.finalize())))
    }

    /// Returns the person that a submitted token of [`Self::of_person`] names.
    pub fn named_person(submitted: &str) -> Option<UserId> {
        submitted.split_once('.').and_then(|(_, id)| UserId::parse(id).ok())
    }

    /// Returns whether a submitted token belongs to this cookie, whether or not it names a person.
    pub fn belongs(cookie: &Secret, submitted: &str) -> bool {
        let token = match Self::named_person(submitted) {
            Some(user_id) => Self::of_person(cookie, user_id),
            None => Self::derive(cookie),
        };
        token.is(submitted)
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

hide_in_debug!(FormToken);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::{SecretBytes, SecretKind};

    fn cookie(kind: SecretKind, byte: u8) -> Secret {
        Secret::from_bytes(kind, &SecretBytes::new([byte; 32]))
    }

    #[test]
    fn a_token_that_names_a_person_belongs_to_one_cookie_and_one_person() {
        let [robin, sam] = [1, 2].map(|number| UserId::from_uuid(uuid::Uuid::from_u128(number)));
        let (ours, other) = (cookie(SecretKind::Session, 1), cookie(SecretKind::Session, 2));
        let token = FormToken::of_person(&ours, robin).expose().to_owned();
        assert_eq!(FormToken::named_person(&token), Some(robin));
        assert!(
            FormToken::belongs(&ours, &token) && FormToken::belongs(&ours, FormToken::derive(&ours).expose())
        );
        let (hash, _) = token.split_once('.').unwrap();
        let renamed = format!("{hash}.{sam}");
        for wrong in [hash, &renamed, &format!("{token}x"), &format!("{hash}."), &token.to_uppercase(), ""] {
            assert!(!FormToken::belongs(&ours, wrong), "{wrong}");
        }
        assert!(!FormToken::belongs(&other, &token));
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
    fn a_form_token_differs_from_the_stored_hash_of_its_cookie() {
        let cookie = cookie(SecretKind::Session, 1);
        let stored = URL_SAFE_NO_PAD.encode(cookie.hash().as_bytes());
        assert!(!FormToken::derive(&cookie).is(&stored));
    }
}
