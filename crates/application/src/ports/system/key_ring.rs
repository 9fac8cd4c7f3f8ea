//! Signing keys in the hands of this process.

use chrono::{DateTime, Utc};
use domain::id::KeyId;
use domain::signing_key::SigningKey;
#[cfg(feature = "test-support")]
use mockall::automock;

/// Why signing keys could not be taken into use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyRingError {
    /// A private key does not open: the encryption key is not the one it was sealed with, or the row was altered.
    #[error("signing key {0} cannot be decrypted with the configured keys.encryption_key")]
    CannotOpen(KeyId),
    /// A public key does not belong to its private key, or is not Ed25519.
    #[error("signing key {0} is damaged")]
    Damaged(KeyId),
    /// The library could not make or seal a key.
    #[error("no signing key could be made")]
    CannotMake,
}

/// Makes signing keys, and holds those that this process signs and checks with.
#[cfg_attr(feature = "test-support", automock)]
pub trait KeyRing: Send + Sync {
    /// Makes a key pair and seals its private key, bound to its id.
    fn make(&self, id: KeyId, at: DateTime<Utc>) -> Result<SigningKey, KeyRingError>;
    /// Takes exactly these keys into use, all or none; what was signed with others is refused from now on.
    fn load(&self, keys: &[SigningKey]) -> Result<(), KeyRingError>;
}
