//! Signing keys: creation, loading other replicas' keys, rotation.

mod ensure_signing_key;
mod list_signing_keys;
mod reload_signing_keys;
mod retire_signing_key;
mod rotate_signing_key;

pub use ensure_signing_key::*;
pub use list_signing_keys::*;
pub use reload_signing_keys::*;
pub use retire_signing_key::*;
pub use rotate_signing_key::*;

use crate::ports::storage::StorageError;
use crate::ports::system::KeyRingError;

/// Errors of signing key operations.
#[derive(Debug, thiserror::Error)]
pub enum SigningKeyError {
    /// A key cannot be created or decrypted.
    #[error(transparent)]
    KeyRing(#[from] KeyRingError),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

#[cfg(test)]
mod tests;
