//! What a browser keeps of a sign-in, so that its person can sign in again while strangers guess (security.md T81).
//!
//! Limits against guessing let a stranger keep an owner out. Attempts from a browser in which the owner has signed in
//! before are therefore counted in a budget of their own. The browser proves it with a cookie that only somebody
//! who knew the password can have been given.

use crate::id::UserId;
use crate::password::PasswordHash;
use crate::secret::{Secret, SecretBytes, SecretKind};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Derives the cookie of the browsers in which this person has signed in with this password.
///
/// It is derived from the stored hash, whose salt nobody outside knows: nothing more has to be stored, and whoever
/// changes the password makes every earlier cookie worthless. It opens nothing; it only names the budget.
pub fn known_browser_cookie(user_id: UserId, password: &PasswordHash) -> Secret {
    let mut hasher = Sha256::new();
    hasher.update(b"known-browser:");
    hasher.update(user_id.as_uuid().as_bytes());
    hasher.update(password.as_phc().as_bytes());
    Secret::from_bytes(SecretKind::KnownBrowser, &SecretBytes::new(hasher.finalize().into()))
}

/// Tells, in constant time, whether a cookie is that of a browser that this person knows.
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
    fn a_secret_of_another_kind_with_the_same_bits_is_no_such_cookie() {
        let bits = Sha256::digest([b"known-browser:", person(1).as_uuid().as_bytes().as_slice()].concat());
        let visit = Secret::from_bytes(SecretKind::Visit, &SecretBytes::new(bits.into()));
        assert!(!is_known_browser(&visit, person(1), &hash("")));
    }
}
