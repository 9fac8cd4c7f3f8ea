//! Recognition of browsers in which a person has signed in before (security.md T81).
//!
//! Limits on password attempts alone would let a stranger lock out the owner of an account. Attempts from a
//! known browser therefore have a separate budget. A known browser presents a cookie that only a successful
//! sign-in sets.

use crate::id::UserId;
use crate::password::PasswordHash;
use crate::secret::{Secret, SecretBytes, SecretKind};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Derives the known-browser cookie for a person and password.
///
/// It depends on the salt of the stored hash, so nothing more has to be stored, and a password change
/// invalidates all earlier cookies. The cookie grants no access; it only selects the budget.
pub fn known_browser_cookie(user_id: UserId, password: &PasswordHash) -> Secret {
    let mut hasher = Sha256::new();
    hasher.update(b"known-browser:");
    hasher.update(user_id.as_uuid().as_bytes());
    hasher.update(password.as_phc().as_bytes());
    Secret::from_bytes(SecretKind::KnownBrowser, &SecretBytes::new(hasher.finalize().into()))
}

/// Compares a cookie with that of the person's known browsers in constant time.
pub fn is_known_browser(cookie: &Secret, user_id: UserId, password: &PasswordHash) -> bool {
    let expected = known_browser_cookie(user_id, password);
    expected.expose().as_bytes().ct_eq(cookie.expose().as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn person(number: u128) -> UserId {
        UserId::from_uuid(Uuid::from_u128(number))
    }

    fn hash(salt: &str) -> PasswordHash {
        PasswordHash::from_phc(format!("$argon2id$v=19$m=8,t=1,p=1${salt}$c29tZXRoaW5n"))
    }

    // T81
    #[test]
    fn a_cookie_belongs_to_one_person_and_one_password() {
        let cookie = known_browser_cookie(person(1), &hash("one"));
        assert_eq!(cookie.kind(), SecretKind::KnownBrowser);
        assert!(is_known_browser(&cookie, person(1), &hash("one")));
        assert!(!is_known_browser(&cookie, person(2), &hash("one")));
        assert!(!is_known_browser(&cookie, person(1), &hash("two")));
    }

    // T81
    #[test]
    fn a_secret_of_another_kind_with_the_same_bits_is_not_such_a_cookie() {
        let bits = Sha256::digest([b"known-browser:", person(1).as_uuid().as_bytes().as_slice()].concat());
        let visit = Secret::from_bytes(SecretKind::Visit, &SecretBytes::new(bits.into()));
        assert!(!is_known_browser(&visit, person(1), &hash("")));
    }
}
