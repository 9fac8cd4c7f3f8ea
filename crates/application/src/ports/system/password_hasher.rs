//! Hashing and judging passwords.

use async_trait::async_trait;
use domain::password::{Password, PasswordHash};
#[cfg(feature = "test-support")]
use mockall::automock;

/// Why a password could not be hashed or checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PasswordHashingError {
    /// As many hashes as may run are running, and as many as may wait are waiting (security.md T84).
    #[error("too many passwords are being checked at this moment")]
    Busy,
    /// A stored hash is none, or the library failed.
    #[error("a password could not be hashed or checked")]
    Failed,
}

/// What a check of a password found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PasswordCheck {
    /// Whether it is the right one.
    pub is_right: bool,
    /// Whether the stored hash was made with weaker parameters than those of today (security.md T86).
    pub is_outdated: bool,
}

/// Hashes passwords with argon2id (decisions 10), never more than a few at a time.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait PasswordHasher: Send + Sync {
    /// Hashes a password with the parameters of today and a fresh salt.
    async fn hash(&self, password: &Password) -> Result<PasswordHash, PasswordHashingError>;
    /// Checks a password against a stored hash, with the hash's own parameters.
    ///
    /// Without a hash it MUST do the work of one all the same and find the password wrong, so that time does not
    /// tell whether an account exists (security.md T80).
    async fn check<'a>(
        &self,
        password: &'a Password,
        stored: Option<&'a PasswordHash>,
    ) -> Result<PasswordCheck, PasswordHashingError>;
}

/// Judges whether a password would be guessed early, offline (NIST SP 800-63B-4 section 3.1.1.2).
#[cfg_attr(feature = "test-support", automock)]
pub trait PasswordJudge: Send + Sync {
    /// Returns whether a password is common, or made of common words, patterns and `about_the_person` (their
    /// address), so that a list of likely passwords would hold it.
    fn is_guessable(&self, password: &Password, about_the_person: &str) -> bool;
}
