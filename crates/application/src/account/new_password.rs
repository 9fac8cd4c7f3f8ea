//! The rules for a password that somebody chooses (security.md T85; NIST SP 800-63B-4 section 3.1.1.2).

use crate::ports::system::PasswordJudge;
use domain::password::Password;
use domain::user::Email;

/// Why a password may not be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NewPasswordError {
    /// It has fewer than [`domain::password::MIN_CHARACTERS`] characters.
    #[error("a password has at least 15 characters")]
    TooShort,
    /// It has more than [`domain::password::MAX_BYTES`] bytes.
    #[error("a password has at most 1024 bytes")]
    TooLong,
    /// It is common, or made of common words, patterns and the person's own address.
    #[error("this password would be guessed early")]
    Guessable,
}

/// A password that obeys the rules: the only kind that is ever hashed to be stored.
#[derive(Debug, Clone)]
pub struct NewPassword(Password);

impl NewPassword {
    /// Judges what somebody typed, for the account with this address. Every character of Unicode may be in it and
    /// none must be.
    pub fn judge(text: &str, account: &Email, judge: &dyn PasswordJudge) -> Result<Self, NewPasswordError> {
        if text.is_empty() {
            return Err(NewPasswordError::TooShort);
        }
        let password = Password::parse(text).map_err(|_| NewPasswordError::TooLong)?;
        if !password.is_long_enough() {
            return Err(NewPasswordError::TooShort);
        }
        if judge.is_guessable(&password, account.as_str()) {
            return Err(NewPasswordError::Guessable);
        }
        Ok(Self(password))
    }

    /// Returns the password, to be hashed.
    pub const fn password(&self) -> &Password {
        &self.0
    }
}
