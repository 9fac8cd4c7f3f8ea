//! Signing keys of this process, and the access tokens that they sign (RFC 9068, RFC 8725).

use crate::ports::storage::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::access_token::AccessClaims;
use domain::id::KeyId;
use domain::signing_key::SigningKey;
#[cfg(feature = "test-support")]
use mockall::automock;
use std::error::Error;

/// A token could not be signed: no key is active, or the library failed.
#[derive(Debug, thiserror::Error)]
#[error("no access token could be signed")]
pub struct SigningFailed(#[source] pub Option<Box<dyn Error + Send + Sync>>);

/// The text is not a valid access token. The reason is not disclosed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a valid access token")]
pub struct InvalidToken;

/// Signs access tokens with the newest active key.
#[cfg_attr(feature = "test-support", automock)]
pub trait TokenSigner: Send + Sync {
    /// Returns the encoded token: a JWT with every claim of decisions 3.
    fn sign(&self, claims: &AccessClaims) -> Result<String, SigningFailed>;
}

/// Verifies access tokens.
#[cfg_attr(feature = "test-support", automock)]
pub trait TokenVerifier: Send + Sync {
    /// Returns the claims of a token if its signature, form and times are valid at `now`.
    ///
    /// MUST reject texts above 4 KiB before any signature work, any algorithm except that of the key, unknown
    /// and retired `kid`s, missing claims, and times that are off by more than 5 seconds.
    fn verify(&self, token: &str, now: DateTime<Utc>) -> Result<AccessClaims, InvalidToken>;
}

/// Loads signing keys that another replica created and this process has not loaded yet.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait UnknownKeyReload: Send + Sync {
    /// Returns whether a token that [`TokenVerifier`] rejected should be verified again.
    ///
    /// MUST return `false` at once for a retired `kid`, and for a text that no key could make valid at `now`.
    /// For an unknown `kid` it MUST use the keys as stored after the call began, and MUST query the store at
    /// most about once a second for all callers together. Fails if the store does; the token is then neither
    /// valid nor invalid.
    async fn reload_for(&self, token: &str, now: DateTime<Utc>) -> Result<bool, StorageError>;
}

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
