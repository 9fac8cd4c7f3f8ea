//! Hashing and judging passwords.

use async_trait::async_trait;
use domain::password::{Password, PasswordHash};
#[cfg(feature = "test-support")]
use mockall::automock;

/// Why a password could not be hashed or checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PasswordHashingError {
    /// All hashing slots are busy and the queue is full (security.md T84).
    #[error("too many passwords are being checked at the moment")]
    Busy,
    /// The stored hash is invalid, or the library failed.
    #[error("a password could not be hashed or checked")]
    Failed,
}

/// Result of a password check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PasswordCheck {
    /// Whether the password is correct.
    pub is_right: bool,
    /// Whether the stored hash has weaker parameters than the current ones (security.md T86).
    pub is_outdated: bool,
}

/// Hashes passwords with argon2id (decisions 10), with limited concurrency.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait PasswordHasher: Send + Sync {
    /// Hashes a password with the current parameters and a fresh salt.
    async fn hash(&self, password: &Password) -> Result<PasswordHash, PasswordHashingError>;
    /// Checks a password against a stored hash, with the hash's parameters.
    ///
    /// Without a hash it MUST do the same work and report the password as wrong, so that timing does not
    /// reveal whether an account exists (security.md T80).
    async fn check<'a>(
        &self,
        password: &'a Password,
        stored: Option<&'a PasswordHash>,
    ) -> Result<PasswordCheck, PasswordHashingError>;
}

/// Judges whether a password is easy to guess offline (NIST SP 800-63B-4 section 3.1.1.2).
#[cfg_attr(feature = "test-support", automock)]
pub trait PasswordStrengthChecker: Send + Sync {
    /// Returns whether a password is common, or consists of common words, patterns, and words of the service,
    /// of its operator and of `about_the_person` (their email address).
    fn is_guessable(&self, password: &Password, about_the_person: &str) -> bool;
}
