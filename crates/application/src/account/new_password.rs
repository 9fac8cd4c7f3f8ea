//! Rules for new passwords (security.md T85; NIST SP 800-63B-4 section 3.1.1.2).

use crate::ports::system::PasswordStrengthChecker;
use domain::password::Password;
use domain::user::Email;

/// Why a new password is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NewPasswordError {
    /// It has fewer than [`domain::password::MIN_CHARACTERS`] characters.
    #[error("a password has at least 15 characters")]
    TooShort,
    /// It has more than [`domain::password::MAX_BYTES`] bytes.
    #[error("a password has at most 1024 bytes")]
    TooLong,
    /// It is common, or consists of common words, patterns, parts of the user's email address, and words of
    /// the service and its operator.
    #[error("this password is too easy to guess")]
    Guessable,
}

/// Password that follows the rules; the only type that is hashed and stored as a new password.
#[derive(Debug, Clone)]
pub struct NewPassword(Password);

impl NewPassword {
    /// Validates a password for the account with this address. All Unicode characters are allowed; none is
    /// required.
    pub fn check(
        text: &str,
        account: &Email,
        strength_checker: &dyn PasswordStrengthChecker,
    ) -> Result<Self, NewPasswordError> {
        if text.is_empty() {
            return Err(NewPasswordError::TooShort);
        }
        let password = Password::parse(text).map_err(|_| NewPasswordError::TooLong)?;
        if !password.is_long_enough() {
            return Err(NewPasswordError::TooShort);
        }
        if strength_checker.is_guessable(&password, account.as_str()) {
            return Err(NewPasswordError::Guessable);
        }
        Ok(Self(password))
    }

    /// Returns the password for hashing.
    pub const fn password(&self) -> &Password {
        &self.0
    }
}
