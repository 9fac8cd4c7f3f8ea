//! Signing keys of access tokens, as stored (decisions 3).

use crate::id::KeyId;
use crate::secret::hide_in_debug;
use chrono::{DateTime, Utc};

/// Private key, encrypted with the operator's key and bound to its `kid`.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedPrivateKey(Vec<u8>);

impl SealedPrivateKey {
    /// Wraps sealed bytes.
    pub const fn new(sealed: Vec<u8>) -> Self {
        Self(sealed)
    }

    /// Returns the sealed bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

hide_in_debug!(SealedPrivateKey);

/// State of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SigningKeyState {
    /// Its signatures are valid; the newest active key signs.
    Active,
    /// Its signatures are rejected.
    Retired {
        /// When it was retired.
        at: DateTime<Utc>,
    },
}

/// An Ed25519 key pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SigningKey {
    /// The `kid` in token headers and the key set.
    pub id: KeyId,
    /// Public key: the 32 bytes of RFC 8032.
    pub public_key: [u8; 32],
    /// Sealed private key.
    pub private_key: SealedPrivateKey,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// State.
    pub state: SigningKeyState,
}
