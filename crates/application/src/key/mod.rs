//! Signing keys: the first one, and those that other replicas made.

mod ensure_signing_key;
mod reload_signing_keys;

pub use ensure_signing_key::*;
pub use reload_signing_keys::*;

use crate::ports::storage::StorageError;
use crate::ports::system::KeyRingError;

/// Why signing keys are not in use.
#[derive(Debug, thiserror::Error)]
pub enum SigningKeyError {
    /// A key cannot be made or opened.
    #[error(transparent)]
    KeyRing(#[from] KeyRingError),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

#[cfg(test)]
mod tests;
