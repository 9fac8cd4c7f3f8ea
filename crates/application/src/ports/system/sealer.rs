//! Encryption with the operator's key: secrets of authenticator apps, and forms that a browser stores.

use chrono::{DateTime, Utc};
use domain::id::UserId;
use domain::second_factor::{SealedTotpSecret, TotpCode, TotpSecret, TotpStep};
#[cfg(feature = "test-support")]
use mockall::automock;

/// A secret cannot be encrypted, or not be decrypted with the configured key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the secret of an authenticator app cannot be sealed or opened with the configured keys.encryption_key"
)]
pub struct TotpSealerError;

/// A secret that a person is setting up. Until a code proves that their app has it, it exists only in their
/// form, encrypted.
#[derive(Debug, Clone)]
pub struct TotpEnrolment {
    /// The secret.
    pub secret: TotpSecret,
    /// Expiry.
    pub expires_at: DateTime<Utc>,
}

/// Encrypts the secrets of authenticator apps with the operator's key, and derives codes from them.
#[cfg_attr(feature = "test-support", automock)]
pub trait TotpSealer: Send + Sync {
    /// Encrypts a secret for the store, bound to its person.
    fn seal(&self, user_id: UserId, secret: &TotpSecret) -> Result<SealedTotpSecret, TotpSealerError>;
    /// Decrypts a person's secret.
    fn open(&self, user_id: UserId, sealed: &SealedTotpSecret) -> Result<TotpSecret, TotpSealerError>;
    /// Encrypts an enrolment as text for a form, bound to its person.
    fn seal_enrolment(&self, user_id: UserId, enrolment: &TotpEnrolment) -> Result<String, TotpSealerError>;
    /// Decrypts a person's enrolment; `None` if the text is another person's or was changed.
    fn open_enrolment(&self, user_id: UserId, text: &str) -> Option<TotpEnrolment>;
    /// Returns the code of a step (RFC 6238).
    fn code(&self, secret: &TotpSecret, step: TotpStep) -> TotpCode;
}

/// Encrypts submitted forms with the operator's key.
#[cfg_attr(feature = "test-support", automock)]
pub trait FormSealer: Send + Sync {
    /// Encrypts a form as text for a cookie, bound to its person; `None` if encryption fails.
    fn seal(&self, user_id: UserId, form: &str) -> Option<String>;
    /// Decrypts a person's form; `None` if the text is another person's or was changed.
    fn open(&self, user_id: UserId, text: &str) -> Option<String>;
}
