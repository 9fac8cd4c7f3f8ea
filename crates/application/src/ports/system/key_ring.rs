//! Signing keys of this process.

use chrono::{DateTime, Utc};
use domain::id::KeyId;
use domain::signing_key::SigningKey;
#[cfg(feature = "test-support")]
use mockall::automock;

/// Why signing keys could not be loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyRingError {
    /// A private key cannot be decrypted: the encryption key differs, or the row was altered.
    #[error("signing key {0} cannot be decrypted with the configured keys.encryption_key")]
    CannotDecrypt(KeyId),
    /// A public key does not belong to its private key, or is not Ed25519.
    #[error("signing key {0} is damaged")]
    Damaged(KeyId),
    /// The library could not create or encrypt a key.
    #[error("no signing key could be created")]
    CannotCreate,
}

/// Creates signing keys, and holds those that this process signs and verifies with.
#[cfg_attr(feature = "test-support", automock)]
pub trait KeyRing: Send + Sync {
    /// Creates a key pair and encrypts its private key, bound to its id.
    fn create_key(&self, id: KeyId, at: DateTime<Utc>) -> Result<SigningKey, KeyRingError>;
    /// Loads exactly these keys, all or none; afterwards, tokens signed with other keys are rejected.
    fn load(&self, keys: &[SigningKey]) -> Result<(), KeyRingError>;
}
